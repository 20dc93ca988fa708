// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/kinds.h"
#include "tests/support/repetitions.h"
#include "tests/support/saved_runs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

Bytes final_trace(const std::vector<MethodResult>& runs) {
  Writer w;
  for (const MethodResult& r : runs) {
    for (std::size_t k = 0; k < r.observations.size(); ++k) {
      const Progress p = r.timing.total(k);
      w.put(r.observations[k].iteration);
      w.put(r.observations[k].round);
      w.put(r.observations[k].figures.all.get("nmse"));
      w.put(r.observations[k].figures.all.get("nmse_mean_x"));
      w.put(r.observations[k].figures.all.get("nmse_held_out"));
      w.put(r.observations[k].figures.all.get("consensus_error"));
      r.observations[k].figures.agents.save(w);
      w.put(p.messages);
      w.put(p.bytes);
      w.put(p.seconds);
    }
    for (const FactorView& f : r.factors) {
      w.matrix(f.X);
      w.matrix(f.Y);
    }
  }
  return w.take();
}

}  // namespace

TEST_CASE("ppdnmf: the table of the README, reduced: 4 trials of experiment 1") {
  const auto all = run_and_summarize(
      read_experiment(scenario_file("ppdnmf-experiment1.toml"),
                      {{"trials", repetitions("4", "1")}, {"output.metrics_every", "1000"}}));
  const MethodSummary& centralized = method(all, "centralized");
  CHECK(centralized.figure("nmse").mean == doctest::Approx(0.106).epsilon(0.008 / 0.106));
  CHECK(centralized.figure("consensus_error").max == 0);
  const MethodSummary& local = method(all, "local");
  CHECK(local.figure("nmse").mean < centralized.figure("nmse").mean);
  CHECK(local.figure("gap_percent").mean >= 20);
  const MethodSummary& published = method(all, "published");
  CHECK(published.rounds.mean == 2970);
  CHECK(published.figure("consensus_error").mean >= 0.3);
  const MethodSummary& many = method(all, "corrected-30-inner");
  CHECK(many.rounds.mean == 2970);
  CHECK(many.figure("gap_percent").mean <= 0.1);
  CHECK(many.figure("consensus_error").mean <= 1e-2);
  const MethodSummary& split = method(all, "corrected");
  CHECK(split.rounds.mean == 200);
  CHECK(split.figure("gap_percent").mean <= 0.3);
  CHECK(split.figure("gap_percent").max <= 1);
  CHECK(split.figure("consensus_error").mean <= 0.1);
  const MethodSummary& accelerated = method(all, "accelerated");
  CHECK(accelerated.figure("gap_percent").mean <= 0.3);
  CHECK(accelerated.figure("gap_percent").max <= 1);
  CHECK(accelerated.figure("consensus_error").mean <= 0.1);
  CHECK(accelerated.figure("messages").mean > split.figure("messages").mean);  // the max-consensus of kappa
  const MethodSummary& nonnegative = method(all, "nonnegative");
  CHECK(nonnegative.figure("gap_percent").mean <= 0.3);
  CHECK(nonnegative.figure("gap_percent").max <= 1);
  CHECK(nonnegative.figure("consensus_error").mean <= 2e-2);
}

TEST_CASE("ppdnmf: messages, bytes and simulated time agree with a calculation by hand") {
  const Experiment e = experiment(small_scenario, {{"trials", "1"},
                                                   {"link.latency_ms", "10"},
                                                   {"link.bandwidth_mbit", "8"},
                                                   {"cost.flop", "0"},
                                                   {"cost.plain_encrypt", "0"},
                                                   {"cost.plain_respond", "0"},
                                                   {"cost.plain_decrypt", "0"}});
  ProcessRuntime workers(2);
  const auto run = run_experiment(workers, e).runs.front();
  const std::size_t directed = 2 * 9;          // 6 agents of average degree 3: 9 edges
  const std::size_t message = 8 + 8 * 12 * 3;  // stop flag, then 12 x 3 entries of 8 bytes
  const Progress end = run.timing.total(run.timing.at.size() - 1);
  CHECK(end.messages == 30 * 2 * directed);  // 30 rounds of a request and a reply
  CHECK(end.bytes == end.messages * message);
  CHECK(end.seconds == doctest::Approx(30 * 2 * (10e-3 + static_cast<double>(message) / 1e6)).epsilon(1e-9));
}

TEST_CASE("ppdnmf: acceleration changes nothing of what is sent, and takes fewer rounds") {
  std::map<std::string, MethodSummary> by_kind;
  for (const char* kind : {"none", "inertial"}) {
    Experiment e =
        read_experiment(scenario_file("ppdnmf-experiment1.toml"), {{"trials", "6"},
                                                                   {"seed", "5"},
                                                                   {"algorithm.acceleration", kind},
                                                                   {"algorithm.outer_iterations", "36"},
                                                                   {"output.metrics_every", "1000"}});
    std::erase_if(e.methods,
                  [](const Method& m) { return m.name != "corrected" && m.name != "centralized"; });
    by_kind[kind] = method(run_and_summarize(e), "corrected");
  }
  const MethodSummary& plain = by_kind["none"];
  const MethodSummary& inertial = by_kind["inertial"];
  CHECK(inertial.figure("messages").mean == plain.figure("messages").mean);
  CHECK(inertial.figure("bytes").mean == plain.figure("bytes").mean);
  CHECK(inertial.figure("sim_seconds").mean >
        plain.figure("sim_seconds").mean);  // three local turns are computed
  CHECK(inertial.figure("gap_percent").mean < 0.5 * plain.figure("gap_percent").mean);
}

TEST_CASE("ppdnmf: a strong start keeps agents from giving one column to different parts of the data") {
  // without it these instances stay at gaps of 9 to 50 %
  const Experiment e = experiment(R"(
seed = 3
trials = 100
[topology]
agents = 10
average_degree = 3
[data]
synthetic = { samples = 200, features = 30, rank = 5, left_mean = 0.033, right_mean = 0.8, noise_variance = 3.6e-4 }
split = { kind = "uniform", min = 4, max = 40 }
[algorithm]
outer_iterations = 121
penalty = "scale-free"
stop = "never"
[output]
metrics_every = 200
[[method]]
name = "fixed"
set = { "algorithm.penalty" = 0.1, "algorithm.mu" = 0.01 }
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized", "algorithm.penalty" = 0.1, "algorithm.mu" = 0.1, "algorithm.right_factor" = "admm", "algorithm.inner_iterations" = 30, "algorithm.outer_iterations" = 60 }
)");
  ProcessRuntime workers(2);
  for (const std::uint64_t number : {4, 8, 13}) {
    const Trial trial(e, number);
    const auto error = [&](std::size_t method) {
      return run_method(workers, trial, e.methods[method]).observations.back().figures.all.get("nmse_mean_x");
    };
    const double reference = error(2);
    CHECK(error(0) < 1.01 * reference);
    CHECK(error(1) < 1.01 * reference);
  }
}

TEST_CASE("ppdnmf: the stopping rule ends all agents after the same round, near the centralized error") {
  Experiment e = read_experiment(scenario_file("ppdnmf-synthetic.toml"),
                                 {{"trials", "4"},
                                  {"algorithm.stop", "{ tolerance = 3e-3, dwell = 5 }"},
                                  {"algorithm.outer_iterations", "1000"},
                                  {"output.metrics_every", "1000"}});
  std::erase_if(e.methods, [](const Method& m) { return m.name == "published" || m.name == "local"; });
  e.methods[1].options.edit<IterationOptions>().outer_iterations = 100;
  const auto all = run_and_summarize(e);
  const MethodSummary& corrected = method(all, "corrected");
  CHECK(corrected.converged == 4);
  CHECK(corrected.rounds.mean > 30);
  CHECK(corrected.rounds.mean < 150);
  CHECK(corrected.figure("gap_percent").mean < 1);
}

TEST_CASE("ppdnmf: with many inner iterations, settling within an X step is not convergence") {
  Experiment e = read_experiment(scenario_file("ppdnmf-synthetic.toml"),
                                 {{"trials", "3"},
                                  {"algorithm.stop", "{ tolerance = 3e-3, dwell = 5 }"},
                                  {"algorithm.inner_iterations", "30"},
                                  {"algorithm.outer_iterations", "300"},
                                  {"output.metrics_every", "1000"}});
  std::erase_if(e.methods, [](const Method& m) { return m.name == "published" || m.name == "local"; });
  const auto all = run_and_summarize(e);
  CHECK(method(all, "corrected").iterations.min > 10);
  CHECK(method(all, "corrected").figure("gap_percent").max < 3);
}

TEST_CASE("ppdnmf: a scale-free penalty that rounds away is an error, not a local run") {
  ProcessRuntime workers(2);
  const Experiment e = experiment(
      small_scenario, {{"algorithm.penalty", "scale-free"}, {"algorithm.penalty_factor", "1e-12"}});
  CHECK_THROWS_WITH_AS(run_experiment(workers, e), doctest::Contains("raise exchange.penalty_bits"),
                       CryptoError);
}

TEST_CASE(
    "ppdnmf: scale-free penalties leave the gap to centralized what it is, whatever the scale of the data") {
  const std::string text = small_scenario +
                           "[[method]]\nname = \"reference\"\nset = { \"algorithm.name\" = \"centralized\", "
                           "\"algorithm.inner_iterations\" = 10 }\n";
  for (const char* mean : {"8e-3", "0.8", "80"}) {
    const double scale = std::stod(mean) / 0.8;
    const auto all = run_and_summarize(
        experiment(text, {{"algorithm.penalty", "scale-free"},
                          {"algorithm.penalty_factor", "0.5"},
                          {"algorithm.outer_iterations", "151"},
                          {"exchange.penalty_bits", "24"},
                          {"data.synthetic.right_mean", mean},
                          {"data.synthetic.noise_variance", fmt::format("{}", 3.6e-4 * scale * scale)}}));
    CAPTURE(scale);
    CHECK(std::abs(method(all, "corrected").figure("gap_percent").mean) < 3);
  }
}

TEST_CASE(
    "ppdnmf: a saved boundary state, started again, gives the same bytes as the run that was not "
    "interrupted") {
  for (const char* variant : {"corrected", "published"})
    for (const char* right : {"hals", "admm"})
      for (const char* penalty : {"0.1", "\"scale-free\""}) {
        CAPTURE(variant);
        CAPTURE(right);
        CAPTURE(penalty);
        const Experiment e =
            experiment(small_scenario, {{"algorithm.variant", variant},
                                        {"algorithm.right_factor", right},
                                        {"algorithm.penalty", penalty},
                                        {"algorithm.inner_iterations", "2"},
                                        {"output.factors", "true"},
                                        {"algorithm.stop", "{ tolerance = 0.02, dwell = 3 }"}});
        SavedRun run(e, 1, 1);
        const std::size_t saved = run.boundaries();
        REQUIRE(saved > 3);
        for (const std::size_t at : {std::size_t{0}, std::size_t{1}, saved / 2, saved - 2, saved - 1}) {
          const MethodResult rest = run.resumed(at);
          CHECK(final_trace({rest}) == final_trace({run.whole}));
          CHECK(rest.converged == run.whole.converged);
        }
      }
}

TEST_CASE("checkpoint: damaged bytes are refused") {
  const Experiment e = experiment(small_scenario, {{"algorithm.outer_iterations", "3"}});
  ProcessRuntime workers(1);
  const Trial trial(e, 0);
  Bytes saved;
  MethodOptions options;
  options.checkpoint_every = 2;
  options.save = [&](const Checkpoint& c) { saved = c.save(); };
  run_method(workers, trial, e.methods[0], options);
  REQUIRE(!saved.empty());
  for (std::size_t size = 0; size < saved.size(); size += 1 + size / 50)
    CHECK_THROWS_AS(Checkpoint::load({saved.data(), size}), FormatError);
  saved[10] ^= 1;
  CHECK_THROWS_AS(Checkpoint::load(saved), FormatError);
}

TEST_CASE("ppdnmf: byte-identical for 1, 2 and 8 threads and across repeats, on every generator") {
  for (const char* generator : {"random", "ring", "star", "complete", "tree", "grid", "path"}) {
    CAPTURE(generator);
    const Experiment e =
        experiment(small_scenario, {{"topology.generator", generator}, {"output.factors", "true"}});
    Bytes expected;
    for (const int threads : {1, 2, 8, 2}) {
      ProcessRuntime workers(threads);
      const Bytes bytes = final_trace(run_experiment(workers, e).runs);
      if (expected.empty()) expected = bytes;
      CHECK(bytes == expected);
    }
  }
}

TEST_CASE(
    "ppdnmf: ones are a saddle (all columns of X stay equal until rounding breaks the tie), a random start "
    "is not") {
  const auto spread_of_columns = [](const char* initialization) {
    ProcessRuntime workers(2);
    const auto runs =
        run_experiment(workers, experiment(small_scenario, {{"algorithm.initialization", initialization},
                                                            {"algorithm.acceleration", "none"},
                                                            {"algorithm.right_factor", "admm"},
                                                            {"algorithm.outer_iterations", "6"},
                                                            {"output.factors", "true"}}))
            .runs;
    const Matrix& X = runs.front().factors.front().X;
    return (X.col(0) - X.col(1)).norm() / X.norm();
  };
  CHECK(spread_of_columns("ones") < 1e-6);
  CHECK(spread_of_columns("random") > 0.1);
}

TEST_CASE(
    "ppdnmf: scale-free penalties follow the data's scale: the same errors for data a thousand times as "
    "large") {
  const std::vector<Assignment> base{{"algorithm.penalty", "\"scale-free\""},
                                     {"algorithm.penalty_factor", "0.5"},
                                     {"algorithm.outer_iterations", "101"}};
  auto larger = base;
  larger.emplace_back("data.synthetic.right_mean", "800");
  larger.emplace_back("data.synthetic.noise_variance", "360");
  const auto small = run_and_summarize(experiment(small_scenario, base));
  const auto large = run_and_summarize(experiment(small_scenario, larger));
  CHECK(small[0].figure("nmse_mean_x").mean < 0.2);
  CHECK(large[0].figure("nmse_mean_x").mean ==
        doctest::Approx(small[0].figure("nmse_mean_x").mean).epsilon(0.05));
}

TEST_CASE("ppdnmf: one agent alone is the local algorithm with a longer name") {
  const auto one = run_and_summarize(experiment(small_scenario, {{"topology.agents", "1"},
                                                                 {"data.split", "{ kind = \"even\" }"},
                                                                 {"algorithm.stop", "{ dwell = 3 }"}}));
  CHECK(one[0].figure("consensus_error").max == 0);
  CHECK(one[0].figure("messages").max == 0);
  CHECK(one[0].figure("nmse").mean == doctest::Approx(one[0].figure("nmse_mean_x").mean).epsilon(0.02));
}

TEST_CASE("ppdnmf: the labels say what is insecure") {
  const auto all =
      run_and_summarize(experiment(small_scenario, {{"algorithm.variant", "published"}, {"trials", "1"}}));
  CHECK(all[0].name == "published");
  REQUIRE(all[0].labels.size() == 3);
  CHECK(all[0].labels[0].find("no encryption") == 0);
  CHECK(all[0].labels[1].find("gcd") != std::string::npos);
  CHECK(all[0].labels[2].find("in clear") != std::string::npos);
}

TEST_CASE("algorithms: every one in the table runs on a small scenario and lowers the objective") {
  for (const AlgorithmKind* kind : algorithms()) {
    CAPTURE(kind->name);
    ProcessRuntime workers(2);
    const auto runs =
        run_experiment(workers, experiment(small_scenario, {{"algorithm.name", std::string(kind->name)},
                                                            {"secure_sum.kind", "shares"}}))
            .runs;
    for (const MethodResult& r : runs) {
      REQUIRE(r.observations.size() == 31);
      CHECK(r.observations.back().figures.all.get("objective") <
            r.observations.front().figures.all.get("objective"));
    }
  }
}

TEST_CASE("runner: an interrupt stops at a boundary") {
  std::atomic<bool> interrupt{true};
  ProcessRuntime workers(2);
  ExperimentOptions options;
  options.interrupt = &interrupt;
  CHECK(run_experiment(workers, experiment(), options).interrupted);
}

TEST_CASE("runner: a value out of range in one trial is that trial's error, named") {
  ProcessRuntime workers(2);
  const Experiment e = experiment(small_scenario, {{"exchange.max_abs", "0.9"}, {"trials", "6"}});
  CHECK_THROWS_WITH_AS(run_experiment(workers, e), doctest::Contains("exchange.max_abs = 0.9"), CryptoError);
}
