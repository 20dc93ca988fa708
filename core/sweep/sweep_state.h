// SPDX-License-Identifier: MIT
// state.sqlite of a sweep's folder: whose sweep it is, and what became of every point. Points are identified by the hash of
// their resolved scenario and inputs.
//
// Changes come in batches, each one transaction: whatever happens, the file holds what the last batch left. A point is
// `done` only after its files are on disk (the caller sees to that), so a power cut may lose the last batch and nothing else.
// When the sweep is complete the file is written anew in the order of points: the same sweep ends in the same bytes, however
// often it was interrupted.
// Threading: belongs to one thread.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sotto {

class SqliteDatabase;

/// What a sweep is, as far as its results depend on it.
struct SweepIdentity {
  std::string program;                        ///< version and commit
  std::string scenario;                       ///< resolved, with its axes
  std::map<std::string, std::string> inputs;  ///< SHA-256 by name
};

enum class PointState { pending, done, failed };

struct PointRecord {
  std::uint64_t point = 0;
  std::string hash;  ///< empty: no valid scenario
  PointState state = PointState::pending;
  std::string error;                ///< of a point that failed
  std::uint64_t not_converged = 0;  ///< trials and methods that ran to their limit
};

class SweepState {
 public:
  enum class Access { change, look };
  /// Opened, or, to change it, made and empty. OutputError if that cannot be, RunError if the file is damaged, ScenarioError if
  /// it is the database of something else.
  explicit SweepState(std::string path, Access access = Access::change);
  ~SweepState();
  SweepState(const SweepState&) = delete;

  /// None: nothing was ever planned here.
  std::optional<SweepIdentity> identity() const;
  /// All at once or not at all.
  void plan(const SweepIdentity& identity, const std::vector<PointRecord>& points);
  /// Points that were no valid scenario and are now, with their inputs.
  void mend(const SweepIdentity& identity, const std::vector<PointRecord>& points);
  /// One transaction.
  void record(const std::vector<PointRecord>& batch);
  /// In their order.
  void each(const std::function<void(const PointRecord&)>& visit) const;
  struct Counts {
    std::uint64_t points = 0, done = 0, failed = 0, not_converged = 0;
  };
  Counts counts() const;

  /// Nothing is pending and the file was written anew.
  bool complete() const;
  /// Writes the file anew; on disk when the call returns.
  void complete_it();
  /// Some points are run again.
  void reopen();

 private:
  std::string path_;
  std::unique_ptr<SqliteDatabase> database_;
};

}  // namespace sotto
