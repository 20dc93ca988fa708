// SPDX-License-Identifier: MIT
// What a sweep comes to, in files that other programs read, made from the folders of its points in the order of their
// numbers. One point at a time is in memory.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <string>

#include "core/experiment/experiment.h"
#include "core/sweep/sweep_state.h"

namespace sotto {

struct SweepFile {
  const char* name;
  const char* help;
};
/// What is in the folder of a sweep. All but timings.csv are the same bytes on every rerun.
inline constexpr SweepFile sweep_files[] = {
    {"state.sqlite", "what became of every point"},
    {"points/HASH/", "the output folder of a point"},
    {"sweep.csv", "one row per point, trial and method: the axes, then final.csv of the point"},
    {"curves.csv", "one row per point, method and observed iteration: the axes, then means over trials"},
    {"timings.csv", "measured time: timings.csv of the points"},
    {"summary.json", "per point: the axes, summary.json of the point, or why it failed"},
};

void export_sweep(const ScenarioFile& file, const std::string& folder, const SweepState& state);

}  // namespace sotto
