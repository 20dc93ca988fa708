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

TEST_CASE("text table: columns that do not fit follow below, beside the first") {
  TextTable table;
  table.add("name", TextTable::Align::left);
  for (const char* title : {"one", "two", "three"}) table.set(title, "1");
  table.set("name", "a");
  table.end_row();
  CHECK(table.text(21) == "name  one  two  three\na       1    1      1\n");
  CHECK(table.text(20) == "name  one  two\na       1    1\n\nname  three\na         1\n");
  CHECK(table.text(3) == "name  one\na       1\n\nname  two\na       1\n\nname  three\na         1\n");
}
