// SPDX-License-Identifier: MIT
#include "core/experiment/runner.h"

#include <algorithm>
#include <mutex>

namespace sotto {

namespace {

/// One trial after another, or several at a time: each writes its own places only.
class TrialRunner {
 public:
  TrialRunner(Runtime& runtime, const Experiment& experiment, const ExperimentOptions& options)
      : runtime_(runtime),
        experiment_(experiment),
        options_(options),
        results_(experiment.trials() * experiment.methods.size()),
        finished_(results_.size()),
        failures_(experiment.trials()) {}

  ExperimentResult run() {
    runtime_.each(failures_.size(), [&](std::size_t trial) { run_trial(trial); });
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    ExperimentResult result;
    result.interrupted = std::count(finished_.begin(), finished_.end(), 0) > 0;
    if (result.interrupted && options_.checkpoints != nullptr && !checkpoint_every()) save_finished();
    result.runs = std::move(results_);
    return result;
  }

 private:
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  std::uint64_t checkpoint_every() const {
    return static_cast<std::uint64_t>(experiment_.output().checkpoint_every);
  }

  /// What nobody asked to be saved until now.
  void save_finished() const {
    for (std::size_t k = 0; k < results_.size(); ++k)
      if (finished_[k] != 0)
        options_.checkpoints->save(k / experiment_.methods.size(), k % experiment_.methods.size(),
                                   results_[k]);
  }

  void run_trial(std::size_t t) {
    // Trials start in order, so every trial before a failed one runs to its end: the first failure is always
    // the same.
    if (t > first_failure_.load() || interrupted()) return;
    try {
      const Trial trial(experiment_, t);
      for (std::size_t m = 0; m < experiment_.methods.size() && !interrupted(); ++m) {
        run_or_load(trial, m);
        if (options_.progress != nullptr) {
          const std::lock_guard lock(progress_mutex_);
          options_.progress->method_done(t, m);
        }
      }
    } catch (...) {
      failures_[t] = std::current_exception();
      std::size_t known = first_failure_.load();
      while (t < known && !first_failure_.compare_exchange_weak(known, t)) {
      }
    }
  }

  void run_or_load(const Trial& trial, std::size_t m) {
    MethodOptions method;
    method.interrupt = options_.interrupt;
    if (options_.progress != nullptr)
      method.at_boundary = [&, m] {
        const std::lock_guard lock(progress_mutex_);
        options_.progress->boundary(trial.number, m);
      };
    const std::size_t place = trial.number * experiment_.methods.size() + m;
    if (const CheckpointFolder* const kept = options_.checkpoints; kept != nullptr) {
      CheckpointFolder::Saved saved = kept->load(trial.number, m);
      if (saved.result) {
        results_[place] = std::move(*saved.result);
        finished_[place] = 1;
        return;
      }
      method.resume = std::move(saved.boundary);
      method.checkpoint_every = checkpoint_every();
      method.save = [&, m, kept](const Checkpoint& c) { kept->save(trial.number, m, c); };
    }
    MethodResult& result = results_[place] =
        run_method(runtime_, trial, experiment_.methods[m], std::move(method));
    finished_[place] = result.interrupted ? 0 : 1;
    if (options_.checkpoints != nullptr && checkpoint_every() && !result.interrupted)
      options_.checkpoints->save(trial.number, m, result);
  }

  Runtime& runtime_;
  const Experiment& experiment_;
  const ExperimentOptions& options_;
  std::vector<MethodResult> results_;
  std::vector<char> finished_;  ///< by the same numbers; not vector<bool>: every trial writes its own
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> first_failure_{~std::size_t{0}};
  std::mutex progress_mutex_;
};

}  // namespace

ExperimentResult run_experiment(Runtime& runtime, const Experiment& experiment,
                                const ExperimentOptions& options) {
  return TrialRunner(runtime, experiment, options).run();
}

}  // namespace sotto
