// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/duration.h"
#include "cli/say.h"

namespace sotto {

namespace {

constexpr double seconds_between_lines = 5;
constexpr double seconds_between_redraws = 0.2;
constexpr double weight_of_metrics = 40;  // rounds that a refit takes, about

}  // namespace

ProgressLine::ProgressLine(const Experiment& experiment)
    : trials_(static_cast<double>(experiment.trials())),
      terminal_(::isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()),
      last_shown_(started_) {
  for (const Method& m : experiment.methods) {
    const Workload work = algorithm_of(m.options).workload(m.options, {});
    const double refits = 1.0 / static_cast<double>(experiment.output().metrics_every);
    work_.push_back(
        {m.name, work.iterations, std::max(1.0, work.exchange_rounds) + weight_of_metrics * refits});
    total_ += trials_ * work_.back().iterations * work_.back().weight;
  }
  iterations_.assign(work_.size() * experiment.trials(), 0.0);
}

ProgressLine::~ProgressLine() {
  if (terminal_ && shown_) say("\r\033[K");
}

void ProgressLine::boundary(std::uint64_t trial, std::size_t method) {
  iterations_[trial * work_.size() + method] += 1;
  done_ += work_[method].weight;
  show(trial, method);
}

void ProgressLine::method_done(std::uint64_t trial, std::size_t method) {
  // one that stopped early is as done as one that ran to its limit
  done_ += (work_[method].iterations - iterations_[trial * work_.size() + method]) * work_[method].weight;
  if (method + 1 == work_.size()) trials_done_ += 1;
}

void ProgressLine::show(std::uint64_t trial, std::size_t method) {
  const auto now = std::chrono::steady_clock::now();
  const double since = std::chrono::duration<double>(now - last_shown_).count();
  if (since < (terminal_ ? seconds_between_redraws : seconds_between_lines)) return;
  last_shown_ = now;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const double left = elapsed * (total_ - done_) / std::max(done_, 1.0);
  say(fmt::format("{}{:.0f} of {:.0f} trials done, {:.0f} %; trial {}: {} {:.0f} of {:.0f}; about {} left{}",
                  terminal_ ? "\r\033[K" : "", trials_done_, trials_, 100 * done_ / total_, trial,
                  work_[method].name, iterations_[trial * work_.size() + method], work_[method].iterations,
                  duration_text(left), terminal_ ? "" : "\n"));
}

}  // namespace sotto
