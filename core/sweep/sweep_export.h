// What a sweep comes to, in files that other programs read, made from the folders of its points in the order of their
// numbers. One point at a time is in memory.
//   sweep.csv     one row per point, trial and method: the axes, every metric and cost at the end
//   curves.csv    one row per point, method and observed iteration: the axes, means over trials
//   timings.csv   measured time, as the points' own: the ONLY one of these that differs between repeats
//   summary.json  per point: the axes, what the methods came to; what failed, and why
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <string>

#include "core/experiment/experiment.h"
#include "core/sweep/sweep_state.h"

namespace sotto {

void export_sweep(const ScenarioFile& file, const std::string& folder, const SweepState& state);

}  // namespace sotto
