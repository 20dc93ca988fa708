// SPDX-License-Identifier: MIT
// A run that was saved at its boundaries, to be gone on with from any of them, for tests.
#pragma once

#include "core/experiment/checkpoint.h"
#include "tests/support/experiments.h"

namespace sotto::testing {

/// The first method of an experiment in one trial.
inline MethodResult run_first_method(const Experiment& e) {
  ProcessRuntime runtime(2);
  return run_method(runtime, Trial(e, 0), e.methods[0]);
}

class SavedRun {
 public:
  explicit SavedRun(const Experiment& e, std::int64_t every = 1, std::uint64_t trial = 0)
      : method_(e.methods[0]), trial_(e, trial) {
    MethodOptions options;
    options.checkpoint_every = every;
    options.save = [&](const Checkpoint& c) { saved_.push_back(c.save()); };
    whole = run_method(runtime_, trial_, method_, options);
  }

  std::size_t boundaries() const { return saved_.size(); }

  /// A new run that goes on from what boundary `at` left, as bytes.
  MethodResult resumed(std::size_t at) {
    MethodOptions options;
    options.resume = Checkpoint::load(saved_.at(at));
    return run_method(runtime_, trial_, method_, options);
  }

  MethodResult whole;  ///< was not stopped

 private:
  ProcessRuntime runtime_{2};
  Method method_;
  Trial trial_;
  std::vector<Bytes> saved_;
};

}  // namespace sotto::testing
