// SPDX-License-Identifier: MIT
// How long an experiment will take and how much memory, before it runs: for `sotto sweep --dry-run`. From the sizes of the
// data and the graph and what operations take on the reference machine; within a factor of two or three, not better.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include "core/experiment/experiment.h"

namespace sotto {

struct Estimate {
  double seconds = 0;  ///< of one processor
  double bytes = 0;
};

Estimate estimate(const Experiment& experiment, int threads = 1);

}  // namespace sotto
