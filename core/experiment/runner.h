// SPDX-License-Identifier: MIT
// Runs an experiment: every method in every trial, trials side by side. Results come in the order of trials and methods,
// whatever finished first.
// Tests: tests/core/experiment/checkpoint_test.cpp, tests/core/algorithms/ppdnmf_test.cpp
#pragma once

#include <atomic>
#include <vector>

#include "core/experiment/checkpoint_folder.h"
#include "core/experiment/experiment.h"
#include "core/experiment/method_run.h"
#include "network/runtime/runtime.h"

namespace sotto {

/// Told of every boundary from any thread, one call at a time.
class ProgressWatcher {
 public:
  virtual ~ProgressWatcher() = default;
  virtual void boundary(std::uint64_t trial, std::size_t method) = 0;
  virtual void method_done(std::uint64_t trial, std::size_t method) = 0;
};

struct ExperimentOptions {
  const std::atomic<bool>* interrupt = nullptr;
  ProgressWatcher* progress = nullptr;
  /// Where unfinished work is kept every output.checkpoint_every iterations and where the run is interrupted, and found
  /// again; null: nowhere.
  const CheckpointFolder* checkpoints = nullptr;
};

struct ExperimentResult {
  bool interrupted = false;
  std::vector<MethodResult> runs;
};

ExperimentResult run_experiment(Runtime& runtime, const Experiment& experiment,
                                const ExperimentOptions& options = {});

}  // namespace sotto
