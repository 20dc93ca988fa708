// SPDX-License-Identifier: MIT
// Files that a result depends on, besides the scenario: where they are, and what is in them.
// Tests: tests/core/data/dataset_test.cpp
#pragma once

#include <string>

#include "base/error.h"

namespace sotto {

struct InputFile {
  std::string name;  ///< as the scenario names it
  std::string sha256;
};

/// Where `name` is: in `folder`, or else in the folder that $SOTTO_DATA names. ScenarioError naming both.
std::string locate_input(const std::string& folder, const std::string& name, const SourcePlace& place,
                         const std::string& key);

/// A whole file; ScenarioError naming it (and `key`, if a key named the file) if it cannot be read.
std::string read_input(const std::string& path, const SourcePlace& place, const std::string& key);

}  // namespace sotto
