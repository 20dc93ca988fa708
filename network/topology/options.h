// SPDX-License-Identifier: MIT
// [topology]: the graph of a trial, drawn by a generator or read from a file.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <string>

#include "base/schema.h"
#include "network/topology/generators.h"

namespace sotto {

struct TopologyOptions {
  std::string generator = "random";
  std::string file;  ///< instead of a generator
  GeneratorOptions shape;
};

Schema topology_settings();

}  // namespace sotto
