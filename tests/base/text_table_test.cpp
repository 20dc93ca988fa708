// SPDX-License-Identifier: MIT
#include "base/text_table.h"

#include <doctest/doctest.h>

using namespace sotto;

TEST_CASE("text table: as wide as the widest cell, empty columns left out, no spaces at the ends") {
  TextTable table;
  table.add("name", TextTable::Align::left);
  table.add("nothing");
  for (const char* name : {"a", "longer"}) {
    table.set("name", name);
    if (*name == 'a') table.set("figure", "1.5");
    table.end_row();
  }
  CHECK(table.rows() == 2);
  CHECK(table.text() == "name    figure\na          1.5\nlonger\n");
}
