// SPDX-License-Identifier: MIT
// In what two resolved scenarios differ, key by key.
// Tests: tests/core/results/output_test.cpp
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sotto {

/// The keys of a resolved scenario (Experiment::resolved) with their values as written; those of a [[method]] as
/// "method.NAME.KEY".
std::map<std::string, std::string> resolved_settings(const std::string& resolved);

/// "algorithm.rank was 5, is 6"; empty: they are the same.
std::vector<std::string> scenario_changes(const std::string& was, const std::string& is);

}  // namespace sotto
