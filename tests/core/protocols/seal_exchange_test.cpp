// SPDX-License-Identifier: MIT
// PPDNMF over SEAL, on every engine that is here.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/encrypted_runs.h"
#include "tests/support/repetitions.h"
#include "tests/support/saved_runs.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const char* no_engine = "skipped: neither native SEAL nor Node.js with node-seal is here";

}  // namespace

TEST_CASE(
    "a run over BFV equals the plain one bit for bit, in every privacy mode; one over CKKS to its "
    "precision") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  const bool all_pairs = repetitions(true, false);  // or every mode once, and every scheme once
  int mode = 0;
  for (const char* privacy : {"published", "per-entry", "neighborhood-sum"}) {
    CAPTURE(privacy);
    const MethodResult plain = run_once({{"exchange.privacy", privacy}});
    ++mode;
    for (const std::string& engine : seal_engines()) {
      int place = 0;
      for (const char* scheme : {"bfv", "ckks", "bfv-fast"}) {
        if (++place != mode && !all_pairs) continue;
        CAPTURE(engine);
        CAPTURE(scheme);
        const MethodResult encrypted = run_once(
            {{"exchange.privacy", privacy}, {"exchange.scheme", scheme}, {"exchange.seal_engine", engine}});
        CHECK(encrypted.counters.get("exchange.ciphertexts") > 0);
        CHECK(encrypted.counters.get("exchange.plain_bytes") == plain.counters.get("exchange.plain_bytes"));
        CHECK(encrypted.labels[0].find("SEAL 4.") != std::string::npos);
        if (std::string_view(scheme) != "ckks") {
          check_same(plain, encrypted);
          continue;
        }
        REQUIRE(plain.factors.size() == encrypted.factors.size());
        for (std::size_t k = 0; k < plain.factors.size(); ++k)
          CHECK((plain.factors[k].X - encrypted.factors[k].X).norm() <= 1e-4 * plain.factors[k].X.norm());
      }
    }
  }
}

TEST_CASE("BFV: wide integers, in several ciphertexts each, equal the plain run too") {
  if (seal_engines().empty()) {
    MESSAGE(no_engine);
    return;
  }
  const std::vector<Assignment> wide{{"exchange.privacy", "neighborhood-sum"},
                                     {"exchange.quantization", "1e9"},
                                     {"exchange.max_abs", "1e4"},
                                     {"exchange.penalty_bits", "30"}};
  std::vector<Assignment> over_bfv = wide;
  over_bfv.emplace_back("exchange.scheme", "bfv");
  check_same(run_once(wide), run_once(over_bfv));
}

TEST_CASE("BFV: a saved boundary, started again, gives the same bytes") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& engine : seal_engines())
    for (const char* privacy : {"per-entry", "neighborhood-sum"}) {
      CAPTURE(engine);
      const Experiment e = experiment(encrypted_scenario, {{"exchange.privacy", privacy},
                                                           {"exchange.scheme", "bfv"},
                                                           {"exchange.seal_engine", engine},
                                                           {"output.transcript", "true"}});
      SavedRun run(e, 3);
      REQUIRE(run.boundaries() == 2);
      const MethodResult rest = run.resumed(1);
      check_same(run.whole, rest);
      for (std::size_t a = 0; a < 5; ++a)
        CHECK(rest.transcript[a].back().bytes == run.whole.transcript[a].back().bytes);
    }
}
