// SPDX-License-Identifier: MIT
// Small experiments for tests.
#pragma once

#include <string>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"
#include "core/results/summary.h"

namespace sotto::testing {

/// Experiment 1 of the paper, small enough to run many times.
inline const std::string small_scenario = R"(
name = "small"
seed = 3
trials = 2
[topology]
agents = 6
average_degree = 3
[data]
synthetic = { samples = 60, features = 12, rank = 3, left_mean = 0.033, right_mean = 0.8, noise_variance = 3.6e-4 }
split = { kind = "uniform", min = 4, max = 20 }
held_out = 20
[algorithm]
rank = 3
outer_iterations = 31
penalty = 0.1
mu = 0.01
stop = "never"
)";

inline Experiment experiment(const std::string& text = small_scenario,
                             const std::vector<Assignment>& settings = {}) {
  return parse_experiment(text, "test.toml", "", settings);
}

inline std::string scenario_file(const std::string& name) {
  return std::string(SOTTO_SOURCE_DIR) + "/scenarios/" + name;
}

inline std::vector<MethodSummary> run_and_summarize(const Experiment& e, int threads = 2) {
  ProcessRuntime workers(threads);
  return summarize(e, run_experiment(workers, e).runs);
}

/// Of what output_files() returns.
inline const std::string& content(const std::vector<std::pair<std::string, std::string>>& files,
                                  const std::string& name) {
  for (const auto& [file, text] : files)
    if (file == name) return text;
  throw RunError("no file " + name);
}

inline const MethodSummary& method(const std::vector<MethodSummary>& all, const std::string& name) {
  for (const MethodSummary& m : all)
    if (m.name == name) return m;
  throw RunError("no method " + name);
}

}  // namespace sotto::testing
