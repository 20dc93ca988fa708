// SPDX-License-Identifier: MIT
// Part of [algorithm]: rank, iterations and when to stop, for all algorithms that have them.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <cstdint>

#include "base/schema.h"

namespace sotto {

struct IterationOptions {
  std::int64_t rank = 5;
  std::int64_t outer_iterations = 201;
  bool stops = true;  ///< false: stop = "never"
  double tolerance = 3e-3;
  std::int64_t dwell = 5;

  std::uint64_t most_iterations() const { return static_cast<std::uint64_t>(outer_iterations); }
  /// Whether so many quiet iterations in a row end the run.
  bool converged(std::uint64_t quiet) const { return stops && quiet >= static_cast<std::uint64_t>(dwell); }
};

/// rank, outer_iterations
Schema iteration_settings();
/// stop, stop.tolerance, stop.dwell
Schema stopping_settings();

}  // namespace sotto
