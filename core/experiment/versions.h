// SPDX-License-Identifier: MIT
// What a result was made with.
// Tests: tests/core/results/output_test.cpp
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sotto {

std::string sotto_version();
std::string sotto_commit();
/// Compiler and libraries, by name.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace sotto
