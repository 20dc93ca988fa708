// SPDX-License-Identifier: MIT
// Progress with an estimate on stderr: a line that rewrites itself on a terminal, else a line every few
// seconds.
#pragma once

#include <chrono>
#include <vector>

#include "core/experiment/runner.h"

namespace sotto {

class ProgressLine final : public ProgressWatcher {
 public:
  explicit ProgressLine(const Experiment& experiment);
  ~ProgressLine() override;

  void boundary(std::uint64_t trial, std::size_t method) override;
  void method_done(std::uint64_t trial, std::size_t method) override;

 private:
  /// Rounds and refits differ between methods: an iteration weighs what it computes, roughly.
  struct Work {
    std::string name;
    double iterations;  ///< per trial, at most
    double weight;      ///< of one
  };

  void show(std::uint64_t trial, std::size_t method);

  std::vector<Work> work_;
  std::vector<double> iterations_;  ///< by trial and method: done so far
  double total_ = 0;
  double done_ = 0;
  double trials_;
  double trials_done_ = 0;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_shown_;
};

}  // namespace sotto
