// SPDX-License-Identifier: MIT
// The contract of the table of algorithms: every kind says what others need to know, and runs.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/algorithms/kinds.h"
#include "core/experiment/runner.h"
#include "core/measures/application.h"
#include "crypto/schemes.h"
#include "tests/support/saved_runs.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("kinds: every algorithm says what it is") {
  std::set<std::string_view> names;
  for (const AlgorithmKind* kind : algorithms()) {
    CAPTURE(kind->name);
    CHECK(names.insert(kind->name).second);
    CHECK(!kind->help.empty());
    REQUIRE((kind->settings != nullptr));
    REQUIRE((kind->needs != nullptr));
    REQUIRE((kind->gives != nullptr));
    REQUIRE((kind->workload != nullptr));
    REQUIRE((kind->make != nullptr));
    CHECK((kind->reference != nullptr) == (kind->baseline == Baseline::none));
    OptionSet options;
    options.edit<AlgorithmOptions>().name = std::string(kind->name);
    CHECK(&algorithm_of(options) == kind);
    CHECK(kind->workload(options, {}).iterations >= 1);
    if (kind->reference != nullptr)
      CHECK(kind->reference->gives(options).model == kind->gives(options).model);
    const Needs needs = kind->needs(options);
    CHECK((!needs.normed_sums || needs.sums));
  }
}

TEST_CASE("kinds: a setting that several algorithms have is the same setting") {
  std::map<std::string, const Setting*> seen;
  for (const AlgorithmKind* kind : algorithms())
    for (const Setting& row : settings_of(*kind)) {
      CAPTURE(row.path);
      CHECK(row.path.starts_with("algorithm."));
      const auto [at, is_new] = seen.emplace(row.path, &row);
      CHECK(at->second->allowed == row.allowed);
      CHECK(at->second->help == row.help);
      CHECK(at->second->write(OptionSet{}) == row.write(OptionSet{}));
    }
  CHECK(seen.size() + 1 == algorithm_settings().size());  // and the name
}

TEST_CASE("kinds: every algorithm runs, resumes to the same factors, and hands every party its own input") {
  for (const AlgorithmKind* kind : algorithms()) {
    CAPTURE(kind->name);
    const Experiment e = experiment(small_scenario, {{"algorithm.name", std::string(kind->name)},
                                                     {"algorithm.outer_iterations", "6"},
                                                     {"secure_sum.kind", "shares"},
                                                     {"trials", "1"},
                                                     {"output.factors", "true"}});
    const Trial trial(e, 0);
    const auto inputs = trial.parties();
    REQUIRE(inputs.size() == e.agents());
    for (std::size_t a = 0; a < inputs.size(); ++a) {
      CHECK(inputs[a].samples.cols() == trial.data.parts[a].cols());
      CHECK(inputs[a].response.size() == 0);
    }
    SavedRun run(e, 3);
    REQUIRE(run.boundaries() > 0);
    for (std::size_t at = 0; at < run.boundaries(); ++at) {
      const MethodResult rest = run.resumed(at);
      REQUIRE(rest.factors.size() == run.whole.factors.size());
      for (std::size_t a = 0; a < rest.factors.size(); ++a)
        CHECK(rest.factors[a].X == run.whole.factors[a].X);
      CHECK(rest.counters == run.whole.counters);
    }
  }
}

TEST_CASE("kinds: the list of rooms knows the name of every algorithm, application and scheme") {
  std::ifstream file(std::string(SOTTO_SOURCE_DIR) + "/tests/structure/rooms.txt");
  std::map<std::string, std::set<std::string>> listed;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::string room;
    if (!(words >> word >> room) || word != "names") continue;
    while (words >> word) listed[room].insert(word);
  }
  const auto all = [](const auto& table) {
    const std::vector<std::string> names = names_of(table);
    return std::set(names.begin(), names.end());
  };
  CHECK(listed["core/algorithms:"] == all(algorithms()));
  CHECK(listed["core/measures:"] == all(applications()));
  CHECK(listed["crypto:"] == all(schemes()));
}
