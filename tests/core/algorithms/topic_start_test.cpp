// SPDX-License-Identifier: MIT
// Starts of RRI-NMF: the methods of a trial start alike, simulated time has all of the work, and what merges publish.
#include "core/algorithms/topic_start.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/factorization/nndsvd.h"
#include "core/results/output.h"
#include "tests/support/saved_runs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const std::string start_scenario = R"(
name = "starts"
seed = 7
[topology]
generator = "complete"
agents = 4
[data]
synthetic = { samples = 80, features = 15, rank = 4, left_mean = 0.5, right_mean = 0.8, noise_variance = 1e-2 }
split = { kind = "sizes", sizes = [20, 20, 20, 20] }
[algorithm]
name = "pd-nmf"
solver = "rri"
rank = 3
local_iterations = 12
outer_iterations = 4
stop = "never"
[link]
latency_ms = 0
bandwidth_mbit = 1e9
[cost]
flop = 1.0
[output]
factors = true
)";

MethodResult run_start(std::vector<Assignment> settings) {
  return run_first_method(experiment(start_scenario, settings));
}

std::vector<Assignment> starting(const char* initialization, std::vector<Assignment> more = {}) {
  more.push_back({"algorithm.initialization", fmt::format("\"{}\"", initialization)});
  return more;
}

/// What an agent's work comes to, a second for every multiply-add.
double seconds_of(const std::vector<Assignment>& settings) {
  return run_start(settings).timing.end;
}

bool has_label(const MethodResult& result, const char* text) {
  for (const std::string& label : result.labels)
    if (label.find(text) != std::string::npos) return true;
  return false;
}

const Assignment in_one_place{"algorithm.name", "\"centralized\""};
const Assignment party_alone{"algorithm.name", "\"local\""};
const Assignment gram_published{"algorithm.weights_published", "\"gram\""};

}  // namespace

TEST_CASE("centralized starts where pd-nmf starts, from every initialization: theorem 1 holds for all") {
  for (const char* start : {"random", "random-2x", "best-of-m", "nndsvd", "pd-nmf-init", "pd-svd"})
    for (const bool whole_gram : {false, true}) {
      std::vector<Assignment> more;
      if (whole_gram) more.push_back(gram_published);
      CAPTURE(start);
      const Matrix distributed = run_start(starting(start, more)).factors[1].X;
      more.push_back(in_one_place);
      const Matrix one_place = run_start(starting(start, more)).factors[0].X;
      CHECK((distributed - one_place).norm() <= 1e-7 * one_place.norm());
    }
  // a party with fewer samples than topics
  const std::vector<Assignment> small{{"data.split.sizes", "[2, 1, 27, 50]"}};
  for (const char* start : {"best-of-m", "pd-nmf-init"}) {
    std::vector<Assignment> one = small;
    one.push_back(in_one_place);
    const Matrix one_place = run_start(starting(start, one)).factors[0].X;
    CHECK((run_start(starting(start, small)).factors[1].X - one_place).norm() <= 1e-7 * one_place.norm());
  }
}

TEST_CASE("where methods start differently the table and the summary say where; else neither mentions it") {
  const std::string methods = R"([[method]]
name = "centralized"
set = { "algorithm.name" = "centralized" }
[[method]]
name = "local"
set = { "algorithm.name" = "local" }
)";
  const auto summaries = [&](const char* start) {
    return run_and_summarize(experiment(start_scenario + methods, starting(start)));
  };
  const auto alike = summaries("random");
  for (const MethodSummary& m : alike) CHECK(m.start.empty());
  CHECK(brief_report(alike).find("start") == std::string::npos);
  const auto different = summaries("pd-nmf-init");
  CHECK(different[0].start == "pd-nmf-init");
  CHECK(method(different, "centralized").start == "pd-nmf-init");
  CHECK(method(different, "local").start == "nndsvd of own samples");
  CHECK(brief_report(different).find("nndsvd of own samples") != std::string::npos);
  CHECK(std::abs(different[0].figure("gap_percent").mean) < 1e-5);

  const Experiment e = experiment(start_scenario + methods, starting("pd-nmf-init"));
  ProcessRuntime workers(2);
  const auto files = output_files(e, run_experiment(workers, e).runs, {});
  CHECK(content(files, "summary.json").find("\"start\": \"nndsvd of own samples\"") != std::string::npos);
  CHECK(has_label(run_start(starting("pd-nmf-init", {party_alone})),
                  "a party alone starts from nndsvd of its own samples"));
  CHECK_FALSE(has_label(run_start(starting("random", {party_alone})), "a party alone"));
}

TEST_CASE("simulated time has the first weights of every RRI-NMF") {
  const Trial trial(experiment(start_scenario, {}), 0);
  const Samples& all = trial.data.all;
  const double first = static_cast<double>(weight_fit_flops(all, 3, initial_weight_sweeps));
  const double sweeps = 4 * static_cast<double>(rri_sweep_flops(all, 3));
  CHECK(seconds_of({in_one_place}) == doctest::Approx(first + sweeps).epsilon(1e-6));
  const Samples& part = trial.data.parts[0];  // all of one size
  const double part_sweeps = 4 * static_cast<double>(rri_sweep_flops(part, 3) / 3 * 3);
  CHECK(seconds_of({}) ==
        doctest::Approx(static_cast<double>(weight_fit_flops(part, 3, initial_weight_sweeps)) + part_sweeps)
            .epsilon(1e-3));
}

TEST_CASE("simulated time has the decompositions of starts") {
  const Trial trial(experiment(start_scenario, {}), 0);
  const double svd = static_cast<double>(truncated_svd(trial.data.all, 3).flops);
  REQUIRE(svd > 0);
  CHECK(seconds_of(starting("nndsvd", {in_one_place})) - seconds_of({in_one_place}) == doctest::Approx(svd));
  CHECK(seconds_of(starting("nndsvd")) - seconds_of({}) == doctest::Approx(svd).epsilon(1e-3));
  const auto own = [&](const Samples& part) { return truncated_svd(part, 3).flops; };
  std::uint64_t most = 0;
  for (const Samples& part : trial.data.parts) most = std::max(most, own(part));
  CHECK(seconds_of(starting("nndsvd", {party_alone})) - seconds_of({party_alone}) ==
        doctest::Approx(static_cast<double>(most)));
  // singular vectors by secure sums: the bound on the norm is a decomposition, too
  std::uint64_t bound = 0;
  for (const Samples& part : trial.data.parts) bound = std::max(bound, truncated_svd(part, 1).flops);
  const double steps = 12.0 * 2 * 3 * static_cast<double>(trial.data.parts[0].stored());
  CHECK(seconds_of(starting("pd-svd")) - seconds_of({}) > static_cast<double>(bound) + steps);
}

TEST_CASE("simulated time has the models and the fits of best-of-m, and of merges") {
  const Trial trial(experiment(start_scenario, {}), 0);
  const Samples& part = trial.data.parts[0];
  const TopicOptions options(experiment(start_scenario, {}).main);
  std::uint64_t most = 0;
  for (const Samples& own : trial.data.parts) most = std::max(most, local_model(options, own).flops);
  const double model = static_cast<double>(most);
  CHECK(model > 12 * static_cast<double>(rri_sweep_flops(part, 3)));  // with its first weights and NNDSVD
  const double fits = 4 * static_cast<double>(weight_fit_flops(part, 3, candidate_sweeps));
  CHECK(seconds_of(starting("best-of-m")) - seconds_of({}) == doctest::Approx(model + fits).epsilon(1e-3));
  const Samples merged(Matrix(15, 3));
  const double merging = static_cast<double>(weight_fit_flops(merged, 3, initial_weight_sweeps) +
                                             12 * (rri_sweep_flops(merged, 3) / 3 * 3));
  CHECK(seconds_of(starting("pd-nmf-init")) - seconds_of({}) ==
        doctest::Approx(model + merging).epsilon(1e-3));

  // wr-nmf pays for its merge, and for W once
  const Samples stacked(Matrix(15, 12));
  const double wr =
      model + static_cast<double>(weight_fit_flops(stacked, 3, initial_weight_sweeps) +
                                  4 * rri_sweep_flops(stacked, 3) + weight_fit_flops(part, 3, 10));
  CHECK(seconds_of({{"algorithm.name", "\"wr-nmf\""}}) == doctest::Approx(wr).epsilon(1e-3));
}

TEST_CASE("wr-nmf publishes the diagonal of W'W, or all of it: labeled, and resumed to the same bytes") {
  const Assignment wr{"algorithm.name", "\"wr-nmf\""};
  const MethodResult diagonal = run_start({wr});
  const MethodResult whole = run_start({wr, gram_published});
  CHECK(has_label(diagonal, "the topics of its own model and their weights"));
  CHECK_FALSE(has_label(diagonal, "W'W"));
  CHECK(has_label(whole, "W'W of their weights"));
  CHECK(whole.timing.total(0).bytes > diagonal.timing.total(0).bytes);
  CHECK(whole.factors[0].X != diagonal.factors[0].X);
  for (const FactorView& party : whole.factors) CHECK(party.X == whole.factors[0].X);

  SavedRun saved(experiment(start_scenario, {wr, gram_published}));
  for (const std::size_t at : {0U, 2U, 3U}) {
    const MethodResult rest = saved.resumed(at);
    CHECK(rest.factors[1].X == saved.whole.factors[1].X);
    CHECK(rest.factors[1].Y == saved.whole.factors[1].Y);
    CHECK(rest.timing.end == saved.whole.timing.end);
  }
  CHECK_FALSE(has_label(run_start(starting("pd-nmf-init", {gram_published})), "publishes"));
  CHECK_THROWS_WITH_AS(run_start({wr, {"algorithm.weights_published", "\"all\""}}),
                       doctest::Contains("algorithm.weights_published"), ScenarioError);
}

TEST_CASE(
    "initializations are compared at equal numbers of secure sums, with sums and bytes beside the error") {
  const Experiment e =
      ScenarioFile::read(scenario_file("pdnmf-initializations.toml")).experiment(InputFiles::leave);
  const auto& main = e.methods.front().options;
  const auto sweeps = [](const OptionSet& o) { return o.get<IterationOptions>().outer_iterations; };
  REQUIRE(main.get<StartOptions>().initialization == Initialization::pd_nmf_init);
  bool found = false;
  for (const Method& m : e.methods)
    if (m.options.get<StartOptions>().initialization == Initialization::random &&
        sweeps(m.options) == main.get<LocalModelOptions>().local_iterations + sweeps(main))
      found = true;
  CHECK(found);

  // that is: the same number of sums but for the one that draws the start, and the same bytes but for its
  const Assignment longer{"algorithm.outer_iterations", "16"};
  const MethodResult random = run_start({longer});
  const MethodResult merged = run_start(starting("pd-nmf-init"));
  CHECK(random.counters.get("sums.calls") == 16 * 3);
  CHECK(merged.counters.get("sums.calls") == 16 * 3 + 1);
  CHECK(merged.counters.get("sums.elements") - random.counters.get("sums.elements") == 15 * 3 * 2 * 3);
  const std::string table = brief_report(run_and_summarize(experiment(start_scenario, {})));
  CHECK(table.find("secure sums") != std::string::npos);
  CHECK(table.find("MB sent") != std::string::npos);
}
