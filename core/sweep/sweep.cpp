// SPDX-License-Identifier: MIT
#include "core/sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "base/atomic_file.h"
#include "base/sha256.h"
#include "core/experiment/estimate.h"
#include "core/experiment/runner.h"
#include "core/experiment/versions.h"
#include "core/results/output.h"
#include "core/scenario/scenario_changes.h"
#include "core/sweep/sweep_export.h"
#include "crypto/key_cache.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

constexpr auto between_commits = std::chrono::milliseconds(50);

/// Trials and methods that have a stopping rule, were not told to run on, and reached their limit.
std::uint64_t not_converged(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  std::uint64_t count = 0;
  for (const MethodResult& run : runs) {
    const auto method = std::find_if(experiment.methods.begin(), experiment.methods.end(),
                                     [&](const Method& m) { return m.name == run.method; });
    if (expects_convergence(method->options) && !run.converged) ++count;
  }
  return count;
}

/// Appears whole, by one rename. A folder of that name is of a point that was never recorded.
void write_point(const std::string& partial, const std::string& target, const NamedFiles& files) {
  std::error_code error;
  fs::create_directories(partial, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", partial, error.message()));
  for (const auto& [name, contents] : files)
    write_file((fs::path(partial) / name).string(), contents, Durable::later);
  fs::remove_all(fs::path(partial) / "checkpoint", error);
  if (std::rename(partial.c_str(), target.c_str()) == 0) return;
  const std::string old = target + ".old" + partial_suffix;
  fs::remove_all(old, error);
  fs::rename(target, old, error);
  fs::rename(partial, target, error);
  if (error) throw OutputError(fmt::format("cannot rename {}: {}", partial, error.message()));
  fs::remove_all(old, error);
}

/// The points that are left, on threads of their own, and the recording of what they come to on the caller's.
class SweepRunner {
 public:
  SweepRunner(const ScenarioFile& file, const std::string& folder, SweepState& state, DatasetCache& data,
              std::vector<double> seconds, const SweepOptions& options)
      : file_(file),
        folder_(folder),
        state_(state),
        data_(data),
        options_(options),
        seconds_(std::move(seconds)) {
    schemes_ = std::make_shared<SharedSchemes>(static_cast<std::size_t>(options.jobs) + 1);
    schemes_->use_store(std::make_shared<KeyCache>(options.keys));
    state.each([&](const PointRecord& p) {
      if (p.state != PointState::done || !is_there(p)) left_.push_back(p);
    });
    const auto urgency = [&](const PointRecord& p) {  // what is invalid first: it fails at once
      return p.hash.empty() ? std::numeric_limits<double>::infinity() : seconds_[p.point];
    };
    std::stable_sort(left_.begin(), left_.end(),
                     [&](const PointRecord& a, const PointRecord& b) { return urgency(a) > urgency(b); });
    for (const PointRecord& p : left_) all_seconds_ += seconds_[p.point];
    progress_.counts.points = state.counts().points;
    progress_.counts.done = progress_.counts.points - left_.size();
  }

  bool empty() const { return left_.empty(); }

  /// False: stopped before the last point.
  bool run() {
    const std::size_t count = std::min(static_cast<std::size_t>(options_.jobs), left_.size());
    std::vector<std::thread> jobs;
    try {
      for (std::size_t j = 0; j < count; ++j) {
        {
          const std::lock_guard lock(mutex_);
          ++running_;
        }
        jobs.emplace_back([this] { work(); });
      }
      while (record_finished()) {
      }
    } catch (...) {
      end_sweep(std::current_exception());
    }
    for (std::thread& job : jobs) job.join();
    if (fatal_) std::rethrow_exception(fatal_);
    return progress_.counts.done + progress_.counts.failed == progress_.counts.points;
  }

 private:
  /// Somebody may have deleted what was done.
  bool is_there(const PointRecord& p) const {
    std::error_code error;
    return fs::exists(fs::path(folder_) / "points" / p.hash / "summary.json", error);
  }

  void work() {
    try {
      ProcessRuntime runtime(options_.threads, options_.threads * options_.jobs);
      PointRecord point;
      while (take_next(point)) run_point(runtime, point);
    } catch (...) {
      end_sweep(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  bool take_next(PointRecord& point) {
    const std::lock_guard lock(mutex_);
    if (stop_.load() || next_ == left_.size()) return false;
    point = left_[next_++];
    return true;
  }

  void end_sweep(const std::exception_ptr& why) {
    const std::lock_guard lock(mutex_);
    if (!fatal_) fatal_ = why;
    stop_.store(true);
  }

  void run_point(Runtime& runtime, PointRecord& point) {
    const std::string target = (fs::path(folder_) / "points" / point.hash).string();
    const std::string partial = target + partial_suffix;
    bool finished = true;
    try {
      finished = compute_point(runtime, point, partial, target);
    } catch (const OutputError&) {
      end_sweep(std::current_exception());
      return;
    } catch (const std::bad_alloc&) {
      fail(point, "out of memory");
    } catch (const RunError& e) {
      fail(point, e.what());
    } catch (const std::exception& e) {  // it will always be so: what was saved of it helps nobody
      fail(point, e.what());
      std::error_code error;
      if (!point.hash.empty()) fs::remove_all(partial, error);
    }
    if (!finished) return;
    const std::lock_guard lock(mutex_);
    if (point.state == PointState::failed && options_.fail_fast) stop_.store(true);
    finished_.push_back(std::move(point));
    changed_.notify_all();
  }

  /// False: interrupted.
  bool compute_point(Runtime& runtime, PointRecord& point, const std::string& partial,
                     const std::string& target) {
    Experiment experiment = file_.point(point.point, data_);
    if (experiment.hash() != point.hash)
      throw OutputError(
          fmt::format("point {}: its input files changed while the sweep was running", point.point));
    experiment.schemes = schemes_;
    const CheckpointFolder kept(partial + "/checkpoint", point.hash);
    const ExperimentResult result =
        run_experiment(runtime, experiment, {&stop_, nullptr, experiment.run().seeded() ? &kept : nullptr});
    if (result.interrupted) return false;
    write_point(partial, target, output_files(experiment, result.runs, {options_.threads, options_.started}));
    point.state = PointState::done;
    point.error.clear();
    point.not_converged = not_converged(experiment, result.runs);
    return true;
  }

  static void fail(PointRecord& point, const std::string& why) {
    point.state = PointState::failed;
    point.error = why;
    point.not_converged = 0;
  }

  /// Everything that finished since the last time, as one batch. False: nobody runs any more and all is recorded.
  bool record_finished() {
    std::vector<PointRecord> batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, next_commit_, [&] { return running_ == 0; });
      changed_.wait_for(lock, between_commits, [&] { return running_ == 0 || !finished_.empty(); });
      if (options_.interrupt != nullptr && options_.interrupt->load()) stop_.store(true);
      batch.swap(finished_);
      if (batch.empty()) return running_ > 0;
    }
    if (std::any_of(batch.begin(), batch.end(),
                    [](const PointRecord& p) { return p.state == PointState::done; }))
      options_.sync(folder_);
    state_.record(batch);
    next_commit_ = std::chrono::steady_clock::now() + between_commits;
    for (const PointRecord& p : batch) {
      ++(p.state == PointState::done ? progress_.counts.done : progress_.counts.failed);
      progress_.share += seconds_[p.point] / all_seconds_;
    }
    if (options_.told) options_.told(progress_);
    return true;
  }

  const ScenarioFile& file_;
  const std::string& folder_;
  SweepState& state_;
  DatasetCache& data_;
  const SweepOptions& options_;
  std::shared_ptr<SharedSchemes> schemes_;
  std::vector<PointRecord> left_;
  std::vector<double> seconds_;  ///< by point, estimated
  double all_seconds_ = 1e-9;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point next_commit_{};

  std::atomic<bool> stop_{false};
  std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::vector<PointRecord> finished_;
  std::exception_ptr fatal_;
};

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw ScenarioError({folder, 0, 0}, "", why);
}

void refuse_foreign(const std::string& folder) {
  std::error_code error;
  for (const char* name :
       {"manifest.json", "trace.csv", "summary.json", "sweep.csv", "curves.csv", "timings.csv", "points"})
    if (fs::exists(fs::symlink_status(fs::path(folder) / name, error)))
      refuse(folder,
             fmt::format("this folder holds a {} that no state.sqlite explains: choose another --out", name));
}

void refuse_changes(const std::string& folder, const SweepIdentity& was, const SweepIdentity& is) {
  std::vector<std::string> changes = scenario_changes(was.scenario, is.scenario);
  if (changes.empty() && was.scenario != is.scenario)
    changes.emplace_back("the order of axes or methods changed");
  if (was.program != is.program)
    changes.push_back(fmt::format("the program was {}, is {}", was.program, is.program));
  for (const auto& [file, hash] : was.inputs) {
    const auto now = is.inputs.find(file);
    if (now == is.inputs.end())
      changes.push_back(fmt::format("{} cannot be used any more", file));
    else if (now->second != hash)
      changes.push_back(fmt::format("the contents of {} changed", file));
  }
  if (!changes.empty())
    refuse(folder, fmt::format("this folder holds another sweep: {}. Choose another --out, or change it back",
                               fmt::join(changes, "; ")));
}

/// The state of this folder, planned; what is in it already is this sweep. Returns what points are expected to take.
std::vector<double> prepare(SweepState& state, const ScenarioFile& file, const std::string& folder,
                            DatasetCache& data, bool resume) {
  SweepIdentity identity{fmt::format("sotto {} ({})", sotto_version(), sotto_commit()), file.resolved(), {}};
  const auto known = state.identity();
  if (known) {  // what tells without reading any input
    SweepIdentity same_inputs = identity;
    same_inputs.inputs = known->inputs;
    refuse_changes(folder, *known, same_inputs);
    if (!resume) {
      const auto counts = state.counts();
      refuse(folder,
             fmt::format("this sweep is here already, {} of {} points done: --resume goes on, another "
                         "--out starts over",
                         counts.done, counts.points));
    }
  }
  SweepPlan plan = plan_sweep(file, data);
  identity.inputs = plan.inputs;
  if (!known) {
    state.plan(identity, plan.points);
    return std::move(plan.seconds);
  }
  refuse_changes(folder, *known, identity);
  std::vector<PointRecord> mended;  // invalid until now: a file was missing
  state.each([&](const PointRecord& p) {
    const bool known_point = p.point < plan.points.size();
    if (known_point && p.hash.empty() && !plan.points[p.point].hash.empty())
      mended.push_back(plan.points[p.point]);
    else if (!known_point || plan.points[p.point].hash != p.hash)
      refuse(folder, fmt::format("point {} is not what it was: {}", p.point,
                                 p.point < plan.points.size() && !plan.points[p.point].error.empty()
                                     ? plan.points[p.point].error
                                     : "its scenario or inputs changed"));
  });
  if (!mended.empty()) state.mend(identity, mended);
  return std::move(plan.seconds);
}

/// Of points that are done; what was saved of one that failed may be gone on from.
void remove_leftovers(const std::string& folder, const SweepState& state) {
  std::set<std::string> failed;
  state.each([&](const PointRecord& p) {
    if (p.state == PointState::failed) failed.insert(p.hash + partial_suffix);
  });
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "points", error))
    if (entry.path().extension() == partial_suffix && !failed.contains(entry.path().filename().string()))
      leftovers.push_back(entry.path());
  for (const fs::path& path : leftovers) fs::remove_all(path, error);
}

}  // namespace

std::string sweep_hash(const ScenarioFile& file) {
  return sha256_hex(file.resolved());
}

SweepPlan plan_sweep(const ScenarioFile& file, DatasetCache& data,
                     const std::function<void(const PointRecord&, const Experiment*)>& visit) {
  const SweepAxes& axes = file.sweep();
  SweepPlan plan;
  std::map<std::string, std::uint64_t> seen;
  std::exception_ptr first_error;
  for (std::size_t k = 0; k < axes.points(); ++k) {
    PointRecord& point = plan.points.emplace_back();
    point.point = k;
    std::optional<Experiment> experiment;
    try {
      experiment = file.point(k, data);
    } catch (const ScenarioError& e) {
      point.error = e.what();
      if (!first_error) first_error = std::current_exception();
    }
    plan.seconds.push_back(experiment ? estimate(*experiment).seconds : 0);
    if (experiment) {
      point.hash = experiment->hash();
      const auto [other, is_new] = seen.emplace(point.hash, k);
      if (!is_new)
        throw ScenarioError(
            {experiment->source, 0, 0}, "sweep",
            fmt::format("points {} and {} are the same scenario: {}", other->second, k, axes.describe(k)));
      for (const InputFile& input : experiment->inputs) plan.inputs[input.name] = input.sha256;
    }
    if (visit) visit(point, experiment ? &*experiment : nullptr);
  }
  if (seen.empty()) std::rethrow_exception(first_error);
  return plan;
}

SweepOutcome run_sweep(const ScenarioFile& file, const std::string& folder, const SweepOptions& options) {
  file.sweep();
  FolderLock lock(folder);
  const std::string state_path = (fs::path(folder) / "state.sqlite").string();
  const auto there = fs::symlink_status(state_path);
  const bool is_new = !fs::exists(there);
  if (is_new) refuse_foreign(folder);
  if (!is_new && !fs::is_regular_file(there)) refuse(folder, "its state.sqlite is no file");
  DatasetCache data;
  SweepOutcome outcome;
  std::optional<SweepState> state;
  std::vector<double> seconds;
  try {
    state.emplace(state_path);
    seconds = prepare(*state, file, folder, data, options.resume);
  } catch (...) {
    state.reset();
    std::error_code error;
    if (is_new) fs::remove(state_path, error);
    throw;
  }
  lock.keep();
  SweepRunner runner(file, folder, *state, data, std::move(seconds), options);
  outcome.complete = true;
  if (!runner.empty()) {
    if (state->complete()) state->reopen();
    outcome.complete = runner.run();
  }
  outcome.counts = state->counts();
  if (outcome.complete && !state->complete()) {
    remove_leftovers(folder, *state);
    export_sweep(file, folder, *state);
    state->complete_it();
  }
  return outcome;
}

}  // namespace sotto
