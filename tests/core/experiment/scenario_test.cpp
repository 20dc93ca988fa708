// SPDX-License-Identifier: MIT
// Scenario files: settings, errors and their places, checks, methods, splits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/algorithms/iteration_options.h"
#include "core/experiment/settings.h"
#include "core/factorization/bcd.h"
#include "network/time/options.h"
#include "network/topology/graph_assembly.h"
#include "tests/support/data_files.h"
#include "tests/support/experiments.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

std::string error_of(const std::string& text, const std::vector<Assignment>& settings = {}) {
  try {
    parse_experiment(text, "s.toml", "", settings);
  } catch (const ScenarioError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("settings: every default is allowed, and reads back as itself") {
  const OptionSet defaults;
  for (const Setting& key : scenario_settings().all()) {
    CAPTURE(key.path);
    CHECK(!key.help.empty());
    CHECK(!key.allowed.empty());
    const auto value = key.write(defaults);
    if (!value || key.path == "name") continue;
    OptionSet s;
    CHECK(!key.read(s, *value));
    CHECK(key.write(s) == value);
  }
}

TEST_CASE("settings: every one refuses a wrong type") {
  for (const Setting& key : scenario_settings().all()) {
    CAPTURE(key.path);
    OptionSet s;
    int refused = 0;
    for (const SettingValue& v : {SettingValue(true), SettingValue(std::string("~")),
                                  SettingValue(std::vector<double>{-1.5}), SettingValue(-1e300)})
      refused += key.read(s, v) ? 1 : 0;
    CHECK(refused >= 3);
  }
}

TEST_CASE("scenario: errors name file, line, column, key and what is allowed") {
  CHECK(error_of("[algorithm]\nrank = 5\nrnak = 3\n") ==
        "s.toml:3:1: algorithm.rnak: unknown setting; did you mean algorithm.rank?");
  CHECK(error_of("[algorithm]\n  rank = \"five\"\n") ==
        "s.toml:2:3: algorithm.rank: must be a whole number from 1 to 100000");
  CHECK(error_of("trials = 0") == "s.toml:1:1: trials: must be a whole number from 1 to 1000000");
  CHECK(error_of("trials = 2.5") == "s.toml:1:1: trials: must be a whole number from 1 to 1000000");
  CHECK(error_of("seed = -1").find("s.toml:1:1: seed: must be") == 0);
  CHECK(error_of("[exchange]\nquantization = nan").find("exchange.quantization: must be a number") !=
        std::string::npos);
  CHECK(error_of("[link]\nlatency_ms = inf").find("link.latency_ms: must be a number from 0") !=
        std::string::npos);
  CHECK(error_of("[algorithm]\nvariant = \"correct\"") ==
        "s.toml:2:1: algorithm.variant: must be one of \"corrected\", \"published\"");
  CHECK(error_of("[topology]\nagents = 0") ==
        "s.toml:2:1: topology.agents: must be a whole number from 1 to 10000000");
  CHECK(error_of("[topolgy]\nagents = 5") == "s.toml:1:2: topolgy: unknown setting");
  CHECK(error_of("rank = 5") == "s.toml:1:1: rank: unknown setting; did you mean algorithm.rank?");
  CHECK(error_of("topology = 5") == "s.toml:1:1: topology: must be a table");
  CHECK(error_of("\"algorithm.rank\" = 3").find("unknown setting") != std::string::npos);
  CHECK(error_of("[algorithm]\nrank = 5\nrank = 6").find("s.toml:3:") == 0);
  CHECK(error_of("[algorithm\n").find("s.toml:1:") == 0);
  CHECK(error_of("seed = 2026-01-01").find("seed: must be a whole number") != std::string::npos);
  CHECK(error_of("[algorithm]\nrank = { a = 1 }").find("algorithm.rank: must be a whole number") !=
        std::string::npos);
  CHECK(error_of("[[algorithm]]\nrank = 5").find("algorithm: must be a table") != std::string::npos);
  CHECK(error_of("[algorithm]\nstop = \"always\"").find("algorithm.stop: must be \"never\"") !=
        std::string::npos);
  CHECK(error_of("[algorithm]\npenalty = \"free\"").find("or \"scale-free\"") != std::string::npos);
}

TEST_CASE("scenario: settings that do not fit each other") {
  CHECK(error_of("[algorithm]\nrank = 31") ==
        "s.toml:2:1: algorithm.rank: is 31, but data of 30 features and 200 samples has rank 30 at most");
  CHECK(error_of("[topology]\nagents = 201")
            .find("201 agents with at least 1 sample each need more than the 200") != std::string::npos);
  CHECK(error_of("[topology]\nagents = 2\naverage_degree = 1\n[data]\nsplit = { sizes = [200, 0] }")
            .find("agent 1 has no samples") != std::string::npos);
  CHECK(error_of("[topology]\nagents = 2\naverage_degree = 1\n[data]\nsplit = { sizes = [100, 99] }")
            .find("adds up to 199") != std::string::npos);
  CHECK(error_of("[data]\nsplit = { sizes = [200] }").find("has 1 entries, but there are 10 agents") !=
        std::string::npos);
  CHECK(error_of("[data]\nsplit = { kind = \"uniform\", min = 30 }").find("at least 30 samples each") !=
        std::string::npos);
  CHECK(error_of("[data]\nsplit = { kind = \"uniform\", max = 19 }")
            .find("at most 19 samples each cannot hold 200") != std::string::npos);
  CHECK(
      error_of("[data]\nsplit = { kind = \"uniform\", min = 9, max = 8 }").find("is below data.split.min") !=
      std::string::npos);
  CHECK(error_of("[data]\nheld_out = 2.5").find("whole number, or a share below 1") != std::string::npos);
  CHECK(error_of("[cost]\nspeed = [1, 2]").find("has 2 entries, but there are 10 agents") !=
        std::string::npos);
  CHECK(
      error_of("[cost]\nspeed = { slow = [1] }").find("cost.speed.slow: needs cost.speed.factor beside it") !=
      std::string::npos);
  CHECK(error_of("[cost]\nspeed = { slow = [10], factor = 0.1 }")
            .find("names agent 10, but the last one is 9") != std::string::npos);
  CHECK(error_of("[topology]\naverage_degree = 1.5")
            .find("topology: average_degree 1.5 cannot connect 10 agents") != std::string::npos);
  CHECK(error_of("[exchange]\nquantization = 1e15\nmax_abs = 1e12").find("between 1 and 2^61") !=
        std::string::npos);
  CHECK(error_of("[exchange]\nquantization = 1e13\npenalty_bits = 40").find("127 is the most") !=
        std::string::npos);
  CHECK(error_of("[algorithm]\npenalty = 1e-9").find("fewer than 16 steps with 16 fractional bits") !=
        std::string::npos);
  CHECK(error_of("[data]\nsynthetic = { samples = 100000000, features = 10000000 }")
            .find("2e+09 is the most") != std::string::npos);
}

TEST_CASE("scenario: a link has the same range in [link] and in a topology file") {
  for (const LinkAttribute& attribute : link_attributes()) {
    CAPTURE(attribute.name);
    CHECK(scenario_settings().find("link." + std::string(attribute.name))->allowed == attribute.allowed());
  }
}

TEST_CASE("scenario: files that are not there or not right") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("sotto_scenario_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "ring.txt") << "0 1\n1 2\n2 0\n";
  std::ofstream(folder / "apart.txt") << "0 1\n2 3\n0 1\n";
  std::ofstream(folder / "islands.txt") << "0 1\n1 2\n2 0\n3 4\n";
  const auto parse = [&](const std::string& text) {
    return parse_experiment(text, "s.toml", folder.string());
  };
  const Experiment e = parse("[topology]\nfile = \"ring.txt\"");
  CHECK(e.agents() == 3);
  CHECK(e.topology(0).edges() == 3);
  CHECK(e.inputs.size() == 2);
  CHECK(e.agent_names.empty());
  CHECK(e.link_attributes.empty());
  std::ofstream(folder / "path.gv") << "graph { Ur -- Rome; Ur -- Oslo [latency_ms=50] }";
  const Experiment named = parse("[topology]\nfile = \"path.gv\"");
  CHECK(named.agent_names == std::vector<std::string>{"Ur", "Rome", "Oslo"});
  CHECK(named.topology(1).edge_list() == std::vector<Edge>{{0, 1}, {0, 2}});
  REQUIRE(named.link_attributes.size() == 2);
  CHECK(!named.link_attributes[0].latency_ms);
  CHECK(named.link_attributes[1].latency_ms == 50);
  const auto fails = [&](const std::string& text, const char* message) {
    CHECK_THROWS_WITH_AS(parse(text), doctest::Contains(message), ScenarioError);
  };
  fails("[topology]\nfile = \"none.txt\"", "s.toml:2:1: topology.file: there is no file");
  fails("[topology]\nfile = \".\"", "is a folder");
  fails("[topology]\nfile = \"apart.txt\"", "apart.txt:3:1: edge 0-1 was on line 1 already");
  fails("[topology]\nfile = \"islands.txt\"",
        "islands.txt: the graph is not connected: agents 3, 4 cannot be reached");
  fails("[topology]\nagents = 4\nfile = \"ring.txt\"",
        "s.toml:2:1: topology.agents: is 4, but ring.txt has 3 agents");
  fails("[topology]\nmin_degree = 2\nfile = \"path.gv\"", "agent \"Rome\" in path.gv has 1 neighbors, not 2");
  fails("[topology]\nmin_degree = 3\nfile = \"ring.txt\"", "agent 0 in ring.txt has 2 neighbors, not 3");
  CHECK_THROWS_WITH_AS(read_experiment((folder / "no.toml").string()), doctest::Contains("there is no file"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(read_experiment(folder.string()), doctest::Contains("is a folder"), ScenarioError);
  fs::remove_all(folder);
}

TEST_CASE("scenario: --set overrides any key and is named in errors") {
  const Experiment e = experiment(small_scenario, {{"algorithm.rank", "2"},
                                                   {"algorithm.variant", "published"},
                                                   {"data.split", "{ kind = \"even\" }"},
                                                   {"algorithm.stop.dwell", "9"}});
  CHECK(e.main.get<IterationOptions>().rank == 2);
  CHECK(e.main.get<DescentOptions>().variant == Variant::published);
  CHECK(e.main.get<DataOptions>().split.kind == SplitKind::even);
  CHECK(e.main.get<IterationOptions>().stops);  // a dwell means stopping
  const Experiment whole =
      experiment(small_scenario, {{"data.split", "{ sizes = [10, 10, 10, 10, 10, 10] }"}});
  CHECK(whole.main.get<DataOptions>().split.kind ==
        SplitKind::sizes);  // a whole table replaces the file's, kind included
  CHECK(error_of("", {{"algorithm.rank", "0"}}) ==
        "--set algorithm.rank=0: algorithm.rank: must be a whole number from 1 to 100000");
  CHECK(error_of("", {{"algorithm.rnak", "1"}}).find("did you mean algorithm.rank?") != std::string::npos);
  CHECK(error_of("", {{"trials", "1\nseed = 2"}}).find("must be one value") != std::string::npos);
  CHECK(error_of("", {{"method", "1"}}).find("cannot be set") != std::string::npos);
}

TEST_CASE("scenario: cost.speed is said in one of three ways, and the last one said holds") {
  CHECK(experiment("[cost]\nspeed = { slow = [1, 1], factor = 0.5 }\n")
            .main.get<CostOptions>()
            .table(10)
            .speed[1] == 0.5);
  CHECK(experiment("[cost]\nspeed = { slow = [0], factor = 0.5 }\n")
            .main.get<CostOptions>()
            .table_of_center()
            .speed[0] == 1);
  const std::string slow = "[cost]\nspeed = { slow = [1], factor = 0.5 }\n";
  const std::string list = "[cost]\nspeed = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  CHECK(experiment(slow, {{"cost.speed", "2"}}).main.get<CostOptions>().slow.empty());
  CHECK(experiment(slow, {{"cost.speed", "2"}}).hash() != experiment(slow, {{"cost.speed", "3"}}).hash());
  CHECK(experiment(list, {{"cost.speed", "3"}}).main.get<CostOptions>().table(10).speed ==
        std::vector<double>(10, 3.0));
  const Experiment e = experiment(list, {{"cost.speed.slow", "[4]"}, {"cost.speed.factor", "0.25"}});
  CHECK(e.main.get<CostOptions>().table(10).speed[1] == 1);
  CHECK(e.main.get<CostOptions>().table(10).speed[4] == 0.25);
  CHECK(experiment(e.resolved).hash() == e.hash());
}

TEST_CASE("scenario: what would not fit in memory, or take for ever, is refused at once") {
  const auto refused = [](const std::string& text, const char* message) {
    CHECK(error_of(text).find(message) != std::string::npos);
  };
  refused(
      "[topology]\nagents = 2000\naverage_degree = 3\nmin_degree = 1000\n[data]\nsynthetic = { samples = "
      "2000 }",
      "min_degree 1000 needs an average_degree of at least 1000");
  refused("[topology]\nagents = 30000\ngenerator = \"complete\"\n[data]\nsynthetic = { samples = 30000 }",
          "edges are too many");
  refused("[data]\nsynthetic = { rank = 100000, samples = 1000000, features = 1 }\n[algorithm]\nrank = 1",
          "2e+09 is the most");
  refused("[exchange]\nquantization = 2.5", "exchange.quantization: must be a whole number");
  refused("[data]\nfile = \"x.npy\"", "data.file: there is no \"x.npy\"");
  refused("[topology]\nagents = 1\nmin_degree = 5", "min_degree 5 is more than 1 agents can have");
  CHECK_THROWS_WITH_AS(read_experiment("/dev/zero"), doctest::Contains("is no file"), ScenarioError);
}

TEST_CASE("scenario: methods") {
  const std::string text = small_scenario + "[[method]]\nname = \"m\"\nset = { \"algorithm.mu\" = 0.5 }\n";
  const Experiment e = experiment(text);
  REQUIRE(e.methods.size() == 2);
  CHECK(e.methods[0].name == "corrected");
  CHECK(e.methods[1].options.get<DescentOptions>().mu == 0.5);
  CHECK(e.methods[0].options.get<DescentOptions>().mu == 0.01);
  CHECK(error_of("[[method]]\nset = {}").find("method[0]: needs a name") != std::string::npos);
  CHECK(error_of("[[method]]\nname = \"../x\"").find("method[0].name: must be") != std::string::npos);
  CHECK(error_of("[[method]]\nname = \"corrected\"").find("taken already") != std::string::npos);
  CHECK(error_of("[[method]]\nname = \"a\"\nste = {}").find("a method has name and set") !=
        std::string::npos);
  CHECK(error_of("[[method]]\nname = \"a\"\nset = { \"seed\" = 2 }").find("same trials") !=
        std::string::npos);
  CHECK(error_of("[[method]]\nname = \"a\"\nset = { \"topology.agents\" = 2 }").find("same trials") !=
        std::string::npos);
  CHECK(error_of("[[method]]\nname = \"a\"\nset = { \"algorithm.mew\" = 2 }")
            .find("s.toml:3:9: algorithm.mew: unknown setting; did you mean algorithm.mu?") == 0);
  CHECK(error_of("method = 3").find("[[method]]") != std::string::npos);
  CHECK(error_of("[[method]]\nname = \"a\"\nset = { \"algorithm.rank\" = 31 }")
            .find("s.toml:3:9: algorithm.rank: is 31") == 0);
}

TEST_CASE("scenario: keys that nothing looks at are accepted and named") {
  const Experiment e =
      experiment("[topology]\ngenerator = \"ring\"\naverage_degree = 7\n[exchange]\nkey_bits = 1024\n");
  CHECK(e.unused == std::vector<std::string>{"exchange.key_bits", "topology.average_degree"});
}

TEST_CASE("scenario: every setting that nothing looks at has a reason") {
  std::set<std::string> seen;
  for (const AlgorithmKind* kind : algorithms())
    for (const DataSource source : {DataSource::nmf, DataSource::file}) {
      OptionSet options;
      options.edit<AlgorithmOptions>().name = kind->name;
      options.edit<DataOptions>().source = source;
      options.edit<LinksGiven>() = {true, true, true};
      for (const Setting& row : scenario_settings().all())
        if (const Unused why = row.unused(options)) {
          CAPTURE(row.path);
          CHECK(!why->empty());
          seen.insert(row.path);
        }
    }
  for (const char* path : {"exchange.key_bits", "link.latency_ms", "topology.radius", "secure_sum.kind",
                           "algorithm.penalty_factor", "application.top_terms", "data.vocabulary"})
    CHECK(seen.contains(path));
  CHECK(!seen.contains("algorithm.rank"));
}

TEST_CASE("scenario: with a sweep a setting is used if a point uses it") {
  const std::string text = "[exchange]\nkey_bits = 1024\n[sweep]\n\"exchange.scheme\" = ";
  const auto unused = [&](const std::string& schemes, Sweeping sweeping) {
    std::string found;
    for (const UnusedSetting& setting : ScenarioFile(text + schemes, "s.toml", "").unused(sweeping))
      found += setting.text() + "\n";
    return found;
  };
  CHECK(unused("[\"plain\", \"paillier\"]", Sweeping::points).empty());
  CHECK(unused("[\"plain\", \"paillier\"]", Sweeping::no).empty());
  CHECK(unused("[\"plain\", \"bfv\"]", Sweeping::points) ==
        "s.toml: `exchange.key_bits` is set, but nothing uses it: exchange.scheme is plain\n");
  CHECK(ScenarioFile("[sweep]\n\"topology.radius\" = [0.1, 0.2]", "s.toml", "")
            .unused(Sweeping::points)
            .at(0)
            .path == "sweep.topology.radius");
}

TEST_CASE("scenario: the resolved text is a scenario that resolves to itself") {
  for (const std::string& text :
       {std::string(), small_scenario,
        small_scenario + "[[method]]\nname = \"m\"\nset = { \"algorithm.stop\" = { dwell = 3 } }\n",
        std::string("[cost]\nflop = 2e-9\nspeed = { slow = [1, 2], factor = 0.5 }\n[algorithm]\npenalty = "
                    "\"scale-free\"\n"),
        std::string(
            "[data]\nsplit = { sizes = [100, 50, 50] }\n[topology]\nagents = 3\naverage_degree = 2\n")}) {
    const Experiment once = experiment(text);
    CAPTURE(once.resolved);
    const Experiment twice = experiment(once.resolved);
    CHECK(twice.resolved == once.resolved);
    CHECK(twice.hash() == once.hash());
  }
  CHECK(experiment(small_scenario, {{"seed", "4"}}).hash() != experiment(small_scenario).hash());
}

TEST_CASE("scenario: every scenario file of the project is valid and uses every key it sets") {
  const TemporaryFolder data;  // stand-ins for what users bring, of the same shape
  data.write("cbcl_train_faces_2429x361_u8.npy", npy("|u1", "(2429, 361)", std::string(2429 * 361, '\x7f')));
  std::string documents = "3430\n100\n3430\n";
  for (int d = 1; d <= 3430; ++d) documents += fmt::format("{} {} 2\n", d, 1 + d % 100);
  data.write("docword.kos.txt.gz", documents);
  ::setenv("SOTTO_DATA", data.path().c_str(), 1);
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SOTTO_SOURCE_DIR) + "/scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const Experiment e = read_experiment(entry.path().string());
    CHECK(e.unused.empty());
    CHECK(e.run().name == entry.path().stem().string());
    ++files;
  }
  CHECK(files >= 2);
  ::unsetenv("SOTTO_DATA");
}

TEST_CASE("split: sizes add up, nobody goes without") {
  RandomStream random({1, 0, 0, "split"});
  for (const char* kind : {"even", "uniform", "skewed"})
    for (const std::size_t agents : {1, 3, 10, 60}) {
      SplitOptions split;
      split.kind = from_word<SplitKind>(kind);
      split.exponent = 2;
      const auto sizes = split_sizes(split, 200, agents, random);
      Index sum = 0;
      for (const Index s : sizes) {
        CHECK(s >= 1);
        sum += s;
      }
      CHECK(sum == 200);
    }
  SplitOptions many;  // far from adding up by chance, and done at once all the same
  many.kind = SplitKind::uniform;
  for (const std::int64_t max : {std::int64_t{0}, std::int64_t{101}, std::int64_t{100'000'000}}) {
    many.max = max;
    Index sum = 0;
    for (const Index s : split_sizes(many, 2'000'000, 20'000, random)) {
      CHECK(s >= 1);
      if (max == 101) CHECK(s <= 101);
      sum += s;
    }
    CHECK(sum == 2'000'000);
  }
  SplitOptions d;
  d.kind = SplitKind::uniform;
  d.min = 4;
  d.max = 40;
  for (int k = 0; k < 100; ++k)
    for (const Index s : split_sizes(d, 200, 10, random)) {
      CHECK(s >= 4);
      CHECK(s <= 40);
    }
}

TEST_CASE(
    "scenario: 12,000 truncated and mutated files: a validated scenario or a ScenarioError, nothing else") {
  std::ifstream file(scenario_file("ppdnmf-synthetic.toml"));
  const std::string original{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(original.size() > 1000);
  RandomStream random({99, 0, 0, "mutator"});
  const std::vector<std::string> pieces{"=",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "\"",
                                        "\n",
                                        "#",
                                        "-1",
                                        "0",
                                        "1e400",
                                        "nan",
                                        "[[method]]\n",
                                        "''",
                                        "..",
                                        "\xff",
                                        "\0x",
                                        "inf",
                                        ",",
                                        "9223372036854775808",
                                        "true",
                                        "\\u0000",
                                        "agents = 0\n"};
  std::size_t valid = 0;
  std::size_t refused = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      const Experiment e = parse_experiment(text, "m.toml", "");
      // what is accepted is in range
      REQUIRE(e.agents() >= 1);
      REQUIRE(e.run().trials >= 1);
      for (const Method& m : e.methods)
        REQUIRE(m.options.get<IterationOptions>().rank <= m.options.get<DataOptions>().synthetic.features);
      ++valid;
    } catch (const ScenarioError& e) {
      REQUIRE(std::string(e.what()).find("m.toml") == 0);
      ++refused;
    }
  };
  for (std::size_t size = 0; size < original.size(); size += 2) attempt(original.substr(0, size));
  const auto attempts = repetitions<std::size_t>(12000, 3000);
  while (valid + refused < attempts) {
    std::string text = original;
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(12));
          break;
        case 2:
          text.insert(at, pieces[random.below(pieces.size())]);
          break;
        case 3:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
          break;
        default:
          std::swap(text[at], text[random.below(text.size())]);
      }
    }
    attempt(text);
  }
  MESSAGE(valid, " valid, ", refused, " refused");
  CHECK(refused > attempts * 5 / 12);
  CHECK(valid > attempts / 24);
}
