// SPDX-License-Identifier: MIT
// PD-SVD and PD-PCA: the centralized block power iteration's subspace and the decomposition's; what normalized sums hide and what
// they do not; low-rank approximation and regression; bad input.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/decompositions.h"
#include "core/algorithms/shared_power.h"
#include "core/factorization/nndsvd.h"
#include "core/measures/factor_errors.h"
#include "tests/support/saved_runs.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const std::string svd_scenario = R"(
name = "svd"
seed = 4
[topology]
generator = "ring"
agents = 5
[data]
source = "synthetic-pca"
synthetic = { samples = 120, features = 20, rank = 6, decay = 0.6, noise_variance = 1e-2 }
split = { kind = "uniform", min = 4, max = 60 }
held_out = 40
[algorithm]
name = "pd-svd"
rank = 3
outer_iterations = 30
stop = "never"
norm_bound = 65536
[application]
kind = "lra"
[output]
factors = true
metrics_every = 10
)";

MethodResult run(const std::vector<Assignment>& settings) {
  return run_first_method(experiment(svd_scenario, settings));
}

/// Algorithm 3 in one place, from the same draws.
Matrix block_power(const Trial& trial, Index rank, int iterations, const Vector& mean) {
  const Index features = trial.data.all.rows();
  Matrix V = Matrix::Zero(features, rank);
  for (std::size_t m = 0; m < trial.data.parts.size(); ++m) {
    RandomStream random({4, trial.number, m, "initialization"});
    for (double& x : V.reshaped())
      x += random.normal() /
           std::sqrt(static_cast<double>(trial.data.parts.size()) * static_cast<double>(features));
  }
  orthonormalize(V);
  for (int k = 0; k < iterations; ++k) {
    V = covariance_product(trial.data.all, mean, V);
    orthonormalize(V);
  }
  return V;
}

double distance(const MethodResult& r, const Matrix& V) {
  return subspace_distance(r.factors[0].X, V);
}

}  // namespace

TEST_CASE(
    "theorem 3: the subspace is the centralized block power iteration's from the same seed, iteration by "
    "iteration") {
  const Experiment e = experiment(svd_scenario, {});
  const Trial trial(e, 0);
  for (const GeneratorEntry& graph : generators())
    for (const int iterations : {1, 30}) {
      const Matrix V = block_power(trial, 3, iterations, {});
      const std::vector<Assignment> its{{"topology.generator", fmt::format("\"{}\"", graph.name)},
                                        {"topology.average_degree", "4"},
                                        {"algorithm.outer_iterations", std::to_string(iterations)},
                                        {"secure_sum.kind", "\"shares\""}};
      const auto with = [&](const char* key, const char* value) {
        std::vector<Assignment> more = its;
        more.push_back({key, value});
        return run(more);
      };
      CAPTURE(graph.name);
      CAPTURE(iterations);
      // a unit in the last place of 20 entries, over the gap between singular values
      CHECK(distance(with("secure_sum.output_bits", "31"), V) < std::ldexp(100.0, -31));
      CHECK(distance(with("secure_sum.output_bits", "20"), V) < std::ldexp(100.0, -20));
      CHECK(distance(with("algorithm.sums", "\"revealing\""), V) < 1e-7);
      const MethodResult coarse = with("secure_sum.output_bits", "10");
      CHECK(distance(coarse, V) > std::ldexp(1.0, -14));  // the loss that the paper warns of
      for (const FactorView& party : coarse.factors) CHECK(party.X == coarse.factors[0].X);
    }
}

TEST_CASE("at convergence it is the singular value decomposition's, and PD-PCA's that of centered samples") {
  const Experiment e = experiment(svd_scenario, {});
  const Trial trial(e, 0);
  const Matrix V = truncated_svd(trial.data.all, 3).V;
  CHECK(distance(run({{"algorithm.outer_iterations", "60"}, {"secure_sum.output_bits", "31"}}), V) < 1e-6);
  CHECK(distance(run({{"algorithm.outer_iterations", "60"}}), V) < 1e-4);
  const MethodResult f10 = run({{"algorithm.outer_iterations", "60"}, {"secure_sum.output_bits", "10"}});
  CHECK(distance(f10, V) > 1e-4);
  CHECK(f10.application.figures.get("subspace_error") == doctest::Approx(distance(f10, V)));
  const MethodResult one_place =
      run({{"algorithm.name", "\"centralized\""}, {"algorithm.solver", "\"svd\""}});
  CHECK(distance(one_place, V) < 1e-12);

  const std::vector<Assignment> centered{{"algorithm.name", "\"pd-pca\""},
                                         {"algorithm.outer_iterations", "60"}};
  const MethodResult pca = run(centered);
  const MethodResult whole = run({{"algorithm.name", "\"centralized\""}, {"algorithm.solver", "\"pca\""}});
  CHECK((pca.factors[0].mean - whole.factors[0].mean).norm() < 1e-10);
  CHECK(distance(pca, whole.factors[0].X) < 1e-4);
  CHECK(distance(pca, V) > 1e-3);  // centering matters
  CHECK(pca.observations.back().figures.all.get("nmse") ==
        doctest::Approx(whole.observations.back().figures.all.get("nmse")).epsilon(1e-4));
}

TEST_CASE(
    "local bases: nmse is of what each has, nmse_mean_x of one common basis, which is no better than the "
    "optimum") {
  for (const char* solver : {"svd", "pca"}) {
    const Assignment its{"algorithm.solver", fmt::format("\"{}\"", solver)};
    const MethodResult best = run({{"algorithm.name", "\"centralized\""}, its});
    const MethodResult own = run({{"algorithm.name", "\"local\""}, its});
    const auto final_figure = [](const MethodResult& r, const Figure& f) { return r.final_figure(f); };
    CHECK(final_figure(own, figures::nmse) < final_figure(best, figures::nmse));
    CHECK(final_figure(own, figures::objective) > final_figure(best, figures::objective));
    CHECK(final_figure(own, figures::nmse_mean_x) > final_figure(own, figures::nmse));
    CHECK(final_figure(own, figures::consensus_error) > 0.01);
    const FactorView common = common_basis(own.factors);
    const Trial trial(experiment(svd_scenario, {}), 0);
    double mean = 0;
    for (const Samples& part : trial.data.parts)
      mean += projection_residual(part, common) / std::sqrt(part.squared_norm()) / 5;
    CHECK(final_figure(own, figures::nmse_mean_x) == doctest::Approx(mean));
    // the leading directions of the mean projection, by a decomposition of all bases side by side
    Matrix bases(20, 0);
    for (const FactorView& v : own.factors) {
      bases.conservativeResize(Eigen::NoChange, bases.cols() + v.X.cols());
      bases.rightCols(v.X.cols()) = v.X;
    }
    CHECK(subspace_distance(common.X, thin_svd(bases).U.leftCols(3)) < 1e-8);
    CHECK(common_basis(best.factors).X == best.factors[0].X);
  }
}

TEST_CASE("a public bound on the norm may come from a secure sum, which is told") {
  const MethodResult r = run({{"algorithm.norm_bound", "\"sum\""}});
  CHECK(distance(r, run({}).factors[0].X) < 1e-4);
  const auto told = [](const MethodResult& result, const char* text) {
    return std::any_of(result.labels.begin(), result.labels.end(),
                       [&](const std::string& label) { return label.find(text) != std::string::npos; });
  };
  CHECK(told(r, "norm_bound = sum: everybody learns"));
  CHECK_FALSE(told(run({}), "norm_bound = sum"));
  CHECK(told(run({}), "offline = dealer"));
  CHECK(told(run({{"algorithm.sums", "\"revealing\""}}), "everybody learns the singular values"));
  CHECK_NOTHROW(run({{"algorithm.norm_bound", "\"sum\""}, {"algorithm.name", "\"pd-pca\""}}));
}

TEST_CASE("normalized sums hide the scale of all data, plain ones show it") {
  // half of all data is the same as a bound that is four times as large
  const std::vector<Assignment> once{{"algorithm.outer_iterations", "10"},
                                     {"output.transcript", "true"},
                                     {"secure_sum.norm_bound_bits", "13"}};
  std::vector<Assignment> half = once;
  half.push_back({"algorithm.norm_bound", "262144"});
  const MethodResult a = run(once);
  const MethodResult b = run(half);
  CHECK(distance(a, b.factors[0].X) < std::ldexp(200.0, -20));  // dither and rounding: no more
  // plain sums: what everybody hears has the scale in it
  const auto loudest = [](std::vector<Assignment> settings) {
    settings.push_back({"algorithm.sums", "\"revealing\""});
    const MethodResult r = run(settings);
    double largest = 0;
    for (const Message& m : r.transcript[0]) {
      if (m.tag != tags::sum_down || m.bytes.size() != 8 * 60) continue;
      largest = 0;  // the last sum's
      for (const std::uint64_t x : read_elements<std::uint64_t>(m.bytes, 60))
        largest = std::max(largest, std::abs(static_cast<double>(static_cast<std::int64_t>(x))));
    }
    return largest;
  };
  CHECK(loudest(once) / loudest(half) == doctest::Approx(4).epsilon(0.2));
}

TEST_CASE("the ratios of singular values do leak: an early basis and the last one give them away") {
  const MethodResult early = run({{"algorithm.outer_iterations", "1"}, {"secure_sum.output_bits", "31"}});
  const MethodResult late = run({{"algorithm.outer_iterations", "60"}, {"secure_sum.output_bits", "31"}});
  const Experiment e = experiment(svd_scenario, {});
  const Trial trial(e, 0);
  const Matrix V0 = block_power(trial, 3, 0, {});  // everybody has it: a sum
  const Vector v = V0.col(0);
  const Vector out = early.factors[0].X.col(0);  // S v / |S v|
  const TruncatedSvd truth = truncated_svd(trial.data.all, 3);
  const auto eigenvalue = [&](Index i) {  // up to one factor
    const Vector u = late.factors[0].X.col(i);
    return u.dot(out) / u.dot(v);
  };
  for (const Index i : {1, 2})
    CHECK(std::sqrt(eigenvalue(i) / eigenvalue(0)) ==
          doctest::Approx(truth.sigma[i] / truth.sigma[0]).epsilon(1e-3));
}

TEST_CASE("a run that is stopped at any boundary goes on to the same bytes, whoever prepares the sums") {
  for (const char* offline : {"dealer", "paillier"}) {
    const std::vector<Assignment> settings{{"secure_sum.offline", fmt::format("\"{}\"", offline)},
                                           {"exchange.key_bits", "256"},
                                           {"algorithm.rank", "1"},
                                           {"algorithm.outer_iterations", "4"},
                                           {"topology.generator", "\"path\""},
                                           {"topology.agents", "3"},
                                           {"secure_sum.kind", "\"shares\""},
                                           {"output.metrics_every", "2"}};
    SavedRun saved(experiment(svd_scenario, settings));
    const MethodResult& whole = saved.whole;
    REQUIRE(saved.boundaries() == 4);
    for (const std::size_t at : {0U, 2U, 3U}) {
      const MethodResult rest = saved.resumed(at);
      CHECK(rest.factors[1].X == whole.factors[1].X);
      CHECK(rest.counters == whole.counters);
      CHECK(rest.timing.end == whole.timing.end);
      CHECK(rest.application.errors == whole.application.errors);
    }
  }
}

TEST_CASE("everybody stops in the same iteration, the same on every thread count; costs are counted") {
  const MethodResult r = run({{"algorithm.stop.tolerance", "0.001"},
                              {"algorithm.stop.dwell", "2"},
                              {"algorithm.outer_iterations", "200"}});
  CHECK(r.converged);
  CHECK(r.observations.back().iteration < 100);
  CHECK(r.counters.get("normed.calls") == r.observations.back().iteration);
  const Experiment e = experiment(svd_scenario, {});
  ProcessRuntime one(1);
  const MethodResult alone = run_method(one, Trial(e, 0), e.methods[0]);
  const MethodResult two = run({});
  CHECK(alone.factors[2].X == two.factors[2].X);
  CHECK(two.counters.get("normed.calls") == 30);
  CHECK(two.counters.get("offline.messages") == 30);
}

TEST_CASE("regression on principal components: together better than alone, and small parties gain more") {
  const Experiment e = experiment(svd_scenario + R"([[method]]
name = "own-fit"
set = { "algorithm.response_fit" = "own" }
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized", "algorithm.solver" = "pca" }
[[method]]
name = "local"
set = { "algorithm.name" = "local", "algorithm.solver" = "pca" }
)",
                                  {{"data.source", "\"synthetic-regression\""},
                                   {"data.synthetic.samples", "400"},
                                   {"data.synthetic.noise_variance", "0.3"},
                                   {"data.split.kind", "\"sizes\""},
                                   {"data.split.sizes", "[10, 20, 40, 80, 250]"},
                                   {"algorithm.name", "\"pd-pca\""},
                                   {"algorithm.rank", "4"},
                                   {"application.kind", "\"pcr\""},
                                   {"secure_sum.norm_bound_bits", "13"},
                                   {"trials", "10"}});
  ProcessRuntime workers(2);
  const auto runs = run_experiment(workers, e).runs;
  Vector uplift = Vector::Zero(5);
  for (std::size_t k = 0; k < runs.size(); k += 4) {
    const auto its = uplift_percent(runs[k].application, runs[k + 3].application);
    REQUIRE(its.size() == 5);
    for (Index a = 0; a < 5; ++a) uplift[a] += its[static_cast<std::size_t>(a)] / 10;
    // a secure sum of the normal equations is a regression on all samples in one place
    CHECK(runs[k].application.figures.get("rmse") ==
          doctest::Approx(runs[k + 2].application.figures.get("rmse")).epsilon(1e-4));
    CHECK(runs[k].counters.get("sums.calls") == runs[k + 1].counters.get("sums.calls") + 1);
    CHECK(runs[k].application.errors != runs[k + 1].application.errors);
  }
  CHECK(uplift[0] > 5);
  CHECK(uplift[0] > uplift[2]);
  CHECK(uplift[2] > uplift[4]);
  CHECK(uplift[4] > -1);
}

TEST_CASE("the response may be any feature, and is none of those that are decomposed") {
  const std::vector<Assignment> last{{"data.source", "\"synthetic-regression\""},
                                     {"application.kind", "\"pcr\""}};
  std::vector<Assignment> third = last;
  third.push_back({"application.response", "3"});
  const Trial a(experiment(svd_scenario, last), 0);
  const Trial b(experiment(svd_scenario, third), 0);
  const Trial whole(experiment(svd_scenario, {{"data.source", "\"synthetic-regression\""}}), 0);
  CHECK(a.data.all.rows() == 19);
  for (const Index sample : {0, 57, 119}) {
    CHECK(a.data.response[sample] == whole.data.all.column(sample)[19]);
    CHECK(b.data.response[sample] == whole.data.all.column(sample)[2]);
    CHECK(b.data.all.column(sample)[2] == whole.data.all.column(sample)[3]);
  }
  CHECK(a.data.held_out_response[7] == whole.data.held_out.column(7)[19]);
}

TEST_CASE("pd-svd as a start of PD-NMF: the topics that nndsvd makes of all data in one place") {
  const std::string nmf = R"(
name = "start"
seed = 3
[topology]
generator = "complete"
agents = 4
[data]
synthetic = { samples = 60, features = 14, rank = 4, left_mean = 0.5, right_mean = 0.8, noise_variance = 1e-3 }
[algorithm]
name = "pd-nmf"
rank = 3
outer_iterations = 2
local_iterations = 400
stop = "never"
[output]
factors = true
)";
  const auto topics = [&](const char* start) {
    const Experiment e = experiment(nmf, {{"algorithm.initialization", fmt::format("\"{}\"", start)}});
    ProcessRuntime workers(2);
    return run_method(workers, Trial(e, 0), e.methods[0]).factors[1].X;
  };
  const Matrix central = topics("nndsvd");
  CHECK((topics("pd-svd") - central).norm() < 1e-3 * central.norm());
}

TEST_CASE("bad settings are refused with the key and what is allowed") {
  const auto refused = [](const std::vector<Assignment>& settings, const char* key, const char* why) {
    CHECK_THROWS_WITH_AS(experiment(svd_scenario, settings), doctest::Contains(key), ScenarioError);
    CHECK_THROWS_WITH_AS(experiment(svd_scenario, settings), doctest::Contains(why), ScenarioError);
  };
  refused({{"secure_sum.output_bits", "31"}, {"secure_sum.norm_bound_bits", "16"}},
          "secure_sum.norm_bound_bits", "scalars of");
  refused({{"secure_sum.output_bits", "32"}}, "secure_sum.output_bits", "from 4 to 31");
  refused({{"secure_sum.offline", "\"paillier\""}, {"exchange.key_bits", "100"}}, "exchange.key_bits",
          "from 128 on");
  refused({{"algorithm.norm_bound", "0"}}, "algorithm.norm_bound", "or \"sum\"");
  refused({{"data.held_out", "0"}}, "application.kind", "data.held_out above 0");
  refused({{"application.kind", "\"pcr\""}, {"application.response", "21"}}, "application.response",
          "there are 20 features");
  refused({{"application.kind", "\"pcr\""}, {"algorithm.rank", "20"}}, "algorithm.rank", "rank 19 at most");
  refused({{"application.kind", "\"topics\""}}, "application.kind", "nonnegative factors");
  refused({{"algorithm.name", "\"local\""}, {"data.source", "\"synthetic-nmf\""}}, "application.kind",
          "singular vectors");
  refused({{"topology.generator", "\"star\""}}, "secure_sum.kind", "cut vertex");
  CHECK_THROWS_WITH_AS(run({{"algorithm.norm_bound", "1e-3"}}), doctest::Contains("algorithm.norm_bound"),
                       CryptoError);
  CHECK_THROWS_WITH_AS(run({{"algorithm.norm_bound", "1e9"}}), doctest::Contains("norm_bound_bits"),
                       RunError);
}
