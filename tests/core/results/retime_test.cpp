// SPDX-License-Identifier: MIT
// A finished run, timed again: the same bytes under the same settings, what a new run would say under others, and
// nothing but an error from a record that is not whole.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/compression.h"
#include "core/experiment/recording.h"
#include "core/results/output.h"
#include "core/results/retime.h"
#include "tests/support/experiments.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;
namespace fs = std::filesystem;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

const std::string scenario = small_scenario + R"(
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized" }
)";

/// Of different latency, bandwidth and loss, where an edge says so.
std::vector<LinkAttributes> some_attributes(std::size_t edges) {
  std::vector<LinkAttributes> attributes(edges);
  attributes.at(0).latency_ms = 40;
  attributes.at(1).bandwidth_mbit = 0.5;
  attributes.at(2).loss = 0.4;
  return attributes;
}

std::vector<MethodResult> runs_of(const Experiment& e, int threads = 2) {
  ProcessRuntime workers(threads);
  return run_experiment(workers, e).runs;
}

/// A run's folder, as `sotto run` leaves it.
struct RunFolder {
  fs::path path = fs::temp_directory_path() / ("sotto_retime_test_" + std::to_string(::getpid()));
  Files files;

  explicit RunFolder(const Experiment& e) : files(output_files(e, runs_of(e), {})) {
    fs::remove_all(path);
    OutputFolder(path.string(), e).write(files);
  }
  ~RunFolder() { fs::remove_all(path); }

  Files retimed(const std::vector<Assignment>& settings) const {
    const FinishedRun run = read_finished_run(path.string(), settings);
    return output_files(run.experiment, retime(run), {});
  }
  void replace(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
};

const std::vector<std::string> timed_files{"trace.csv", "agents.csv", "links.csv", "summary.json"};

Experiment on_a_ring(const std::vector<Assignment>& settings = {}) {
  std::vector<Assignment> all{{"topology.generator", "ring"}, {"algorithm.outer_iterations", "6"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Experiment e = experiment(scenario, all);
  e.link_attributes = some_attributes(6);
  return e;
}

}  // namespace

TEST_CASE("retime: under the same settings the same bytes; without what was not recorded") {
  const RunFolder run(on_a_ring({{"output.factors", "true"}, {"output.transcript", "true"}}));
  const Files again = run.retimed({});
  for (const std::string& name : timed_files) CHECK(content(again, name) == content(run.files, name));
  CHECK(again.size() == run.files.size() - 3);
  const auto manifest = nlohmann::json::parse(content(again, "manifest.json"));
  CHECK(manifest.at("retimed_from") ==
        nlohmann::json::parse(content(run.files, "manifest.json")).at("scenario_hash"));
  CHECK(manifest.at("scenario_hash") == manifest.at("retimed_from"));
}

TEST_CASE("retime: under other settings what a run under them would have written") {
  const std::vector<std::vector<Assignment>> cases{
      {{"link.latency_ms", "50"}},
      {{"link.bandwidth_mbit", "0.1"}, {"link.duplex", "half"}},
      {{"link.loss", "0.3"}},
      {{"link.loss", "0.2"},
       {"link.duplex", "half"},
       {"cost.flop", "1e-6"},
       {"cost.speed", "[1, 2, 0.1, 1, 1, 1]"}},
      {{"cost", "{ speed = { slow = [2], factor = 0.01 } }"}, {"link.loss", "0.1"}}};
  const RunFolder run(on_a_ring());
  for (const auto& settings : cases) {
    const Experiment changed = on_a_ring(settings);
    const Files from_the_start = output_files(changed, runs_of(changed), {});
    const Files again = run.retimed(settings);
    for (const std::string& name : timed_files) CHECK(content(again, name) == content(from_the_start, name));
    CHECK(content(again, "trace.csv") != content(run.files, "trace.csv"));
    CHECK(nlohmann::json::parse(content(again, "manifest.json")).at("scenario_hash") == changed.hash());
  }
}

TEST_CASE("retime: loss and slow links change simulated time, never results, messages or bytes") {
  const auto plain = runs_of(experiment());
  const auto lossy = runs_of(
      experiment(small_scenario, {{"link.loss", "0.3"}, {"link.duplex", "half"}, {"link.latency_ms", "70"}}));
  REQUIRE(plain.size() == lossy.size());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    REQUIRE(plain[k].observations.size() == lossy[k].observations.size());
    for (std::size_t o = 0; o < plain[k].observations.size(); ++o) {
      for (const Figure* figure : trace_figures())
        CHECK(plain[k].observations[o].figures.all.get(*figure) ==
              lossy[k].observations[o].figures.all.get(*figure));
      CHECK(plain[k].timing.total(o).bytes == lossy[k].timing.total(o).bytes);
    }
    CHECK(plain[k].timing.end < lossy[k].timing.end);
  }
  const auto cost = [](const std::vector<MethodResult>& runs) {
    return summarize(experiment(), runs).front().figure("retransmissions");
  };
  CHECK(cost(plain).max == 0);
  CHECK(cost(lossy).mean == doctest::Approx(30 * 2 * 18 * 0.3 / 0.7).epsilon(0.2));
}

TEST_CASE("retime: a topology file is not needed a second time") {
  const fs::path file = fs::temp_directory_path() / ("sotto_retime_graph_" + std::to_string(::getpid()));
  std::ofstream(file) << "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n";
  const std::string name = fs::absolute(file).string();
  const RunFolder run(experiment(scenario, {{"topology.file", name}, {"algorithm.outer_iterations", "6"}}));
  fs::remove(file);
  const Files again = run.retimed({});
  for (const std::string& f : timed_files) CHECK(content(again, f) == content(run.files, f));
  CHECK(nlohmann::json::parse(content(again, "manifest.json")).at("inputs") ==
        nlohmann::json::parse(content(run.files, "manifest.json")).at("inputs"));
}

TEST_CASE("retime: only link and cost can change, and only of a run that was recorded") {
  const RunFolder run(on_a_ring());
  for (const char* key : {"seed", "trials", "algorithm.rank", "topology.agents", "linkage", "output.events"})
    CHECK_THROWS_WITH_AS(run.retimed({{key, "3"}}), doctest::Contains("only link and cost"), ScenarioError);
  CHECK_THROWS_WITH_AS(run.retimed({{"link.loss", "1"}}), doctest::Contains("a number from 0 to 0.99"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(run.retimed({{"link.speed", "1"}}), doctest::Contains("unknown setting"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(run.retimed({{"cost.speed", "[1, 2]"}}), doctest::Contains("has 2 entries"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(read_finished_run("/nowhere", {}), doctest::Contains("there is no file"),
                       ScenarioError);

  const std::string manifest = content(run.files, "manifest.json");
  for (const char* bad : {"", "[]", "{}", "{\"scenario_hash\": 3, \"scenario\": 4}", "\xff"}) {
    run.replace("manifest.json", bad);
    CHECK_THROWS_WITH_AS(run.retimed({}), doctest::Contains("not the manifest of a run"), ScenarioError);
  }
  auto changed = nlohmann::json::parse(manifest);
  changed["retimed_from"] = "abc";
  run.replace("manifest.json", changed.dump());
  CHECK_THROWS_WITH_AS(run.retimed({}), doctest::Contains("timed again itself"), ScenarioError);
  changed = nlohmann::json::parse(manifest);
  changed["scenario_hash"] = "abc";
  run.replace("manifest.json", changed.dump());
  CHECK_THROWS_WITH_AS(run.retimed({}), doctest::Contains("another run than the manifest"), FormatError);
  run.replace("manifest.json", manifest);
  fs::remove(run.path / "events.bin");
  CHECK_THROWS_WITH_AS(run.retimed({}), doctest::Contains("events.bin"), ScenarioError);

  const RunFolder unrecorded(on_a_ring({{"output.events", "false"}}));
  CHECK(!fs::exists(unrecorded.path / "events.bin"));
  CHECK_THROWS_WITH_AS(unrecorded.retimed({}), doctest::Contains("output.events"), ScenarioError);
}

TEST_CASE("retime: a folder of a run and one of a run timed again are not taken for each other") {
  const Experiment e = on_a_ring();
  const RunFolder run(e);
  const FinishedRun again = read_finished_run(run.path.string(), {});
  CHECK(again.experiment.hash() == e.hash());
  CHECK_THROWS_WITH_AS(OutputFolder(run.path.string(), again.experiment),
                       doctest::Contains("another scenario"), ScenarioError);
}

TEST_CASE("events.bin: the same bytes for any number of threads; a version that is not known is named") {
  const Experiment e = on_a_ring();
  const std::string text = events_file(e.hash(), runs_of(e, 1));
  CHECK(text == events_file(e.hash(), runs_of(e, 3)));
  std::string newer = text;
  newer.at(sizeof(std::uint64_t) + std::string("sotto events ").size()) = '7';
  CHECK_THROWS_WITH_AS(EventsFile::parse(newer), doctest::Contains("version 7"), FormatError);
  CHECK_THROWS_WITH_AS(EventsFile::parse("PK\3\4 something else entirely"),
                       doctest::Contains("no record of events"), FormatError);
}

TEST_CASE("compression: there and back; what claims to be larger than it can be is refused at once") {
  Writer w;
  for (std::uint64_t k = 0; k < 100'000; ++k) w.put(k * k % 1000);
  const Bytes bytes = w.take();
  const Bytes small = compress(bytes);
  CHECK(small.size() < bytes.size() / 4);
  CHECK(decompress(small) == bytes);
  CHECK(decompress(compress({})).empty());
  for (const std::uint64_t size : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{bytes.size() + 1},
                                   std::uint64_t{bytes.size() - 1}, std::uint64_t{0}}) {
    Bytes lie = small;
    std::memcpy(lie.data(), &size, sizeof size);
    CHECK_THROWS_AS(decompress(lie), FormatError);
  }
  const Bytes zeros =
      compress(Bytes(50'000'000));  // a bomb is found out as soon as it exceeds what it declared
  Bytes bomb = zeros;
  const std::uint64_t little = 1000;
  std::memcpy(bomb.data(), &little, sizeof little);
  CHECK_THROWS_AS(decompress(bomb), FormatError);
}

TEST_CASE(
    "events.bin: truncated or changed anywhere, it is an error or another valid record, never a crash") {
  const Experiment e = experiment(small_scenario, {{"topology.generator", "ring"},
                                                   {"topology.agents", "3"},
                                                   {"trials", "1"},
                                                   {"algorithm.outer_iterations", "2"},
                                                   {"data.split.max", "40"}});
  FinishedRun run{e, events_file(e.hash(), runs_of(e)), "some/events.bin"};
  run.experiment.retimed_from = e.hash();
  REQUIRE(retime(run).size() == 1);
  const std::string whole = run.events;
  const auto survives = [&](const std::string& text) {
    run.events = text;
    try {
      retime(run);
      return true;
    } catch (const FormatError& error) {
      CHECK(std::string(error.what()).starts_with("some/events.bin: "));
      return false;
    }
  };
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK(!survives(whole.substr(0, size)));
  CHECK(!survives(whole + "x"));

  RandomStream random({9, 0, 0, "mutations"});
  const auto mutated = [&](auto bytes) {
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(bytes.size());
      const std::uint64_t kind = random.below(4);
      bytes[at] = kind == 0 ? 0 : kind == 1 ? static_cast<char>(0xff) : static_cast<char>(random.next());
    }
    return bytes;
  };
  const int mutations = repetitions(5000, 500);
  for (int k = 0; k < mutations; ++k) survives(mutated(whole));
  // inside the compression, whose own checksum would stop nearly all of them
  const EventsFile file = EventsFile::parse(whole);
  const Bytes inner = decompress(file.runs.front());
  int survivors = 0;
  for (int k = 0; k < mutations; ++k) {
    MethodResult changed;
    changed.events = compress(mutated(inner));
    survivors += survives(events_file(e.hash(), {changed})) ? 1 : 0;
  }
  CHECK(survivors > mutations / 50);  // a changed number of flops is another valid record
  CHECK(survivors < mutations - mutations / 50);
}
