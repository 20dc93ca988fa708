// SPDX-License-Identifier: MIT
// A hundred thousand broken files of each data format.
#include "tests/support/data_fuzz.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("data: 100,000 mutated files of each format load or are refused by name, in bounded memory") {
  for (const auto& seeds : files_by_format()) {
    CAPTURE(seeds.front().name);
    const FuzzCount count = fuzz_format(seeds, 100'000, 1);
    MESSAGE(seeds.front().name << ": " << count.loaded << " loaded, " << count.refused << " refused");
    CHECK(count.loaded > 0);
    CHECK(count.refused > 50'000);
  }
}
