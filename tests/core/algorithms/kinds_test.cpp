// The contract of the table of algorithms: every kind says what others need to know, and runs.
#include <doctest/doctest.h>

#include <set>

#include "core/algorithms/kinds.h"
#include "core/experiment/runner.h"
#include "tests/support/experiments.h"

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
    ProcessRuntime runtime(2);
    std::vector<Checkpoint> saved;
    MethodOptions options;
    options.checkpoint_every = 3;
    options.save = [&](Checkpoint c) { saved.push_back(std::move(c)); };
    const MethodResult whole = run_method(runtime, trial, e.methods[0], options);
    for (const Checkpoint& c : saved) {
      MethodOptions again;
      again.resume = c;
      const MethodResult rest = run_method(runtime, trial, e.methods[0], again);
      REQUIRE(rest.factors.size() == whole.factors.size());
      for (std::size_t a = 0; a < rest.factors.size(); ++a) CHECK(rest.factors[a].X == whole.factors[a].X);
      CHECK(rest.counters == whole.counters);
    }
  }
}
