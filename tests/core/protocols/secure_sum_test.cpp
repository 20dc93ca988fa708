// SPDX-License-Identifier: MIT
// Secure sums: the right sum for everybody on every graph, what it takes, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/protocols/tags.h"
#include "network/topology/analysis.h"
#include "tests/support/secure_sums.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("secure sum: everybody has the sum, the same bits, on every graph that a protocol allows") {
  for (const char* shape : {"ring", "complete", "path", "star", "tree", "grid", "random", "regular",
                            "small-world", "scale-free", "geometric"})
    for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
      for (const int ring : {64, 128}) {
        const Topology topology = graph(shape, 8);
        if (std::string_view(kind) == "edge-masks" && !cut_vertices(topology).empty()) continue;
        if (std::string_view(kind) == "paillier-tree" && ring != 64) continue;
        INFO(shape << ", " << kind << ", " << ring);
        const Summed s = sums(topology, settings_of(kind, ring), 3, 17);
        for (std::size_t c = 0; c < 3; ++c)
          for (AgentId a = 0; a < 8; ++a) {
            CHECK(s.sum[c][a] == s.sum[c][0]);
            CHECK((s.sum[c][a] - true_sum(s.x[c])).cwiseAbs().maxCoeff() <= 8 * 0x1p-41 + 1e-12);
          }
      }
}

TEST_CASE("secure sum: one and two parties, and a single number") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    for (const std::size_t agents : {1U, 2U, 3U}) {
      const Summed s = sums(graph("complete", agents), settings_of(kind), 2, 1);
      for (AgentId a = 0; a < agents; ++a)
        CHECK(s.sum[1][a][0] == doctest::Approx(true_sum(s.x[1])[0]).epsilon(1e-9));
    }
}

TEST_CASE("secure sum: with the system's entropy the sums are the same, and no message is") {
  const Topology ring = graph("ring", 5);
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"}) {
    std::vector<Bytes> first_messages;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const SecureSumOptions settings = settings_of(kind);
      const SumPlan plan = SumPlan::make(from_word<SumKind>(kind), ring);
      std::vector<Vector> sum(5);
      Workers workers(1);
      RuntimeOptions options;
      options.transcript = true;
      options.randomness.system_secrets = true;
      const std::shared_ptr<const AdditiveScheme> scheme =
          make_scheme("paillier", {{PaillierKind::djn, 256}, 5});
      const RunResult run = run_agents(
          workers, ring,
          [&](Agent& me) -> Task<void> {
            SecureSum s(me, settings, plan, std::string_view(kind) == "paillier-tree" ? scheme : nullptr);
            co_await s.open();
            for (const Index length : {3, 7})
              sum[me.id()] = co_await s.sum(Vector::Constant(length, 1.0 + me.id()));
          },
          options);
      for (const Vector& x : sum) CHECK(x.isApproxToConstant(15.0, 1e-9));
      for (const Message& m : run.transcript[1])
        if (m.tag == tags::sum_up || m.tag == tags::sum_share) {
          first_messages.push_back(m.bytes);
          break;
        }
    }
    if (first_messages.size() == 2) CHECK(first_messages[0] != first_messages[1]);
  }
}

TEST_CASE("secure sum: a number out of range ends it and names the agent, before it sends anything") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    CHECK_THROWS_WITH_AS(sums(graph("complete", 4), settings_of(kind), 1, 3, 1e8),
                         doctest::Contains("agent 0: entry"), CryptoError);
  CHECK_NOTHROW(sums(graph("complete", 4), settings_of("shares", 128), 1, 3, 1e8));
}

TEST_CASE("secure sum: edge-masks is refused where a single agent can cut the graph, and says which") {
  for (const char* shape : {"path", "star", "tree"})
    CHECK_THROWS_WITH_AS(SumPlan::make(SumKind::edge_masks, graph(shape, 6)), doctest::Contains("cut vertex"),
                         RunError);
  CHECK_THROWS_WITH_AS(SumPlan::make(SumKind::edge_masks, graph("path", 4)),
                       doctest::Contains("agents 1, 2 are"), RunError);
  CHECK_NOTHROW(SumPlan::make(SumKind::edge_masks, graph("ring", 6)));
  CHECK_NOTHROW(SumPlan::make(SumKind::shares, graph("path", 6)));
}

TEST_CASE("secure sum: the key holder is a leaf that the others do without, and hangs on the root") {
  for (const char* shape : {"ring", "path", "star", "tree", "grid", "complete", "random"}) {
    // the last agent of "star" is its middle
    const Topology topology =
        std::string_view(shape) == "star" ? Topology(4, {{3, 0}, {3, 1}, {3, 2}}) : graph(shape, 9);
    const SumPlan plan = SumPlan::make(SumKind::paillier_tree, topology);
    REQUIRE(plan.key_holder);
    CHECK(topology.adjacent(*plan.key_holder, plan.root));
    const auto cuts = cut_vertices(topology);
    CHECK_FALSE(std::binary_search(cuts.begin(), cuts.end(), *plan.key_holder));
  }
}

TEST_CASE(
    "secure sum: what is counted is what was sent; edge-masks never more than the paper's 2 (M-1)(d+1)") {
  for (const char* shape : {"complete", "ring", "grid"})
    for (const std::size_t agents : {3U, 5U, 9U}) {
      const Topology topology = graph(shape, agents);
      for (const char* kind : {"edge-masks", "shares"}) {
        if (!cut_vertices(topology).empty()) continue;
        const Summed s = sums(topology, settings_of(kind), 1, 11);
        for (AgentId a = 0; a < agents; ++a) {
          std::uint64_t sent = 0;
          std::uint64_t received = 0;
          for (AgentId to = 0; to < agents; ++to)
            for (const Message& m : s.run.transcript[to]) {
              if (m.to != to || m.tag < tags::sum_up || m.tag > tags::sum_share) continue;
              sent += m.from == a ? 11 : 0;
              received += to == a ? 11 : 0;
            }
          INFO(shape << " " << agents << " " << kind << " agent " << a);
          CHECK(s.figures[a].elements == sent);
          CHECK(sent + received <= 2 * (agents - 1) * 11);
          CHECK(s.figures[a].calls == 1);
        }
      }
    }
}

TEST_CASE("secure sum: saved and loaded, it goes on with other masks, to the same sums") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"}) {
    const Topology topology = graph("ring", 5);
    const SecureSumOptions settings = settings_of(kind);
    const SumPlan plan = SumPlan::make(from_word<SumKind>(kind), topology);
    const auto scheme = std::string_view(kind) == "paillier-tree" ? paillier() : nullptr;
    const auto number = [](AgentId a, int call) { return Vector::Constant(600, a + 0.25 * call); };
    const auto run = [&](std::vector<Bytes>& states, int from, int to) {
      std::vector<Vector> last(5);
      Workers workers(2);
      RuntimeOptions options;
      options.transcript = true;
      RunResult result = run_agents(
          workers, topology,
          [&](Agent& me) -> Task<void> {
            SecureSum sum(me, settings, plan, scheme);
            if (states[me.id()].empty()) {
              co_await sum.open();
            } else {
              Reader r(states[me.id()]);
              sum.load(r);
              r.finish();
            }
            for (int c = from; c < to; ++c) last[me.id()] = co_await sum.sum(number(me.id(), c));
            Writer w;
            sum.save(w);
            states[me.id()] = w.take();
          },
          options);
      return std::pair(last, std::move(result.transcript));
    };
    std::vector<Bytes> whole(5);
    std::vector<Bytes> parts(5);
    const auto [all, transcript] = run(whole, 0, 4);
    run(parts, 0, 2);
    const auto [rest, later] = run(parts, 2, 4);
    CHECK(all == rest);
    CHECK(whole == parts);
    // the words of the last call are the same bytes: same counters, not the first ones again
    for (AgentId a = 0; a < 5; ++a) {
      REQUIRE(!later[a].empty());
      const auto received = [&](const std::vector<Message>& messages) {
        Bytes last;
        for (const Message& m : messages)
          if (m.to == a) last = m.bytes;
        return last;
      };
      CHECK(received(transcript[a]) == received(later[a]));
    }
  }
}
