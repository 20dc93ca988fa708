// SPDX-License-Identifier: MIT
// Every figure of the README's table (experiment 1, stopping off), on 20 trials, within its brackets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/experiments.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const std::vector<MethodSummary>& table() {
  static const auto all = run_and_summarize(read_experiment(scenario_file("ppdnmf-experiment1.toml")));
  return all;
}

/// First observed round from which on the gap, averaged over trials, stays below 1 %.
double rounds_to_one_percent(const Experiment& e) {
  ProcessRuntime workers(2);
  const auto runs = run_experiment(workers, e).runs;
  std::map<std::uint64_t, double> gap;  // by round
  for (std::size_t t = 0; t + 1 < runs.size(); t += 2) {
    const double reference = runs[t + 1].observations.back().figures.all.get("nmse_mean_x");
    for (const Observation& o : runs[t].observations)
      gap[o.round] += o.figures.all.get("nmse_mean_x") / reference - 1;
  }
  double since = HUGE_VAL;
  const double trials = static_cast<double>(runs.size()) / 2;
  for (const auto& [round, sum] : gap) {
    if (sum / trials >= 0.01)
      since = HUGE_VAL;
    else if (since == HUGE_VAL)
      since = static_cast<double>(round);
  }
  return since;
}

Experiment against_centralized(std::vector<Assignment> settings) {
  settings.emplace_back("output.metrics_every", "1");
  Experiment e = read_experiment(scenario_file("ppdnmf-experiment1.toml"), settings);
  std::erase_if(e.methods, [](const Method& m) { return m.name != "corrected" && m.name != "centralized"; });
  e.methods[1].options.edit<OutputOptions>().metrics_every = 100;
  return e;
}

}  // namespace

TEST_CASE("table: centralized, 100 x 30: nmse .106 +- .008") {
  const MethodSummary& m = method(table(), "centralized");
  CHECK(std::abs(m.figure("nmse").mean - 0.106) <= 0.008);
  CHECK(m.figure("nmse_mean_x").mean == doctest::Approx(m.figure("nmse").mean).epsilon(0.001));
  CHECK(m.figure("consensus_error").max == 0);
  CHECK(m.rounds.max == 0);
}

TEST_CASE("table: local only: nmse below centralized, gap of nmse_mean_x at least 20 %") {
  const MethodSummary& m = method(table(), "local");
  CHECK(m.figure("nmse").mean < method(table(), "centralized").figure("nmse").mean);
  CHECK(m.figure("gap_percent").mean >= 20);
  CHECK(m.rounds.max == 0);
}

TEST_CASE("table: published, g = .033, 30 inner: 2970 rounds and nearly no consensus") {
  const MethodSummary& m = method(table(), "published");
  CHECK(m.rounds.min == 2970);
  CHECK(m.rounds.max == 2970);
  CHECK(m.figure("consensus_error").mean >= 0.3);
  CHECK(m.figure("nmse").mean < method(table(), "centralized").figure("nmse").mean);
  CHECK(m.figure("gap_percent").mean > 5);
}

TEST_CASE("table: corrected, g = .033, 30 inner: gap at most .1 %, consensus error at most 1e-2") {
  const MethodSummary& m = method(table(), "corrected-30-inner");
  CHECK(m.rounds.max == 2970);
  CHECK(m.figure("gap_percent").mean <= 0.1);
  CHECK(m.figure("consensus_error").mean <= 1e-2);
}

TEST_CASE(
    "table: corrected split, g = .1, 1 inner: gap at most .3 %, each trial at most 1 %, consensus at most "
    ".1") {
  const MethodSummary& m = method(table(), "corrected");
  CHECK(m.rounds.max == 200);
  CHECK(m.figure("gap_percent").mean <= 0.3);
  CHECK(m.figure("gap_percent").max <= 1);
  CHECK(m.figure("consensus_error").mean <= 0.1);
}

TEST_CASE("table: accelerated, scale-free: gap at most .3 %, each trial at most 1 %, consensus at most .1") {
  const MethodSummary& m = method(table(), "accelerated");
  CHECK(m.rounds.max == 200);
  CHECK(m.figure("gap_percent").mean <= 0.3);
  CHECK(m.figure("gap_percent").max <= 1);
  CHECK(m.figure("consensus_error").mean <= 0.1);
}

TEST_CASE("table: corrected nonnegative, g = .15, 1 inner: the same gap, consensus at most 2e-2") {
  const MethodSummary& m = method(table(), "nonnegative");
  CHECK(m.rounds.max == 200);
  CHECK(m.figure("gap_percent").mean <= 0.3);
  CHECK(m.figure("gap_percent").max <= 1);
  CHECK(m.figure("consensus_error").mean <= 2e-2);
}

TEST_CASE("rounds until the mean gap stays below 1 %") {
  const double split = rounds_to_one_percent(against_centralized({}));
  const double nonnegative = rounds_to_one_percent(
      against_centralized({{"algorithm.left_factor", "nonnegative"}, {"algorithm.penalty", "0.15"}}));
  const double scale_free = rounds_to_one_percent(
      against_centralized({{"algorithm.penalty", "scale-free"}, {"algorithm.penalty_factor", "0.5"}}));
  MESSAGE("split ", split, ", nonnegative ", nonnegative, ", scale-free ", scale_free);
  // Twenty trials say it only roughly: over seeds 1 to 6, split 50 to 74, nonnegative 52 to 113, scale-free 71 to 123.
  CHECK(split <= 90);
  CHECK(nonnegative <= 90);
  CHECK(scale_free <= 150);
}

TEST_CASE(
    "rounds until the mean gap stays below 1 %, accelerated: at most 56, on seeds that nothing was tuned "
    "on") {
  for (const char* seed : {"2026", "2027", "2028"}) {
    const double rounds = rounds_to_one_percent(against_centralized(
        {{"seed", seed}, {"algorithm.acceleration", "inertial"}, {"algorithm.penalty", "scale-free"}}));
    MESSAGE("seed ", std::string(seed), ": ", rounds, " rounds");
    CHECK(rounds <= 56);  // the aim is 40
  }
}

TEST_CASE(
    "a slow instance is slow, not lost: seed 77, trial 1176 oscillates at 200 rounds and is there at 800") {
  const Experiment e =
      read_experiment(scenario_file("ppdnmf-experiment1.toml"), {{"seed", "77"},
                                                                 {"trials", "1500"},
                                                                 {"algorithm.outer_iterations", "801"},
                                                                 {"output.metrics_every", "200"}});
  ProcessRuntime workers(2);
  const Trial trial(e, 1176);
  const auto find = [&](const char* name) {
    return *std::ranges::find_if(e.methods, [&](const Method& m) { return m.name == name; });
  };
  const double reference =
      run_method(workers, trial, find("centralized")).observations.back().figures.all.get("nmse_mean_x");
  const auto seen = run_method(workers, trial, find("corrected")).observations;
  CHECK(100 * (seen.front().figures.all.get("nmse_mean_x") / reference - 1) > 1);
  CHECK(100 * (seen.back().figures.all.get("nmse_mean_x") / reference - 1) < 0.3);
  CHECK(seen.back().figures.all.get("consensus_error") < 0.1);
}

TEST_CASE("a thousand agents: messages, bytes, diameter and time as the README calculates them") {
  const auto all = run_and_summarize(
      read_experiment(scenario_file("ppdnmf-thousand.toml"), {{"cost.flop", "0"},
                                                              {"cost.plain_encrypt", "0"},
                                                              {"cost.plain_respond", "0"},
                                                              {"cost.plain_decrypt", "0"},
                                                              {"output.events", "false"},
                                                              {"output.metrics_every", "201"}}));
  const MethodSummary& m = all.front();
  const double links = 2 * 4789;
  const double diameter = 34;
  CHECK(m.network[1].spread.mean == 4789);
  CHECK(m.network[2].figure->name == "diameter");
  CHECK(m.network[2].spread.mean == diameter);
  CHECK(m.figure("messages").mean == links * (400 + diameter));
  CHECK(m.figure("bytes").mean == links * (400 * 808 + diameter * 8));
  CHECK(m.figure("sim_seconds").mean ==
        doctest::Approx(400 * (5e-3 + 808 / 1.25e6) + diameter * (5e-3 + 8 / 1.25e6)).epsilon(1e-9));
}
