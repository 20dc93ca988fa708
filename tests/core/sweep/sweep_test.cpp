// SPDX-License-Identifier: MIT
#include "core/sweep/sweep.h"
#include "core/sweep/finished_runs.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/experiment/estimate.h"
#include "core/results/comparison.h"
#include "tests/support/data_files.h"
#include "tests/support/experiments.h"

using namespace sotto;
using namespace sotto::testing;
namespace fs = std::filesystem;

namespace {

const std::string tiny = R"(
name = "tiny"
[topology]
generator = "path"
agents = 2
[data]
synthetic = { samples = 4, features = 2, rank = 1 }
[algorithm]
rank = 1
outer_iterations = 2
stop = "never"
)";

ScenarioFile scenario(const std::string& sweep, const std::vector<Assignment>& settings = {},
                      const std::string& base = tiny) {
  return {base + "[sweep]\n" + sweep, "test.toml", "", settings};
}

std::vector<std::string> points_of(const ScenarioFile& file) {
  std::vector<std::string> points;
  for (std::size_t k = 0; k < file.sweep().points(); ++k) points.push_back(file.sweep().describe(k));
  return points;
}

std::string error_of(const std::string& sweep, const std::vector<Assignment>& settings = {}) {
  try {
    scenario(sweep, settings).sweep();
    return "";
  } catch (const ScenarioError& e) {
    return e.what();
  }
}

std::set<std::string> folders_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "points", error))
    names.insert(entry.path().filename().string());
  return names;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("sweep: lists, ranges and tables, the last axis fastest, in the order of the file") {
  CHECK(points_of(scenario(
            "\"exchange.quantization\" = [10, 100]\n\"algorithm.penalty\" = [0.5, \"scale-free\"]")) ==
        std::vector<std::string>{"exchange.quantization = 10, algorithm.penalty = 0.5",
                                 "exchange.quantization = 10, algorithm.penalty = scale-free",
                                 "exchange.quantization = 100, algorithm.penalty = 0.5",
                                 "exchange.quantization = 100, algorithm.penalty = scale-free"});
  CHECK(points_of(scenario("seed = { from = 1, to = 7, steps = 3 }")) ==
        std::vector<std::string>{"seed = 1", "seed = 4", "seed = 7"});
  CHECK(points_of(
            scenario("exchange.quantization = { from = 10, to = 1000000, steps = 6, scale = \"log\" }")) ==
        std::vector<std::string>{"exchange.quantization = 10", "exchange.quantization = 100",
                                 "exchange.quantization = 1000", "exchange.quantization = 10000",
                                 "exchange.quantization = 100000", "exchange.quantization = 1000000"});
  CHECK(points_of(scenario("algorithm.mu = { from = 1.0, to = 0.001, steps = 4, scale = \"log\" }")) ==
        std::vector<std::string>{"algorithm.mu = 1", "algorithm.mu = 0.1", "algorithm.mu = 0.01",
                                 "algorithm.mu = 0.001"});
  CHECK(points_of(scenario("algorithm.mu = { from = 0.1, to = 0.3, steps = 3 }"))[1] == "algorithm.mu = 0.2");
  const ScenarioFile tables =
      scenario("\"data.split\" = [{ kind = \"even\" }, { kind = \"uniform\", min = 1, max = 3 }]");
  DatasetCache cache;
  CHECK(tables.sweep().describe(1) == "data.split = { kind = \"uniform\", max = 3, min = 1 }");
  CHECK(tables.point(0, cache).main.get<DataOptions>().split.kind == SplitKind::even);
  CHECK(tables.point(1, cache).main.get<DataOptions>().split.max == 3);
}

TEST_CASE("sweep: axes that go together, and the command line") {
  const std::string three =
      "\"exchange.key_bits\" = [128, 256]\nseed = [1, 2]\n\"exchange.keys\" = [\"djn\", \"standard\"]\n";
  CHECK(points_of(scenario(three + "zip = [\"exchange.key_bits\", \"exchange.keys\"]")) ==
        std::vector<std::string>{"exchange.key_bits = 128, seed = 1, exchange.keys = djn",
                                 "exchange.key_bits = 128, seed = 2, exchange.keys = djn",
                                 "exchange.key_bits = 256, seed = 1, exchange.keys = standard",
                                 "exchange.key_bits = 256, seed = 2, exchange.keys = standard"});
  CHECK(points_of(scenario(three + "zip = [[\"exchange.key_bits\", \"exchange.keys\", \"seed\"]]")).size() ==
        2);
  CHECK(points_of(scenario(three)).size() == 8);
  CHECK(points_of(scenario(three, {{"sweep.seed", "[5]"}, {"sweep.algorithm.rank", "[1]"}})) ==
        std::vector<std::string>{
            "exchange.key_bits = 128, seed = 5, exchange.keys = djn, algorithm.rank = 1",
            "exchange.key_bits = 128, seed = 5, exchange.keys = standard, algorithm.rank = 1",
            "exchange.key_bits = 256, seed = 5, exchange.keys = djn, algorithm.rank = 1",
            "exchange.key_bits = 256, seed = 5, exchange.keys = standard, algorithm.rank = 1"});
  CHECK(points_of(scenario(three + "zip = [\"exchange.key_bits\", \"exchange.keys\"]",
                           {{"sweep.exchange.key_bits", "[64]"}, {"sweep.exchange.keys", "[\"djn\"]"}}))
            .size() == 2);
  CHECK(scenario(three).experiment().main.get<SchemeOptions>().key_bits == 2048);
}

TEST_CASE("sweep: what is no sweep is refused with its place") {
  const auto refused = [](const std::string& sweep, const std::string& why) {
    CAPTURE(sweep);
    CHECK_MESSAGE(error_of(sweep).find(why) != std::string::npos, error_of(sweep));
  };
  refused("\"exchange.quantisation\" = [1]", "unknown setting; did you mean exchange.quantization?");
  refused("nothing = [1]", "sweep.nothing: unknown setting");
  refused("seed = 3", "test.toml:13:1: sweep.seed: must be a list of values, or { from = ");
  refused("seed = []", "needs one value at least");
  refused("seed = [[1, 2], \"x\", 1979-05-27]", "sweep.seed: must be a whole number");
  refused("seed = { from = 1, to = 5 }", "must be a list of values, or { from = ");
  refused("seed = { from = 1, to = 5, steps = 1 }", "steps must be a whole number from 2");
  refused("seed = { from = 1, to = 5, steps = 2.5 }", "steps must be a whole number from 2");
  refused("seed = { from = \"a\", to = 5, steps = 2 }", "from must be a number");
  refused("seed = { from = 0, to = 5, steps = 2, scale = \"log\" }", "above zero");
  refused("seed = { from = 1, to = 5, steps = 2, scale = \"cubic\" }", "scale must be");
  refused("seed = { from = 1, to = 5, steps = 2, count = 3 }", "must be a list of values, or { from = ");
  refused("seed = { from = 1, to = 3, steps = 9 }", "takes the value 1 twice");
  refused("\"algorithm.mu\" = { from = inf, to = 5.0, steps = 9 }", "must be finite");
  refused("seed = { from = 1, to = 2000000, steps = 1000000 }\ntrials = [1, 2]", "more than 1000000 points");
  refused("seed = [1, 2]\nzip = [\"seed\"]", "two axes at least");
  refused("seed = [1, 2]\nzip = [\"seed\", \"trials\"]", "names trials, which is no axis");
  refused("seed = [1, 2]\ntrials = [1]\nzip = [\"seed\", \"trials\"]", "trials has 1 values, but seed has 2");
  refused("seed = [1, 2]\ntrials = [1, 3]\nzip = [[\"seed\", \"trials\"], [\"seed\", \"trials\"]]", "twice");
  refused("seed = [1, 2]\nzip = 3", "must be a list of axes");
  refused("\"data.split\" = [{ kind = \"even\" }]\n\"data.split.min\" = [1]",
          "is a part of the axis data.split");
  refused("\"exchange.keys\" = [\"djn\"]\n[sweep.exchange]\nkeys = [\"djn\"]", "is there twice");
  refused("method = [1]", "unknown setting");
  CHECK(error_of("seed = [1]", {{"seed", "3"}})
            .find("seed: is an axis of the sweep: --set 'sweep.seed=[...]'") != std::string::npos);
  CHECK_THROWS_WITH_AS(ScenarioFile(tiny, "t", "").sweep(), doctest::Contains("is missing"), ScenarioError);
}

TEST_CASE("sweep: points that are the same, or all invalid") {
  DatasetCache data;
  CHECK_THROWS_WITH_AS(plan_sweep(scenario("\"algorithm.mu\" = [1, 1.0]"), data),
                       doctest::Contains("points 0 and 1 are the same scenario: algorithm.mu = 1"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(plan_sweep(scenario("\"algorithm.rank\" = [50, 60]"), data),
                       doctest::Contains("is 50, but data of 2 features"), ScenarioError);
  const SweepPlan plan = plan_sweep(scenario("\"algorithm.rank\" = [1, 60]"), data);
  CHECK(plan.points[0].hash.size() == 64);
  CHECK(plan.points[1].hash.empty());
  CHECK(plan.points[1].error.find("is 60, but") != std::string::npos);
}

TEST_CASE("sweep: the exports") {
  const TemporaryFolder folder;
  const ScenarioFile file = scenario(
      "\"cost.speed\" = [[1, 2], [2, 1]]\ntrials = [2]\n[[method]]\nname = \"centralized\"\nset = { "
      "\"algorithm.name\" = \"centralized\" }\n");
  CHECK(run_sweep(file, folder.path(), {}).complete);
  const auto sweep = lines_of(folder.path() + "/sweep.csv");
  CHECK(sweep.size() == 1 + 2 * 2 * 2);
  CHECK(sweep[0].starts_with(
      "point,hash,cost.speed,trials,trial,method,iteration,round,converged,nmse,nmse_mean_x,"
      "nmse_held_out,consensus_error,objective,gap_percent,messages,bytes,sim_seconds,"));
  CHECK(sweep[1].find(",\"[1, 2]\",2,0,corrected,2,1,0,") != std::string::npos);
  const auto curves = lines_of(folder.path() + "/curves.csv");
  CHECK(curves.size() == 1 + 2 * 2 * 2);
  CHECK(curves[0].starts_with("point,hash,cost.speed,trials,method,iteration,round,count,nmse"));
  const auto summary = nlohmann::json::parse(read_file(folder.path() + "/summary.json"));
  CHECK(summary.at("done") == 2);
  CHECK(summary.at("axes").at("cost.speed").at(1).at(0) == 2);
  CHECK(summary.at("results").at(1).at("set").at("trials") == 2);
  // means over trials are what the points' own summaries say
  CHECK(summary.at("results").at(0).at("methods").at("corrected").at("nmse").at("mean").is_number());
  const auto runs = compare_runs(finished_runs({folder.path()}));
  REQUIRE(runs.size() == 2);
  REQUIRE(runs[0].settings.size() == 1);
  CHECK(runs[0].settings[0].first == "cost.speed");
  CHECK(runs[0].methods[0].figure("nmse") ==
        summary.at("results").at(0).at("methods").at("corrected").at("nmse").at("mean").get<double>());
  CHECK(comparison_csv(runs).find("run,cost.speed,method,nmse,") == 0);
  CHECK(comparison_table(runs, 1).find("... and 3 rows more") != std::string::npos);
}

TEST_CASE("guard: a point is recorded as done only after its files are on disk") {
  // A disk that fails at the second sync: what the state calls done must have been there at the first.
  const TemporaryFolder folder;
  std::set<std::string> on_disk;
  int syncs = 0;
  SweepOptions options;
  options.jobs = 2;
  options.sync = [&](const std::string& path) {
    if (++syncs == 3) throw OutputError("the disk is gone");
    on_disk = folders_in(path);
  };
  const ScenarioFile file = scenario("seed = { from = 1, to = 3000, steps = 3000 }");
  CHECK_THROWS_WITH_AS(run_sweep(file, folder.path(), options), "the disk is gone", OutputError);
  std::size_t done = 0;
  SweepState(folder.path() + "/state.sqlite").each([&](const PointRecord& p) {
    if (p.state != PointState::done) return;
    ++done;
    CHECK(on_disk.contains(p.hash));
  });
  CHECK(done > 0);
  CHECK(folders_in(folder.path()).size() > done);
  options.resume = true;
  options.sync = sync_file_system;
  const SweepOutcome rest = run_sweep(file, folder.path(), options);
  CHECK(rest.complete);
  CHECK(rest.counts.done == 3000);
}

TEST_CASE("sweep state: a batch is recorded whole or not at all, and ends in the same bytes") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/state.sqlite";
  const SweepIdentity identity{"program", "scenario", {{"a.csv", "12"}}};
  std::vector<PointRecord> points(5);
  for (std::size_t k = 0; k < 5; ++k)
    points[k] = {k, std::string(64, static_cast<char>('a' + k)), PointState::pending, "", 0};
  const auto write = [&](bool at_once) {
    fs::remove(path);
    SweepState state(path);
    CHECK(!state.identity());
    state.plan(identity, points);
    CHECK(state.identity()->inputs.at("a.csv") == "12");
    std::vector<PointRecord> batch = points;
    for (auto& p : batch) p.state = PointState::done;
    batch[3].state = PointState::failed;
    batch[3].error = "why";
    if (at_once) {
      state.record(batch);
    } else {
      for (std::size_t k = 5; k-- > 0;) state.record({batch[k]});
      state.complete_it();
      state.reopen();
      CHECK(!state.complete());
    }
    CHECK(state.counts().done == 4);
    CHECK(state.counts().failed == 1);
    state.complete_it();
    CHECK(state.complete());
    return read_file(path);
  };
  CHECK(write(true) == write(false));
  {
    const std::string whole = read_file(path);
    write_file(path, whole.substr(0, 5000), Durable::now);
    CHECK_THROWS_AS((SweepState(path).each([](const PointRecord&) {})), RunError);
    write_file(path, "this is no database at all, but long enough to look like one. " + std::string(200, 'x'),
               Durable::now);
    CHECK_THROWS_WITH_AS(SweepState{path}, doctest::Contains("is damaged"), RunError);
  }
}

TEST_CASE(
    "sweep: data files are read once for all points, and what a sweep holds does not grow with its points") {
  DatasetCache cache;
  int loads = 0;
  const auto load = [&] {
    ++loads;
    return DatasetCache::Loaded{};
  };
  for (const char* name : {"a", "b", "c", "b", "a"}) cache.get(name, load);
  CHECK(loads == 3);
  DatasetCache small(100);  // bytes: one set at a time
  const auto load_some = [&] {
    ++loads;
    return DatasetCache::Loaded{
        std::make_shared<const Dataset>(Dataset{Matrix(Matrix::Ones(3, 3)), {}, {}, {}}), {}};
  };
  for (const char* name : {"a", "a", "b", "a"}) small.get(name, load_some);
  CHECK(loads == 6);
}

TEST_CASE("sweep: whole ranges are exact") {
  const auto values = [](const std::string& range) {
    std::string text;
    for (const std::string& p : points_of(scenario("seed = " + range))) text += p.substr(7) + " ";
    return text;
  };
  CHECK(values("{ from = 1234567890123, to = 1234567890323, steps = 3 }") ==
        "1234567890123 1234567890223 1234567890323 ");
  CHECK(values("{ from = 9007199254740993, to = 9007199254740999, steps = 2 }") ==
        "9007199254740993 9007199254740999 ");
  CHECK(values("{ from = 1000000000001, to = 1000000000003, steps = 3 }") ==
        "1000000000001 1000000000002 1000000000003 ");
  CHECK(values("{ from = 0, to = 9223372036854775807, steps = 2 }") == "0 9223372036854775807 ");
  CHECK(values("{ from = 10, to = 0, steps = 4 }") == "10 7 3 0 ");
}

TEST_CASE("sweep: a forecast never stands in the way of a point") {
  // the slot does not fit by the forecast's own guess, or really: neither ends the plan
  const std::string paillier =
      tiny + "[exchange]\nscheme = \"paillier\"\nmax_abs = 1e6\nquantization = 1e9\n";
  DatasetCache data;
  const SweepPlan plan = plan_sweep(
      scenario("\"exchange.key_bits\" = [64, 256]", {{"algorithm.penalty", "scale-free"}}, paillier), data);
  CHECK(!plan.points[0].hash.empty());
  CHECK(plan.seconds[0] > 0);
  const TemporaryFolder folder;
  const SweepOutcome outcome = run_sweep(
      scenario("\"exchange.key_bits\" = [64, 256]", {{"algorithm.penalty", "scale-free"}}, paillier),
      folder.path(), {});
  CHECK(outcome.complete);
  CHECK(outcome.counts.failed == 1);
  CHECK(outcome.counts.done == 1);
}

TEST_CASE("sweep state: the database of something else is left alone") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/state.sqlite";
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "CREATE TABLE bookmarks(url)", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(other);
  const std::string before = read_file(path);
  CHECK_THROWS_WITH_AS(run_sweep(scenario("seed = [1, 2]"), folder.path(), {}),
                       doctest::Contains("the database of something else"), ScenarioError);
  CHECK(read_file(path) == before);
}

TEST_CASE("sweep: what somebody deleted is run again") {
  const TemporaryFolder folder;
  const ScenarioFile file = scenario("seed = [1, 2, 3]");
  CHECK(run_sweep(file, folder.path(), {}).complete);
  const std::string whole = read_file(folder.path() + "/sweep.csv");
  const std::string state = read_file(folder.path() + "/state.sqlite");
  fs::remove_all(folder.path() + "/points/" + *folders_in(folder.path()).begin());
  SweepOptions options;
  options.resume = true;
  CHECK(run_sweep(file, folder.path(), options).complete);
  CHECK(folders_in(folder.path()).size() == 3);
  CHECK(read_file(folder.path() + "/sweep.csv") == whole);
  CHECK(read_file(folder.path() + "/state.sqlite") == state);
}

TEST_CASE("estimate: grows with trials, rounds, keys and data") {
  const auto seconds = [](const std::vector<Assignment>& settings) {
    return estimate(experiment(small_scenario, settings)).seconds;
  };
  const double base = seconds({});
  CHECK(base > 0.001);
  CHECK(base < 1);
  CHECK(seconds({{"trials", "20"}}) == doctest::Approx(10 * base));
  CHECK(seconds({{"algorithm.outer_iterations", "310"}}) > 5 * base);
  const double short_keys = seconds({{"exchange.scheme", "paillier"}, {"exchange.key_bits", "1024"}});
  const double long_keys = seconds({{"exchange.scheme", "paillier"}, {"exchange.key_bits", "3072"}});
  CHECK(short_keys > base);
  CHECK(long_keys > 5 * short_keys);
  CHECK(seconds({{"exchange.scheme", "paillier-textbook"}}) > seconds({{"exchange.scheme", "paillier"}}));
  CHECK(estimate(experiment(small_scenario, {{"output.transcript", "true"}})).bytes >
        estimate(experiment()).bytes);
}
