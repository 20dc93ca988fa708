// SPDX-License-Identifier: MIT
// Runs every point of a sweep, several at a time, in a folder of its own:
//   state.sqlite     whose sweep it is and what became of every point (sweep_state.h)
//   points/<hash>/   the output folder of a point; it appears by one rename, whole
//   sweep.csv, curves.csv, timings.csv, summary.json   when no point is left (sweep_export.h)
//
// A point is recorded as done after its files are on disk. The thread that calls `run` does that, for all points that
// finished in the meantime at once, while others compute: whoever is killed loses what was not recorded, and never has more
// recorded than is there.
// Points that are expected to take long start first, so that several jobs end together.
// Failure: a point that fails is recorded with its reason and the others go on. What cannot be written ends the sweep.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/sweep/sweep_state.h"

namespace sotto {

struct SweepProgress {
  SweepState::Counts counts;
  double share = 0;  ///< of the work that was left when the sweep began or went on, as estimated
};

struct SweepOptions {
  int jobs = 1;     ///< points at a time
  int threads = 1;  ///< of each
  bool resume = false;
  bool fail_fast = false;
  std::string started;                           ///< for timings.csv
  const std::atomic<bool>* interrupt = nullptr;  ///< running points are saved at their next boundary
  std::shared_ptr<KeyStore> keys;                ///< where keys are looked for; may be null
  std::function<void(const SweepProgress&)> told;
  std::function<void(const std::string& folder)> sync =
      sync_file_system;  ///< before points are recorded as done
};

struct SweepOutcome {
  SweepState::Counts counts;
  bool complete = false;  ///< no point is left; false: interrupted, or stopped by a failure
};

/// Every point of a sweep, resolved: what is valid has a hash, what is not has its error.
struct SweepPlan {
  std::vector<PointRecord> points;
  std::vector<double> seconds;                ///< by point, estimated
  std::map<std::string, std::string> inputs;  ///< SHA-256 by name
};

/// `visit`: told of every point, with its experiment or null. ScenarioError if two points are the same scenario, or if none
/// is valid.
SweepPlan plan_sweep(const ScenarioFile& file, DatasetCache& data,
                     const std::function<void(const PointRecord&, const Experiment*)>& visit = {});

/// Of the resolved scenario and its axes: names the default folder.
std::string sweep_hash(const ScenarioFile& file);

/// ScenarioError if the folder is in use, holds something else, holds this sweep and `resume` is not set, or, with it, if
/// the scenario, an input or the program changed: says what.
SweepOutcome run_sweep(const ScenarioFile& file, const std::string& folder, const SweepOptions& options);

}  // namespace sotto
