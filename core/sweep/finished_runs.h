// SPDX-License-Identifier: MIT
// The finished runs that folders hold: a run's own, or the points of a sweep.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <string>
#include <vector>

#include "core/results/comparison.h"

namespace sotto {

/// ScenarioError names a folder that holds no finished run.
std::vector<FinishedFolder> finished_runs(const std::vector<std::string>& folders);

}  // namespace sotto
