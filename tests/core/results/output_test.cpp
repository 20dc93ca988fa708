// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/results/output.h"
#include "tests/support/experiments.h"

using namespace sotto;
using namespace sotto::testing;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("sotto_output_test_" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

std::vector<std::pair<std::string, std::string>> files_of(const Experiment& e) {
  ProcessRuntime workers(2);
  return output_files(e, run_experiment(workers, e).runs, {2, "2026-01-01T00:00:00Z"});
}

}  // namespace

TEST_CASE("output: the columns and fields that scripts rely on") {
  const Experiment e = experiment(
      small_scenario + "[[method]]\nname = \"centralized\"\nset = { \"algorithm.name\" = \"centralized\" }\n",
      {{"output.metrics_every", "10"}, {"output.factors", "true"}, {"output.transcript", "true"}});
  const auto files = files_of(e);
  CHECK(files.front().first == "manifest.json");
  CHECK(files.back().first == "summary.json");
  const std::string trace = content(files, "trace.csv");
  CHECK(trace.substr(0, trace.find('\n')) ==
        "trial,method,phase,iteration,round,nmse,nmse_mean_x,nmse_held_out,consensus_error,objective,"
        "messages,bytes,sim_seconds");
  CHECK(std::ranges::count(trace, '\n') == 1 + 2 * 2 * 4);  // iterations 10, 20, 30 and the last, 31
  CHECK(std::ranges::count(content(files, "agents.csv"), '\n') == 1 + 2 * 2 * 4 * 6);
  CHECK(content(files, "transcript.csv").size() > 10000);
  CHECK(content(files, "factors.csv").find("\n0,corrected,5,Y,2,") != std::string::npos);
  const auto summary = nlohmann::json::parse(content(files, "summary.json"));
  const auto& corrected = summary.at("methods").at("corrected");
  for (const char* metric :
       {"nmse", "nmse_mean_x", "nmse_held_out", "consensus_error", "objective", "gap_percent"})
    for (const char* figure : {"mean", "sd", "min", "max"})
      CHECK(corrected.at(metric).at(figure).is_number());
  CHECK(corrected.at("labels").size() == 2);
  CHECK(corrected.at("stop").at("limit") == 2);
  CHECK(corrected.at("cost").at("messages").at("mean") == 30 * 2 * 18);
  CHECK(summary.at("methods").at("centralized").at("gap_percent").at("max") == 0);
  const auto manifest = nlohmann::json::parse(content(files, "manifest.json"));
  CHECK(manifest.at("scenario_hash") == e.hash());
  CHECK(manifest.at("inputs").at(0).at("sha256").get<std::string>().size() == 64);
  CHECK(experiment(manifest.at("scenario").get<std::string>()).hash() == e.hash());
}

TEST_CASE("output: numbers read back as the same doubles") {
  const Experiment e = experiment(small_scenario, {{"trials", "1"}, {"output.metrics_every", "31"}});
  ProcessRuntime workers(1);
  const auto runs = run_experiment(workers, e).runs;
  const auto files = output_files(e, runs, {});
  const std::string trace = content(files, "trace.csv");
  const std::string row = trace.substr(trace.find('\n') + 1);
  double nmse = 0;
  REQUIRE(std::sscanf(row.c_str(), "0,corrected,iterate,31,30,%lf", &nmse) == 1);
  CHECK(nmse == runs[0].observations.back().figures.all.get("nmse"));
}

TEST_CASE("output folder: written whole, locked, and refused where it holds something else") {
  Folder folder;
  const Experiment e = experiment(small_scenario, {{"trials", "1"}});
  const Experiment another = experiment(small_scenario, {{"trials", "2"}});
  const auto files = files_of(e);
  {
    OutputFolder out(folder.path.string(), e);
    CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e),
                         doctest::Contains(("another run is writing to this folder: process " +
                                            std::to_string(::getpid()) + " on ")
                                               .c_str()),
                         ScenarioError);
    out.write(files);
  }
  for (const auto& [name, text] : files) CHECK(fs::file_size(folder.path / name) == text.size());
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == static_cast<std::ptrdiff_t>(files.size()));
  CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), another),
                       doctest::Contains("another scenario (trials was 1, is 2)"), ScenarioError);
  CHECK_NOTHROW(OutputFolder(folder.path.string(), e).write(files));  // the same again is fine
  fs::remove(folder.path / "manifest.json");
  CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e), doctest::Contains("no manifest explains"),
                       ScenarioError);
}

TEST_CASE("output folder: a run killed between two renames, or while writing, can be run again") {
  Folder folder;
  const Experiment e = experiment(small_scenario, {{"trials", "1"}});
  const auto files = files_of(e);
  OutputFolder(folder.path.string(), e).write(files);
  fs::rename(folder.path / "summary.json", folder.path / "summary.json.partial");
  std::ofstream(folder.path / "manifest.json.partial") << "{ \"scenario_ha";
  CHECK_NOTHROW(OutputFolder(folder.path.string(), e).write(files));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == static_cast<std::ptrdiff_t>(files.size()));
}

TEST_CASE("output folder: nothing of the user's is touched: other files, links, a folder in the way") {
  Folder folder;
  const Experiment e = experiment(small_scenario, {{"trials", "1"}, {"output.factors", "true"}});
  const auto files = files_of(e);
  fs::create_directories(folder.path);
  std::ofstream(folder.path / "factors.csv") << "precious";
  CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e), doctest::Contains("holds a factors.csv"),
                       ScenarioError);
  fs::remove(folder.path / "factors.csv");
  std::ofstream(folder.path / "victim") << "precious";
  fs::create_symlink("victim", folder.path / "trace.csv.partial");
  OutputFolder(folder.path.string(), e).write(files);
  CHECK(fs::file_size(folder.path / "victim") == 8);
  CHECK(fs::is_regular_file(fs::symlink_status(folder.path / "trace.csv")));
  fs::remove(folder.path / "factors.csv");
  fs::create_directory(folder.path / "factors.csv");
  CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e).write(files), doctest::Contains("in the way"),
                       RunError);
  CHECK(fs::exists(folder.path / "summary.json"));
  for (const char* manifest : {"{\"scenario_hash\": 5}", "[]", "", "\xff"}) {
    std::ofstream(folder.path / "manifest.json") << manifest;
    CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e), doctest::Contains("another scenario"),
                         ScenarioError);
  }
}

TEST_CASE("output: a name that is not UTF-8 does not lose a run") {
  Experiment e = experiment(small_scenario, {{"trials", "1"}});
  e.inputs.front().name = "bad\xff.toml";
  CHECK(content(files_of(e), "manifest.json").find("bad") != std::string::npos);
}

TEST_CASE(
    "output folder: one that was created for nothing is taken away again, what cannot be one is refused") {
  Folder folder;
  const Experiment e = experiment(small_scenario);
  { OutputFolder out(folder.path.string(), e); }
  CHECK(!fs::exists(folder.path));
  std::ofstream(folder.path) << "a file";
  CHECK_THROWS_WITH_AS(OutputFolder(folder.path.string(), e), doctest::Contains("cannot be an output folder"),
                       ScenarioError);
  fs::remove(folder.path);
  const std::string too_long = (folder.path / "a" / std::string(300, 'x')).string();
  CHECK_THROWS_WITH_AS(OutputFolder(too_long, e), doctest::Contains("File name too long"), ScenarioError);
  CHECK(!fs::exists(folder.path));
  CHECK_THROWS_WITH_AS(OutputFolder("/proc/self", e), doctest::Contains("cannot be an output folder"),
                       ScenarioError);
}

TEST_CASE("output folder: if one file cannot be written, none is") {
  Folder folder;
  const Experiment e = experiment(small_scenario, {{"trials", "1"}});
  auto files = files_of(e);
  files.insert(files.begin() + 2, {"no/such/folder.csv", "x"});
  {
    OutputFolder out(folder.path.string(), e);
    CHECK_THROWS_AS(out.write(files), OutputError);
    for (const auto& entry : fs::directory_iterator(folder.path))
      CHECK(entry.path().filename() == ".held-by");
  }
  CHECK(!fs::exists(folder.path));
}

TEST_CASE("spread: mean, sd, extremes, figures that are not there are left out") {
  const Spread s = Spread::of({1, no_figure, 2, 3, 4});
  CHECK(s.count == 4);
  CHECK(s.mean == 2.5);
  CHECK(s.sd == doctest::Approx(1.2909944487));
  CHECK(s.min == 1);
  CHECK(s.max == 4);
  CHECK(Spread::of({}).count == 0);
}

TEST_CASE("report: labels below the table, those of all methods once") {
  std::vector<MethodSummary> methods(2);
  methods[0].name = "a";
  methods[0].labels = {"shared", "of a"};
  methods[1].name = "b";
  methods[1].labels = {"shared"};
  CHECK(label_lines(methods) == "all methods: shared\na: of a\n");
  CHECK(brief_report(methods).ends_with("\n\nall methods: shared\na: of a\n"));
  methods.pop_back();
  CHECK(label_lines(methods) == "a: shared\na: of a\n");
  methods[0].labels.clear();
  CHECK(label_lines(methods).empty());
}

TEST_CASE("report: figures of the application, at most 120 columns") {
  const Experiment e = read_experiment(std::string(SOTTO_SOURCE_DIR) + "/tests/golden/cases/topics.toml");
  ProcessRuntime workers(2);
  const std::string report = brief_report(summarize(e, run_experiment(workers, e).runs));
  std::istringstream lines(report.substr(0, report.find(": ")));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 120);
  for (const Figure* figure : application_of(e.main)->figures) {
    CAPTURE(figure->name);
    CHECK((figure->title.empty() || report.find(figure->title) != std::string::npos));
  }
}
