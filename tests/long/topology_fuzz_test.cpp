// SPDX-License-Identifier: MIT
#include "tests/support/topology_fuzz.h"

using namespace sotto::testing;

TEST_CASE("topology files: 100,000 broken ones per format: a graph or a ScenarioError, nothing else") {
  for (const FuzzedFormat& format : fuzzed_formats()) {
    CAPTURE(format.name);
    fuzz(format, 100'000);
  }
}
