// SPDX-License-Identifier: MIT
// A small run to be encrypted in every way, and when two of them are the same.
#pragma once

#include <doctest/doctest.h>

#include "tests/support/experiments.h"

namespace sotto::testing {

inline const std::string encrypted_scenario = R"(
name = "encrypted"
seed = 3
trials = 1
[topology]
agents = 5
average_degree = 3
min_degree = 2
[data]
synthetic = { samples = 40, features = 8, rank = 3, left_mean = 0.033, right_mean = 0.8, noise_variance = 3.6e-4 }
split = { kind = "uniform", min = 4, max = 20 }
held_out = 20
[algorithm]
rank = 3
outer_iterations = 7
stop = "never"
[output]
factors = true
)";

inline MethodResult run_once(const std::vector<Assignment>& settings) {
  const Experiment e = experiment(encrypted_scenario, settings);
  ProcessRuntime workers(2);
  return run_method(workers, Trial(e, 0), e.methods[0]);
}

inline void check_same(const MethodResult& a, const MethodResult& b) {
  REQUIRE(a.observations.size() == b.observations.size());
  for (std::size_t k = 0; k < a.observations.size(); ++k) {
    for (const Figure* figure : trace_figures()) {
      CAPTURE(figure->name);
      CHECK(a.observations[k].figures.all.get(*figure) == b.observations[k].figures.all.get(*figure));
    }
  }
  REQUIRE(a.factors.size() == b.factors.size());
  for (std::size_t k = 0; k < a.factors.size(); ++k) {
    CHECK(a.factors[k].X == b.factors[k].X);
    CHECK(a.factors[k].Y == b.factors[k].Y);
  }
}

}  // namespace sotto::testing
