// SPDX-License-Identifier: MIT
// The exchanges that keep their promise: encrypted runs equal plain ones to the last bit, and each guard (dither, masks) has
// the attack that its absence allows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <NTL/LLL.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/protocols/neighbor_exchange.h"
#include "core/protocols/tags.h"
#include "crypto/schemes.h"
#include "crypto/seal/engine.h"
#include "tests/support/encrypted_runs.h"
#include "tests/support/saved_runs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

constexpr std::size_t entries = 16;

struct Seen {
  std::vector<std::vector<std::vector<std::int64_t>>> I;  // by round, agent
  RunResult run;
};

/// Rounds of an exchange on a graph; U of an agent stays within 1/100 of what all share, as near consensus.
Seen exchange(const Topology& graph, const std::string& privacy, int rounds) {
  ExchangeOptions settings;
  settings.privacy = from_word<ExchangePrivacy>(privacy);
  const std::shared_ptr<const AdditiveScheme> scheme = make_scheme("plain");
  Seen seen;
  seen.I.assign(static_cast<std::size_t>(rounds), std::vector<std::vector<std::int64_t>>(graph.agents()));
  Workers workers(1);
  RuntimeOptions options;
  options.transcript = true;
  seen.run = run_agents(
      workers, graph,
      [&](Agent& me) -> Task<void> {
        NeighborExchange exchange(me, scheme, settings, {0.5, 0.5}, entries, false);
        co_await exchange.open();
        StopFlag flag;
        RandomStream random = me.random("U");
        for (int round = 0; round < rounds; ++round) {
          Matrix U(entries, 1);
          for (Index k = 0; k < U.size(); ++k) U(k) = 0.3 + 0.01 * random.uniform();
          for (const double u : U.reshaped())
            seen.I[static_cast<std::size_t>(round)][me.id()].push_back(std::llrint(1e4 * u));
          co_await exchange.round(U, flag);
        }
      },
      options);
  return seen;
}

/// The words of agent 0's replies, by round and sender.
std::vector<std::map<AgentId, std::vector<std::int64_t>>> replies_to_agent_0(const Seen& seen) {
  std::vector<std::map<AgentId, std::vector<std::int64_t>>> rounds(seen.I.size());
  std::map<AgentId, std::size_t> round_of;
  for (const Message& m : seen.run.transcript[0]) {
    if (m.tag != tags::exchange_reply) continue;
    Reader r(m.bytes);
    r.get<std::uint64_t>();
    auto& words = rounds[round_of[m.from]++][m.from];
    while (r.left() > 0) words.push_back(r.get<std::int64_t>());
  }
  return rounds;
}

/// Lattice reduction on what an agent with two neighbors sums up, S = G_1 d_1 + G_2 d_2: short vectors orthogonal to S are
/// orthogonal to d_1 and d_2 themselves, so their complement is the span of what nobody should know.
bool lattice_finds_span(const std::vector<std::int64_t>& S, const std::vector<std::int64_t>& d1,
                        const std::vector<std::int64_t>& d2) {
  const long n = static_cast<long>(S.size());
  NTL::Mat<NTL::ZZ> basis;
  basis.SetDims(n, n + 1);
  const NTL::ZZ scale = NTL::power(NTL::ZZ(2), 80);
  for (long row = 0; row < n; ++row) {
    basis[row][row] = 1;
    basis[row][n] = scale * S[static_cast<std::size_t>(row)];
  }
  NTL::ZZ determinant;
  NTL::LLL(determinant, basis, 99, 100);
  const auto product = [&](long row, const std::vector<std::int64_t>& d) {
    NTL::ZZ sum(0);
    for (long k = 0; k < n; ++k) sum += basis[row][k] * d[static_cast<std::size_t>(k)];
    return sum;
  };
  for (long row = 0; row < n - 2; ++row)
    if (product(row, d1) != 0 || product(row, d2) != 0) return false;
  return true;
}

std::vector<std::int64_t> difference(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> d(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) d[k] = a[k] - b[k];
  return d;
}

}  // namespace

TEST_CASE(
    "an encrypted run equals the plain one bit for bit, in every privacy mode, with every kind of key") {
  for (const char* privacy : {"published", "per-entry", "neighborhood-sum"}) {
    CAPTURE(privacy);
    const MethodResult plain = run_once({{"exchange.privacy", privacy}});
    CHECK(plain.counters.get("exchange.ciphertexts") == 0);
    for (const auto& [scheme, keys, bits] : {std::tuple{"paillier", "standard", "256"},
                                             {"paillier", "djn", "512"},
                                             {"paillier", "subgroup", "512"},
                                             {"paillier", "djn", "128"},
                                             {"paillier-textbook", "standard", "128"},
                                             {"paillier-textbook", "standard", "256"}}) {
      CAPTURE(scheme);
      CAPTURE(keys);
      const MethodResult encrypted = run_once({{"exchange.privacy", privacy},
                                               {"exchange.scheme", scheme},
                                               {"exchange.keys", keys},
                                               {"exchange.key_bits", bits}});
      check_same(plain, encrypted);
      CHECK(encrypted.counters.get("exchange.ciphertexts") > 0);
      CHECK(encrypted.counters.get("exchange.plain_bytes") == plain.counters.get("exchange.plain_bytes"));
      CHECK(encrypted.counters.get("exchange.bytes") > encrypted.counters.get("exchange.plain_bytes"));
    }
  }
}

TEST_CASE(
    "an encrypted run equals the plain one at 2048 bits, and variant = published with its factors in clear") {
  const MethodResult plain = run_once({{"exchange.privacy", "neighborhood-sum"}});
  check_same(plain, run_once({{"exchange.privacy", "neighborhood-sum"}, {"exchange.scheme", "paillier"}}));
  const MethodResult published = run_once({{"algorithm.variant", "published"}});
  check_same(published, run_once({{"algorithm.variant", "published"},
                                  {"exchange.scheme", "paillier-textbook"},
                                  {"exchange.key_bits", "128"}}));
}

TEST_CASE("entropy = os: nothing secret follows from the seed, and a run cannot go on from a saved state") {
  const std::vector<Assignment> os{{"entropy", "os"},
                                   {"exchange.privacy", "neighborhood-sum"},
                                   {"exchange.scheme", "paillier"},
                                   {"exchange.key_bits", "256"},
                                   {"output.transcript", "true"}};
  const MethodResult first = run_once(os);
  const MethodResult second = run_once(os);
  REQUIRE(first.transcript[0].size() == second.transcript[0].size());
  std::size_t same = 0;
  for (std::size_t k = 0; k < first.transcript[0].size(); ++k)
    same += first.transcript[0][k].bytes == second.transcript[0][k].bytes ? 1 : 0;
  CHECK(same == 0);
  // factors and dither too: results are as good, not the same
  const double one = first.observations.back().figures.all.get("nmse_mean_x");
  const double other = second.observations.back().figures.all.get("nmse_mean_x");
  CHECK(one != other);
  CHECK(one == doctest::Approx(other).epsilon(0.2));

  const Experiment e = experiment(encrypted_scenario, os);
  ProcessRuntime workers(1);
  const Trial trial(e, 0);
  Bytes saved;
  MethodOptions options;
  options.checkpoint_every = 2;
  options.save = [&](const Checkpoint& c) { saved = c.save(); };
  run_method(workers, trial, e.methods[0], options);
  MethodOptions again;
  again.resume = Checkpoint::load(saved);
  CHECK_THROWS_WITH_AS(run_method(workers, trial, e.methods[0], again), doctest::Contains("never saved"),
                       RunError);
}

TEST_CASE("two methods of a trial share keys, and never a randomizer or a mask") {
  const Experiment e = experiment(encrypted_scenario + "[[method]]\nname = \"twin\"\nset = {}\n",
                                  {{"exchange.privacy", "neighborhood-sum"},
                                   {"exchange.scheme", "paillier"},
                                   {"exchange.key_bits", "256"},
                                   {"output.transcript", "true"}});
  ProcessRuntime workers(1);
  const Trial trial(e, 0);
  const MethodResult a = run_method(workers, trial, e.methods[0]);
  const MethodResult b = run_method(workers, trial, e.methods[1]);
  check_same(a, b);
  REQUIRE(a.transcript[0].size() == b.transcript[0].size());
  for (std::size_t k = 0; k < a.transcript[0].size(); ++k)
    CHECK(a.transcript[0][k].bytes != b.transcript[0][k].bytes);
}

TEST_CASE("private exchanges: a saved boundary, started again, gives the same bytes") {
  for (const char* privacy : {"per-entry", "neighborhood-sum"})
    for (const char* scheme : {"plain", "paillier"}) {
      CAPTURE(privacy);
      CAPTURE(scheme);
      const Experiment e = experiment(encrypted_scenario, {{"exchange.privacy", privacy},
                                                           {"exchange.scheme", scheme},
                                                           {"exchange.key_bits", "256"},
                                                           {"output.transcript", "true"}});
      SavedRun run(e);
      REQUIRE(run.boundaries() == 7);
      for (const std::size_t at : {0, 1, 4}) {
        const MethodResult rest = run.resumed(at);
        check_same(run.whole, rest);
        CHECK(rest.counters.get("exchange.ciphertexts") == run.whole.counters.get("exchange.ciphertexts"));
        for (std::size_t a = 0; a < 5; ++a)  // ciphertexts and masks go on where they were
          CHECK(rest.transcript[a].back().bytes == run.whole.transcript[a].back().bytes);
      }
    }
}

TEST_CASE("guard: dither; without it the gcd over rounds of one entry is its factor") {
  const Topology pair(2, {{0, 1}});
  const Seen seen = exchange(pair, "per-entry", 20);
  const auto replies = replies_to_agent_0(seen);
  int found = 0;
  int found_without = 0;
  for (std::size_t e = 0; e < entries; ++e) {
    std::int64_t with_dither = 0;
    std::int64_t without = 0;
    const std::int64_t factor = 20011 + static_cast<std::int64_t>(e);  // what such a factor looks like
    for (std::size_t round = 0; round < replies.size(); ++round) {
      with_dither = std::gcd(with_dither, replies[round].at(1)[e]);
      without = std::gcd(without, factor * (seen.I[round][1][e] - seen.I[round][0][e]));
    }
    found += with_dither > 1 ? 1 : 0;
    found_without += without == factor ? 1 : 0;
  }
  CHECK(found_without == entries);
  CHECK(found == 0);
}

TEST_CASE("guard: dither; without it lattice reduction on one round finds the span of all U_j - U_i") {
  const Topology triangle(3, {{0, 1}, {1, 2}, {0, 2}});
  const Seen seen = exchange(triangle, "neighborhood-sum", 8);
  const auto replies = replies_to_agent_0(seen);
  RandomStream random({5, 0, 0, "factors"});
  int found = 0;
  int found_without = 0;
  for (std::size_t round = 0; round < replies.size(); ++round) {
    const auto d1 = difference(seen.I[round][1], seen.I[round][0]);
    const auto d2 = difference(seen.I[round][2], seen.I[round][0]);
    std::vector<std::int64_t> sum(entries);
    std::vector<std::int64_t> bare(entries);
    const auto G1 = static_cast<std::int64_t>(16384 + random.below(16384));
    const auto G2 = static_cast<std::int64_t>(16384 + random.below(16384));
    for (std::size_t e = 0; e < entries; ++e) {
      sum[e] = static_cast<std::int64_t>(static_cast<std::uint64_t>(replies[round].at(1)[e]) +
                                         static_cast<std::uint64_t>(replies[round].at(2)[e]));
      bare[e] = G1 * d1[e] + G2 * d2[e];
    }
    found += lattice_finds_span(sum, d1, d2) ? 1 : 0;
    found_without += lattice_finds_span(bare, d1, d2) ? 1 : 0;
  }
  CHECK(found_without == 8);
  CHECK(found == 0);
}

TEST_CASE("guard: masks; a reply alone is noise, the sum over neighbors is what it should be") {
  const Topology graph(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}});
  const Seen seen = exchange(graph, "neighborhood-sum", 40);
  std::array<int, 16> top_bits{};
  int in_range = 0;
  int sums_out_of_range = 0;
  int words = 0;
  const auto replies = replies_to_agent_0(seen);
  for (std::size_t round = 0; round < replies.size(); ++round) {
    for (std::size_t e = 0; e < entries; ++e) {
      std::uint64_t sum = 0;
      for (const auto& [from, reply] : replies[round]) {
        sum += static_cast<std::uint64_t>(reply[e]);
        // without a mask: at most 32768 (2 * 100 + 1)
        in_range += std::abs(reply[e]) < 10'000'000 ? 1 : 0;
        ++top_bits[static_cast<std::uint64_t>(reply[e]) >> 60];
        ++words;
      }
      sums_out_of_range += std::abs(static_cast<std::int64_t>(sum)) < 3 * 10'000'000 ? 0 : 1;
    }
  }
  CHECK(words == 40 * 16 * 3);
  CHECK(in_range == 0);
  CHECK(sums_out_of_range == 0);
  double chi_square = 0;
  for (const int count : top_bits) chi_square += std::pow(count - words / 16.0, 2) / (words / 16.0);
  CHECK(chi_square < 37.7);  // 15 degrees of freedom, one in a thousand; the seed is fixed
}

TEST_CASE("private exchanges: what cannot be is refused, with the agents' names") {
  const auto refused = [](const std::vector<Assignment>& settings,
                          const std::string& text = encrypted_scenario) {
    try {
      experiment(text, settings);
    } catch (const ScenarioError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(refused({{"exchange.privacy", "neighborhood-sum"},
                 {"topology.generator", "path"},
                 {"topology.min_degree", "1"}})
            .find("two neighbors everywhere, but each of agents 0, 4 has fewer") != std::string::npos);
  CHECK(refused({{"exchange.privacy", "neighborhood-sum"},
                 {"topology.generator", "star"},
                 {"topology.agents", "20"},
                 {"topology.min_degree", "1"},
                 {"data.split", "{ kind = \"even\" }"}})
            .find("1, 2, 3, 4, 5, 6, 7, 8, 11 more has fewer") != std::string::npos);
  CHECK(refused({{"exchange.privacy", "per-entry"}, {"algorithm.variant", "published"}})
            .find("exchange.privacy: is \"per-entry\", but algorithm.variant") != std::string::npos);
  CHECK(refused(
            {{"exchange.scheme", "paillier"}, {"exchange.key_bits", "64"}, {"exchange.quantization", "1e13"}})
            .find("exchange.key_bits: 64 bits have no room for one slot of 65 bits") != std::string::npos);
  CHECK(refused({{"exchange.scheme", "paillier"},
                 {"exchange.key_bits", "64"},
                 {"exchange.privacy", "neighborhood-sum"},
                 {"exchange.quantization", "4e11"}})
            .find("exchange.key_bits: 64 bits have no room for one slot of") != std::string::npos);
  CHECK(refused({{"exchange.scheme", "paillier"}, {"exchange.key_bits", "1025"}})
            .find("must be an even number") != std::string::npos);
  // a graph that only a later trial draws
  std::vector<Assignment> thin{{"exchange.privacy", "neighborhood-sum"},
                               {"topology.min_degree", "1"},
                               {"topology.agents", "6"},
                               {"topology.average_degree", "2.4"},
                               {"data.split", "{ kind = \"even\" }"},
                               {"trials", "30"}};
  int seed = 0;
  do thin.emplace_back("seed", std::to_string(++seed));
  while (seed < 1000 && refused(thin) != "accepted");
  ProcessRuntime workers(1);
  CHECK_THROWS_WITH_AS(run_experiment(workers, experiment(encrypted_scenario, thin)),
                       doctest::Contains("two neighbors everywhere"), ScenarioError);
}

TEST_CASE("labels: what each exchange reveals, toy keys, and nothing for a scheme that keeps its promise") {
  const auto labels = [](const std::vector<Assignment>& settings) {
    std::string all;
    for (const std::string& label : run_once(settings).labels) all += label + "\n";
    return all;
  };
  CHECK(labels({{"exchange.scheme", "paillier"}, {"exchange.key_bits", "256"}})
            .find("keys of 256 bits: insecure") != std::string::npos);
  CHECK(labels({{"exchange.scheme", "paillier"}, {"exchange.key_bits", "256"}, {"exchange.keys", "subgroup"}})
            .find("younger assumption") != std::string::npos);
  CHECK(labels({{"exchange.privacy", "per-entry"}}).find("up to a factor") != std::string::npos);
  const std::string sum = labels({{"exchange.privacy", "neighborhood-sum"}, {"exchange.scheme", "paillier"}});
  CHECK(sum.find("no encryption") == std::string::npos);
  CHECK(sum.find("insecure") == std::string::npos);
  CHECK(sum.find("learns the sum over its neighbors") != std::string::npos);
}

TEST_CASE("SEAL: what does not fit is refused with the numbers, before anything is encrypted") {
  const auto refused = [](const std::vector<Assignment>& settings) -> std::string {
    try {
      experiment(encrypted_scenario, settings);
      return "";
    } catch (const ScenarioError& e) {
      return e.what();
    }
  };
  const std::string wide = refused({{"exchange.scheme", "ckks"}, {"exchange.quantization", "1e11"}});
  CHECK(wide.find("exchange.quantization: CKKS: replies of ") != std::string::npos);
  CHECK(wide.find("it tells integers apart up to 46 (31 and 28)") != std::string::npos);
  CHECK(refused({{"exchange.scheme", "bfv"}, {"exchange.quantization", "1e11"}}).empty());
  if (!has_native_seal())
    CHECK(refused({{"exchange.scheme", "bfv"}, {"exchange.seal_engine", "native"}})
              .find("exchange.seal_engine: is \"native\", but this program was built without SEAL") !=
          std::string::npos);
}
