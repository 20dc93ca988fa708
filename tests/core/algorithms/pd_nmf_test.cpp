// SPDX-License-Identifier: MIT
// PD-NMF equals the centralized RRI-NMF, whatever the graph and the secure sum; WR-NMF; starts; ratings; bad input.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/algorithms/kinds.h"
#include "core/algorithms/topic_start.h"
#include "network/topology/analysis.h"
#include "tests/support/saved_runs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const std::string nmf_scenario = R"(
name = "sums"
seed = 3
[topology]
generator = "complete"
agents = 5
[data]
synthetic = { samples = 60, features = 14, rank = 4, left_mean = 0.5, right_mean = 0.8, noise_variance = 1e-3 }
split = { kind = "uniform", min = 4, max = 20 }
held_out = 20
[algorithm]
name = "pd-nmf"
solver = "rri"
rank = 4
outer_iterations = 100
stop = "never"
[output]
factors = true
metrics_every = 50
)";

const std::string ratings_scenario = R"(
name = "ratings"
seed = 5
[topology]
generator = "ring"
agents = 4
[data]
source = "synthetic-ratings"
synthetic = { samples = 80, features = 30, rank = 3, density = 0.4, noise_variance = 0.05 }
held_out_entries = 0.2
[algorithm]
name = "pd-nmf"
solver = "rri"
weights = "observed"
gamma = 0.01
delta = 0.1
rank = 3
outer_iterations = 60
stop = "never"
[application]
kind = "ratings"
[output]
factors = true
metrics_every = 60
)";

MethodResult run(const std::string& text, const std::vector<Assignment>& settings) {
  return run_first_method(experiment(text, settings));
}

double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).norm() / b.norm();
}

}  // namespace

TEST_CASE(
    "theorem 1: on every graph and by every secure sum, T equals the centralized T to 1e-9 over 100 sweeps") {
  const MethodResult centralized = run(nmf_scenario, {{"algorithm.name", "\"centralized\""}});
  for (const GeneratorEntry& generator : generators())
    for (const char* kind : {"edge-masks", "shares", "paillier-tree"}) {
      std::vector<Assignment> settings{{"topology.generator", fmt::format("\"{}\"", generator.name)},
                                       {"topology.average_degree", "4"},
                                       {"topology.agents", "6"},
                                       {"secure_sum.kind", fmt::format("\"{}\"", kind)},
                                       {"exchange.key_bits", "256"}};
      INFO(generator.name << ", " << kind);
      if (std::string_view(kind) == "edge-masks") {
        std::vector<Assignment> other = settings;
        other[3].second = "\"shares\"";
        if (!cut_vertices(experiment(nmf_scenario, other).topology(0)).empty()) {
          CHECK_THROWS_WITH_AS(experiment(nmf_scenario, settings), doctest::Contains("secure_sum.kind"),
                               ScenarioError);
          continue;
        }
      }
      const MethodResult distributed = run(nmf_scenario, settings);
      REQUIRE(distributed.factors.size() == 6);
      for (const FactorView& party : distributed.factors) {
        CHECK(party.X == distributed.factors[0].X);
        CHECK(relative_difference(party.X, centralized.factors[0].X) <= 1e-9);
      }
    }
}

TEST_CASE(
    "theorem 1 holds with regularization, on the simplex, with negative curvature, and for observed "
    "entries") {
  const std::vector<std::vector<Assignment>> variants{
      {{"algorithm.alpha", "0.05"},
       {"algorithm.beta", "0.2"},
       {"algorithm.gamma", "0.01"},
       {"algorithm.delta", "0.1"}},
      {{"algorithm.topics", "\"simplex\""}},
      {{"algorithm.topics", "\"simplex\""}, {"algorithm.beta", "-1.0"}},
      {{"algorithm.initialization", "\"nndsvd\""}},
  };
  for (const auto& variant : variants) {
    std::vector<Assignment> one_place = variant;
    one_place.push_back({"algorithm.name", "\"centralized\""});
    const Matrix whole = run(nmf_scenario, one_place).factors[0].X;
    CHECK(relative_difference(run(nmf_scenario, variant).factors[2].X, whole) <= 1e-9);
  }
  const Matrix whole = run(ratings_scenario, {{"algorithm.name", "\"centralized\""}}).factors[0].X;
  CHECK(relative_difference(run(ratings_scenario, {}).factors[3].X, whole) <= 1e-9);
}

TEST_CASE("with alpha > 0 topics that no party uses become 0, by every secure sum") {
  // gamma is above every entry of X T': all weights are 0
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    for (const std::string& text : {nmf_scenario, ratings_scenario}) {
      std::vector<Assignment> settings{{"secure_sum.kind", fmt::format("\"{}\"", kind)},
                                       {"exchange.key_bits", "256"},
                                       {"algorithm.outer_iterations", "2"},
                                       {"algorithm.gamma", "1e6"},
                                       {"algorithm.delta", "0"}};
      CHECK(run(text, settings).factors[1].X.minCoeff() > 0);  // alpha = 0: they stay
      settings.emplace_back("algorithm.alpha", "0.01");
      const MethodResult result = run(text, settings);
      for (const FactorView& party : result.factors) {
        CHECK(party.X.isZero(0));
        CHECK(party.Y.isZero(0));
      }
    }
}

TEST_CASE("fewer fractional bits are less exact, so the bound above is the grid's") {
  const Matrix whole = run(nmf_scenario, {{"algorithm.name", "\"centralized\""}}).factors[0].X;
  const Matrix coarse = run(nmf_scenario, {{"secure_sum.fraction_bits", "20"}}).factors[0].X;
  CHECK(relative_difference(coarse, whole) > 1e-9);
  CHECK(relative_difference(coarse, whole) < 1e-2);
  const Matrix wide =
      run(nmf_scenario, {{"secure_sum.ring_bits", "128"}, {"secure_sum.fraction_bits", "60"}}).factors[0].X;
  CHECK(relative_difference(wide, whole) <= 1e-12);
}

TEST_CASE("a run that is stopped at any boundary goes on to the same bytes") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    for (const std::string& text : {nmf_scenario, ratings_scenario}) {
      const std::vector<Assignment> settings{{"secure_sum.kind", fmt::format("\"{}\"", kind)},
                                             {"exchange.key_bits", "256"},
                                             {"algorithm.outer_iterations", "12"},
                                             {"output.metrics_every", "3"}};
      SavedRun saved(experiment(text, settings));
      const MethodResult& whole = saved.whole;
      REQUIRE(saved.boundaries() == 12);
      for (const std::size_t at : {0U, 5U, 10U, 11U}) {
        const MethodResult rest = saved.resumed(at);
        for (std::size_t a = 0; a < whole.factors.size(); ++a) {
          CHECK(rest.factors[a].X == whole.factors[a].X);
          CHECK(rest.factors[a].Y == whole.factors[a].Y);
        }
        CHECK(rest.counters == whole.counters);
        CHECK(rest.timing.end == whole.timing.end);
        CHECK(rest.observations.size() == whole.observations.size());
        CHECK(rest.application.errors == whole.application.errors);
      }
    }
}

TEST_CASE(
    "every start ends near the centralized error, the same on every thread count; wr-nmf is near in one "
    "round") {
  const double reference =
      run(nmf_scenario, {{"algorithm.name", "\"centralized\""}, {"algorithm.initialization", "\"nndsvd\""}})
          .observations.back()
          .figures.all.get("objective");
  for (const char* start : {"random", "random-2x", "best-of-m", "nndsvd", "pd-nmf-init"}) {
    const std::vector<Assignment> settings{{"algorithm.initialization", fmt::format("\"{}\"", start)}};
    const MethodResult two = run(nmf_scenario, settings);
    INFO(start);
    CHECK(two.observations.back().figures.all.get("objective") < 1.1 * reference);
    CHECK(two.observations.back().iteration == (std::string_view(start) == "random-2x" ? 200 : 100));
    const Experiment e = experiment(nmf_scenario, settings);
    ProcessRuntime one(1);
    CHECK(run_method(one, Trial(e, 0), e.methods[0]).factors[1].X == two.factors[1].X);
  }
  const MethodResult wr = run(nmf_scenario, {{"algorithm.name", "\"wr-nmf\""}});
  CHECK(wr.observations.back().figures.all.get("objective") < 1.3 * reference);
  CHECK(wr.observations.back().round == 1);
}

TEST_CASE("a party with fewer samples than topics takes part in every start") {
  for (const char* start : {"best-of-m", "nndsvd", "pd-nmf-init"})
    CHECK_NOTHROW(run(nmf_scenario, {{"data.split.kind", "\"sizes\""},
                                     {"data.split.sizes", "[1, 2, 3, 4, 50]"},
                                     {"algorithm.initialization", fmt::format("\"{}\"", start)},
                                     {"algorithm.outer_iterations", "3"}}));
  CHECK_NOTHROW(run(nmf_scenario, {{"data.split.kind", "\"sizes\""},
                                   {"data.split.sizes", "[1, 2, 3, 4, 50]"},
                                   {"algorithm.name", "\"wr-nmf\""},
                                   {"algorithm.outer_iterations", "3"}}));
}

TEST_CASE("everybody stops in the same sweep, when topics stand still") {
  const MethodResult r =
      run(nmf_scenario, {{"algorithm.stop.tolerance", "0.01"}, {"algorithm.stop.dwell", "3"}});
  CHECK(r.converged);
  CHECK(r.observations.back().iteration < 100);
}

TEST_CASE("what was summed is counted, and told") {
  const MethodResult r = run(nmf_scenario, {{"algorithm.outer_iterations", "10"}});
  CHECK(r.counters.get("sums.calls") == 10 * 4);  // a call per topic and sweep
  CHECK(r.counters.get("sums.elements") ==
        10 * 4 * 15 * 2 * 4);  // 14 features and a denominator, up and down 4 edges
  CHECK(r.counters.get("sums.most_elements") == 10 * 4 * 15 * 4);  // the root, to 4 children
  CHECK(r.counters.get("sums.bytes") == 8 * r.counters.get("sums.elements"));
  REQUIRE(!r.labels.empty());
  CHECK(r.labels[0] ==
        "secure_sum = edge-masks: any 3 colluders learn nothing beyond the sum (vertex connectivity 4); a "
        "coalition learns "
        "the sums over the connected parts of the graph without it");
  const auto has = [](const MethodResult& result, const char* text) {
    for (const std::string& label : result.labels)
      if (label.find(text) != std::string::npos) return true;
    return false;
  };
  const Assignment few{"algorithm.outer_iterations", "1"};
  CHECK(has(run(nmf_scenario, {few, {"algorithm.initialization", "\"nndsvd\""}}), "not private"));
  CHECK(has(run(nmf_scenario, {few, {"algorithm.initialization", "\"best-of-m\""}}), "publishes the topics"));
  CHECK(has(run(nmf_scenario, {few, {"algorithm.name", "\"wr-nmf\""}}), "publishes the topics"));
  CHECK_FALSE(has(run(nmf_scenario, {few, {"algorithm.initialization", "\"pd-nmf-init\""}}), "publishes"));
}

TEST_CASE("bad settings are refused with the key and what is allowed") {
  const auto refused = [](const std::string& text, const std::vector<Assignment>& settings, const char* key,
                          const char* why) {
    CHECK_THROWS_WITH_AS(experiment(text, settings), doctest::Contains(key), ScenarioError);
    CHECK_THROWS_WITH_AS(experiment(text, settings), doctest::Contains(why), ScenarioError);
  };
  refused(nmf_scenario, {{"topology.generator", "\"star\""}}, "secure_sum.kind", "agent 0 is a cut vertex");
  refused(nmf_scenario, {{"algorithm.rank", "15"}}, "algorithm.rank", "has rank 14 at most");
  refused(nmf_scenario, {{"data.split.kind", "\"sizes\""}, {"data.split.sizes", "[0, 10, 10, 20, 20]"}},
          "data.split.sizes", "agent 0 has no samples");
  refused(nmf_scenario, {{"data.source", "\"synthetic-pca\""}}, "data.source", "negative numbers");
  refused(nmf_scenario, {{"algorithm.initialization", "\"ones\""}}, "algorithm.initialization", "the same");
  refused(nmf_scenario, {{"algorithm.initialization", "\"own-random\""}}, "algorithm.initialization",
          "same topics");
  refused(nmf_scenario, {{"algorithm.name", "\"ppdnmf\""}, {"algorithm.initialization", "\"nndsvd\""}},
          "algorithm.initialization", "belongs to RRI-NMF");
  refused(ratings_scenario, {{"algorithm.topics", "\"simplex\""}}, "algorithm.topics", "no minimum");
  refused(nmf_scenario, {{"algorithm.weights", "\"observed\""}}, "algorithm.weights", "this is dense");
  refused(nmf_scenario, {{"data.held_out_entries", "0.1"}}, "data.held_out_entries", "this is dense");
  refused(ratings_scenario, {{"data.held_out_entries", "0"}}, "application.kind",
          "data.held_out_entries above 0");
  refused(nmf_scenario, {{"secure_sum.ring_bits", "96"}}, "secure_sum.ring_bits", "64 or 128");
  refused(nmf_scenario, {{"secure_sum.fraction_bits", "61"}}, "secure_sum.fraction_bits", "leave no room");
  refused(nmf_scenario, {{"secure_sum.kind", "\"paillier-tree\""}, {"exchange.key_bits", "66"}},
          "exchange.key_bits", "from 68 on");
  refused(nmf_scenario, {{"secure_sum.kind", "\"paillier-tree\""}, {"secure_sum.ring_bits", "128"}},
          "secure_sum.ring_bits", "64 bits");
}

TEST_CASE("a lost range ends the run before anything wraps, and says what to set") {
  const std::vector<Assignment> settings{{"data.synthetic.left_mean", "3000"},
                                         {"data.synthetic.right_mean", "3000"}};
  CHECK_THROWS_WITH_AS(run(nmf_scenario, settings), doctest::Contains("set secure_sum.ring_bits = 128"),
                       CryptoError);
  std::vector<Assignment> wide = settings;
  wide.push_back({"secure_sum.ring_bits", "128"});
  CHECK_NOTHROW(run(nmf_scenario, wide));
}

TEST_CASE("sums that are so small that the grid shows are told, and no others") {
  const auto told = [](const std::vector<Assignment>& settings) {
    for (const std::string& label : run(nmf_scenario, settings).labels)
      if (label.find("right to few digits") != std::string::npos) return true;
    return false;
  };
  CHECK_FALSE(told({}));
  const std::vector<Assignment> tiny{{"data.synthetic.left_mean", "1e-5"},
                                     {"data.synthetic.right_mean", "1e-4"},
                                     {"data.synthetic.noise_variance", "0"}};
  CHECK(told(tiny));
  std::vector<Assignment> fine = tiny;
  fine.push_back({"secure_sum.ring_bits", "128"});
  fine.push_back({"secure_sum.fraction_bits", "90"});
  CHECK_FALSE(told(fine));
}

TEST_CASE("best-of-m picks the best party's topics, whatever the scale of the data") {
  for (const char* scale : {"1e-3", "0.5", "30"}) {
    const std::vector<Assignment> data{
        {"data.synthetic.left_mean", scale}, {"data.synthetic.noise_variance", "0"},
        {"data.split.kind", "\"sizes\""},    {"data.split.sizes", "[1, 1, 1, 1, 56]"},
        {"secure_sum.ring_bits", "128"},     {"secure_sum.fraction_bits", "80"},
        {"algorithm.outer_iterations", "1"}};
    std::vector<Assignment> best = data;
    best.push_back({"algorithm.initialization", "\"best-of-m\""});
    // the party with nearly all samples has the best topics: one sweep from them is near the end
    CHECK(run(nmf_scenario, best).observations.back().figures.all.get("nmse_mean_x") < 0.05);
    CHECK(run(nmf_scenario, data).observations.back().figures.all.get("nmse_mean_x") > 0.05);
  }
}

TEST_CASE("held-out entries: the share that was asked for, of all items alike, and every sample keeps one") {
  const Experiment e = experiment(ratings_scenario, {{"data.held_out_entries", "0.5"}});
  const Trial trial(e, 0);
  Vector kept = Vector::Zero(trial.data.all.cols());
  double first_taken = 0;
  trial.data.all.each([&](Index, Index user, double) { ++kept[user]; });
  CHECK(kept.minCoeff() >= 1);
  const auto all = static_cast<double>(trial.data.all.stored() + trial.data.held_out_entries.stored());
  CHECK(static_cast<double>(trial.data.held_out_entries.stored()) / all == doctest::Approx(0.5).epsilon(0.1));
  for (Index user = 0; user < trial.data.all.cols(); ++user) {
    const auto taken = trial.data.held_out_entries.entries(user);
    const auto left = trial.data.all.entries(user);
    if (!taken.features.empty() && taken.features.front() < left.features.front()) ++first_taken;
  }
  CHECK(first_taken > 20);  // of 80: a sample's first entry goes as often as any
  CHECK(first_taken < 60);
}

TEST_CASE("ratings: together the parties predict better than alone, and small ones gain more") {
  const std::string skewed =
      ratings_scenario + "\n[[method]]\nname = \"local\"\nset = { \"algorithm.name\" = \"local\" }\n";
  const Experiment e = experiment(skewed, {{"data.synthetic.samples", "400"},
                                           {"data.split.kind", "\"sizes\""},
                                           {"data.split.sizes", "[10, 30, 90, 270]"},
                                           {"trials", "3"}});
  ProcessRuntime workers(2);
  const auto runs = run_experiment(workers, e).runs;
  Vector uplift = Vector::Zero(4);
  for (std::size_t k = 0; k < runs.size(); k += 2) {
    const auto its = uplift_percent(runs[k].application, runs[k + 1].application);
    REQUIRE(its.size() == 4);
    for (Index a = 0; a < 4; ++a) uplift[a] += its[static_cast<std::size_t>(a)] / 3;
    CHECK(runs[k].application.figures.get("rmse") < runs[k + 1].application.figures.get("rmse"));
    CHECK(runs[k].application.figures.get("rmse") > 0.2);  // the noise
    CHECK(runs[k].application.samples == std::vector<std::int64_t>{10, 30, 90, 270});
  }
  CHECK(uplift[0] > uplift[1]);
  CHECK(uplift[1] > uplift[3]);
  CHECK(uplift[0] > 5);
}
