// SPDX-License-Identifier: MIT
// What a run keeps on disk of work that is not finished: for every method in every trial its result, or the last boundary
// it was saved at. One file each, whole or not at all, that says which scenario and which build of the program it belongs to.
// A run that finds them goes on from there and ends in the same bytes.
// Threading: different methods and trials may be saved and loaded at the same time.
// Tests: tests/core/experiment/checkpoint_test.cpp
#pragma once

#include <optional>
#include <string>

#include "core/experiment/checkpoint.h"
#include "core/experiment/method_result.h"

namespace sotto {

class CheckpointFolder {
 public:
  /// Made when the first file is saved. `scenario_hash`: Experiment::hash().
  CheckpointFolder(std::string path, const std::string& scenario_hash);

  /// At most one of them.
  struct Saved {
    std::optional<Checkpoint> boundary;
    std::optional<MethodResult> result;
  };
  /// Nothing where nothing was saved. RunError for a file of another scenario or another build, and for one that is
  /// damaged, which is deleted.
  Saved load(std::uint64_t trial, std::size_t method) const;

  /// OutputError if there is no room; what was saved before is still there then.
  void save(std::uint64_t trial, std::size_t method, const Checkpoint& boundary) const;
  void save(std::uint64_t trial, std::size_t method, const MethodResult& result) const;

  bool empty() const;
  /// When the results are written.
  void remove() const;

  const std::string& path() const { return path_; }

 private:
  std::string file(std::uint64_t trial, std::size_t method) const;
  void write(std::uint64_t trial, std::size_t method, char kind, const Bytes& contents) const;

  std::string path_;
  std::string identity_;
};

}  // namespace sotto
