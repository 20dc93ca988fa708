// SPDX-License-Identifier: MIT
// What additions cost: an algorithm, an application, a measure with a figure and an output file that only this program has, each
// added by one call. Everything else must find them in the tables: settings, checks, files, tables, summaries, exports, records,
// checkpoints. In a program of its own, because an addition is there for the whole program.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/references.h"
#include "core/experiment/checkpoint_folder.h"
#include "core/experiment/recording.h"
#include "core/experiment/runner.h"
#include "core/experiment/settings.h"
#include "core/measures/application.h"
#include "core/results/comparison.h"
#include "core/results/output.h"
#include "core/results/retime.h"
#include "core/sweep/finished_runs.h"
#include "core/sweep/sweep.h"
#include "tests/support/data_files.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

// a figure: the largest entry of all left factors, in the trace and of every agent
constexpr Figure largest_entry{"largest_entry", "",           "largest entry of a left factor",
                               Better::neither, Scope::trace, "largest",
                               "{:.3f}"};
constexpr const Figure* own_figures[] = {&largest_entry};
const MeasureKind largest_measure{
    .name = "largest entries",
    .figures = own_figures,
    .applies = [](const Gives&) { return true; },
    .evaluate =
        [](const MeasureInput& in, Observed& to) {
          double largest = 0;
          for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
            const double own = in.view(a).X.maxCoeff();
            to.agents.set(largest_entry, a, own);
            largest = std::max(largest, own);
          }
          to.all.set(largest_entry, largest);
        },
};

// an algorithm with a setting of its own: every agent keeps the first columns of its samples, times a factor
struct KeepOptions {
  double factor = 2;
};
struct KeepState {
  std::uint64_t iteration = 1;
  bool finished = true;
  Matrix X, Y;
  void save(Writer& w) const {
    w.matrix(X);
    w.matrix(Y);
  }
};
class Keep final : public Algorithm {
 public:
  explicit Keep(const OptionSet& options)
      : rank_(options.get<IterationOptions>().rank), factor_(options.get<KeepOptions>().factor) {}
  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    if (!start.empty()) co_return;
    KeepState s;
    s.X = Matrix(input.samples.rows(), rank_);
    for (Index k = 0; k < rank_; ++k)
      s.X.col(k) = factor_ * input.samples.column(std::min(k, input.samples.cols() - 1)).cwiseMax(0.0);
    s.Y = Matrix::Ones(rank_, input.samples.cols());
    co_await me.boundary(s);
  }
  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    FactorView view{1, 0, true, false, {}, {}};
    view.X = r.matrix();
    view.Y = r.matrix();
    return view;
  }
  std::vector<std::string> labels() const override { return {"keep: only for tests"}; }

 private:
  Index rank_;
  double factor_;
};
const AlgorithmKind keep_kind{
    .name = "keep",
    .help = "keeps samples as factors",
    .reference = &descent_reference,
    .settings =
        [] {
          Schema rows = iteration_settings();
          SchemaOf<KeepOptions> s("algorithm");
          s.real("keep_factor", &KeepOptions::factor, {0, 10, true}, "what samples are multiplied by");
          append(rows, s.take());
          return rows;
        },
    .needs = [](const OptionSet&) { return Needs{}; },
    .gives = [](const OptionSet&) { return Gives{}; },
    .check =
        [](const MethodCheck& c) {
          if (c.options.get<KeepOptions>().factor == 3) c.places.refuse("algorithm.keep_factor", "is three");
        },
    .workload = [](const OptionSet&, const Sizes&) { return Workload{.iterations = 1}; },
    .make = [](const OptionSet& options, const PublicFacts&, const Kit&) -> std::unique_ptr<Algorithm> {
      return std::make_unique<Keep>(options);
    },
};

// an application with a figure of its own
constexpr Figure tallest{"tallest", "", "largest left factor", Better::higher, Scope::final, "tallest"};
constexpr const Figure* application_table[] = {&tallest};
const ApplicationKind counting_application{
    .name = "counting",
    .help = "counts",
    .model = Model::nonnegative_factors,
    .figures = application_table,
    .evaluate =
        [](const ApplicationInput& in, ApplicationResult& to) {
          to.figures.set(tallest, in.views.front().X.norm());
          for (std::size_t a = 0; a < in.data.parts.size(); ++a) to.errors.push_back(in.view(a).X.norm());
          to.rows.push_back({"words", {{"one", "two"}}});
        },
};

// an output file
const OutputFile extra_file{"extra.txt",
                            "how many runs there were",
                            {},
                            [](const Experiment&) { return true; },
                            [](const Experiment&, const std::vector<MethodResult>& runs,
                               const RunConditions&) { return std::to_string(runs.size()) + "\n"; }};

const bool added = [] {
  add_measure(largest_measure);
  add_algorithm(keep_kind);
  add_application(counting_application);
  add_output_file(extra_file);
  return true;
}();

const std::string scenario = R"(
name = "extended"
[topology]
agents = 4
[data]
synthetic = { samples = 24, features = 6, rank = 2 }
[algorithm]
name = "keep"
rank = 2
keep_factor = 4
[application]
kind = "counting"
[[method]]
name = "local"
set = { "algorithm.name" = "local", "algorithm.outer_iterations" = 3 }
)";

std::vector<MethodResult> run(const Experiment& e) {
  ProcessRuntime runtime(2);
  return run_experiment(runtime, e).runs;
}

std::string file(const NamedFiles& files, const std::string& name) {
  for (const auto& [key, contents] : files)
    if (key == name) return contents;
  FAIL("there is no ", name);
  return {};
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "extension: settings of an added algorithm are read, resolved, checked, swept and named as unused") {
  REQUIRE(added);
  const Experiment e = parse_experiment(scenario, "s.toml", "");
  CHECK(e.methods[0].name == "keep");
  CHECK(has(e.resolved, "keep_factor = 4"));
  CHECK(scenario_settings().find("algorithm.keep_factor") != nullptr);
  CHECK_THROWS_WITH_AS(parse_experiment(scenario, "s.toml", "", {{"algorithm.keep_factor", "3"}}),
                       "--set algorithm.keep_factor=3: algorithm.keep_factor: is three", ScenarioError);
  CHECK_THROWS_WITH_AS(parse_experiment(scenario, "s.toml", "", {{"algorithm.keep_factor", "11"}}),
                       doctest::Contains("must be a number above 0 and up to 10"), ScenarioError);
  const Experiment other = parse_experiment(scenario, "s.toml", "", {{"algorithm.name", "ppdnmf"}});
  CHECK(other.unused == std::vector<std::string>{"algorithm.keep_factor"});
}

TEST_CASE("extension: an added figure is in every file and table") {
  const Experiment e = parse_experiment(scenario, "s.toml", "");
  const auto runs = run(e);
  const NamedFiles files = output_files(e, runs, {1, "now"});
  for (const char* name : {"trace.csv", "final.csv", "agents.csv", "summary.json"}) {
    CAPTURE(name);
    CHECK(has(file(files, name), "largest_entry"));
  }
  const auto summary = nlohmann::json::parse(file(files, "summary.json"));
  const double mean = summary.at("methods").at("keep").at("largest_entry").at("mean").get<double>();
  CHECK(mean == runs[0].final_figure(largest_entry));
  CHECK(mean > 0);
  CHECK(has(brief_report(summarize(e, runs)), "largest"));
  CHECK(runs[0].observations[0].figures.agents.get(largest_entry, 3) > 0);
}

TEST_CASE("extension: an added figure is in events.bin and in a checkpoint") {
  const Experiment e = parse_experiment(scenario, "s.toml", "");
  const auto runs = run(e);
  const Recording recorded = load_recording(runs[0].events);
  CHECK(recorded.result.final_figure(largest_entry) == runs[0].final_figure(largest_entry));
  CHECK(recorded.result.application.figures.get(tallest) == runs[0].application.figures.get(tallest));
  const TemporaryFolder folder;
  const CheckpointFolder kept(folder.path() + "/checkpoint", e.hash());
  kept.save(0, 0, runs[0]);
  const auto saved = kept.load(0, 0);
  REQUIRE(saved.result);
  CHECK(saved.result->final_figure(largest_entry) == runs[0].final_figure(largest_entry));
  Checkpoint boundary;
  boundary.observations = runs[0].observations;
  kept.save(0, 1, boundary);
  const auto loaded = kept.load(0, 1);
  REQUIRE(loaded.boundary);
  CHECK(loaded.boundary->observations[0].figures.all.get(largest_entry) ==
        runs[0].final_figure(largest_entry));
}

TEST_CASE(
    "extension: an added figure is in a sweep's tables and in comparisons, a swept setting changes it") {
  const TemporaryFolder folder;
  const ScenarioFile file(scenario + "[sweep]\n\"algorithm.keep_factor\" = [1, 2]\n", "s.toml", "");
  const std::string out = folder.path() + "/sweep";
  SweepOptions options;
  CHECK(run_sweep(file, out, options).complete);
  for (const char* name : {"sweep.csv", "curves.csv", "summary.json"})
    CHECK(has(read_file(out + "/" + name), "largest_entry"));
  const auto compared = compare_runs(finished_runs({out}));
  REQUIRE(compared.size() == 2);
  CHECK(compared[1].methods[0].figure("largest_entry") ==
        doctest::Approx(2 * compared[0].methods[0].figure("largest_entry")));
  CHECK(has(comparison_table(compared), "largest"));
  CHECK(has(comparison_csv(compared), "largest_entry"));
}

TEST_CASE(
    "extension: an added application has its figure, uplift, words and a column; an added file is written") {
  const Experiment e = parse_experiment(scenario, "s.toml", "");
  const auto runs = run(e);
  const NamedFiles files = output_files(e, runs, {1, "now"});
  CHECK(has(file(files, "final.csv"), ",tallest,"));
  CHECK(has(file(files, "uplift.csv"), "keep,0,"));
  const auto summary = nlohmann::json::parse(file(files, "summary.json"));
  CHECK(summary.at("methods").at("keep").at("words")[0][1] == "two");
  CHECK(summary.at("methods").at("keep").at("labels")[0] == "keep: only for tests");
  CHECK(has(brief_report(summarize(e, runs)), "tallest"));
  CHECK(file(files, "extra.txt") == "2\n");
  CHECK(files.back().first == "summary.json");
  CHECK_THROWS_WITH_AS(parse_experiment(scenario, "s.toml", "", {{"algorithm.name", "pd-svd"}}),
                       doctest::Contains("\"counting\" takes nonnegative factors: pd-svd does not"),
                       ScenarioError);
}
