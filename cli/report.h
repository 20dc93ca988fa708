// SPDX-License-Identifier: MIT
// What commands that write results have in common: when it was, and a table for people.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <vector>

#include "core/results/summary.h"

namespace sotto {

/// ISO 8601, for RunConditions.
inline std::string now_as_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

inline void print_report(const Experiment& experiment, const std::vector<MethodSummary>& summary,
                         const std::string& folder) {
  fmt::print("{}: {} trial{}\n\n{}\nwritten to {}\n", experiment.run().name, experiment.run().trials,
             experiment.run().trials == 1 ? "" : "s", brief_report(summary), folder);
}

}  // namespace sotto
