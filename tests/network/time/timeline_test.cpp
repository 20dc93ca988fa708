// SPDX-License-Identifier: MIT
// Simulated time against closed formulas: with latency L, size B and bandwidth w an exchange takes L + B / w, or
// L + 2 B / w where both directions share the link; messages that are on a link together share it equally.
#include <doctest/doctest.h>

#include "network/runtime/runtime.h"
#include "network/time/timeline.h"
#include "network/topology/generators.h"
#include "tests/support/event_logs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

constexpr Tag news = 1;

Topology ring(std::size_t agents) {
  GeneratorOptions s;
  s.agents = agents;
  RandomStream random({1, 0, 0, "t"});
  return generate("ring", s, random);
}

struct Step {
  std::uint64_t iteration = 0;
  bool finished = false;
  void save(Writer&) const {}
};

Timing time_of(const Topology& graph, const PartyLife& party, std::vector<Role> roles = {},
               const CostTable& cost = CostTable::reference(), std::vector<std::uint64_t> marks = {},
               bool half_duplex = false) {
  Workers workers(2);
  const RunResult run = run_agents(workers, graph, party, {}, std::move(roles));
  return replay(run.log, graph, ten_mbit(half_duplex), cost, some_losses, std::move(marks));
}

/// Under the reference costs: a flop takes a nanosecond.
Timing time_of(const Topology& graph, const std::vector<std::vector<Event>>& agents, const LinkModel& links,
               std::vector<std::uint64_t> marks = {}, const CostTable& cost = CostTable::reference()) {
  return replay(log_of(agents), graph, links, cost, some_losses, std::move(marks));
}

Task<void> exchange(Agent& me, std::uint64_t size) {
  for (const AgentId j : me.neighbors()) me.send(j, news, Bytes(size));
  for (const AgentId j : me.neighbors()) co_await me.receive(j, news);
}

}  // namespace

TEST_CASE(
    "timeline: a full-duplex exchange takes L + B / w: 5.8 ms for 1 kB and 0.805 s for 1 MB on a 4-ring") {
  for (const auto& [size, seconds] : {std::pair<std::uint64_t, double>{kB, 5.8e-3}, {1000 * kB, 0.805}}) {
    const Timing t = time_of(ring(4), [s = size](Agent& me) -> Task<void> { co_await exchange(me, s); });
    CHECK(t.end == doctest::Approx(seconds).epsilon(1e-12));
  }
}

TEST_CASE("timeline: a half-duplex exchange takes L + 2 B / w: 6.6 ms for 1 kB and 1.605 s for 1 MB") {
  for (const auto& [size, seconds] : {std::pair<std::uint64_t, double>{kB, 6.6e-3}, {1000 * kB, 1.605}}) {
    const Timing t = time_of(
        ring(4), [s = size](Agent& me) -> Task<void> { co_await exchange(me, s); }, {},
        CostTable::reference(), {}, true);
    CHECK(t.end == about(seconds));
  }
}

TEST_CASE("timeline: rounds add up, and marks note messages, bytes and time") {
  const Timing t = time_of(ring(6),
                           [](Agent& me) -> Task<void> {
                             Step s;
                             while (s.iteration < 10) {
                               co_await exchange(me, kB);
                               ++s.iteration;
                               co_await me.boundary(s);
                             }
                           },
                           {}, CostTable::reference(), {1, 5, 10});
  REQUIRE(t.iterations == std::vector<std::uint64_t>{1, 5, 10});
  for (std::size_t k = 0; k < 3; ++k) {
    const double n = static_cast<double>(t.iterations[k]);
    const Progress p = t.total(k);
    CHECK(p.seconds == doctest::Approx(n * 5.8e-3).epsilon(1e-12));
    CHECK(p.messages == 12 * t.iterations[k]);
    CHECK(p.bytes == 12 * kB * t.iterations[k]);
    CHECK(t.at[k][3].messages == 2 * t.iterations[k]);
  }
  for (const LinkCount& l : t.links) {
    CHECK(l.messages == 10);
    CHECK(l.bytes == 10 * kB);
  }
}

TEST_CASE("timeline: messages on one link follow each other, on two links they do not wait") {
  const Timing t = time_of(ring(4), [](Agent& me) -> Task<void> {
    if (me.id() == 0) {
      for (int k = 0; k < 3; ++k) me.send(1, news, Bytes(kB));
      me.send(3, news, Bytes(kB));
    }
    if (me.id() == 1)
      for (int k = 0; k < 3; ++k) co_await me.receive(0, news);
    if (me.id() == 3) co_await me.receive(0, news);
  });
  CHECK(t.end == doctest::Approx(5e-3 + 3 * transmission).epsilon(1e-12));
}

TEST_CASE("timeline: a routed message is stored, forwarded and counted at every hop") {
  const Topology path(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const Timing t = time_of(path,
                           [](Agent& me) -> Task<void> {
                             Step s{1};
                             if (me.id() == 0) me.send(4, news, Bytes(kB));
                             if (me.id() == 4) co_await me.receive(0, news);
                             co_await me.boundary(s);
                           },
                           {}, CostTable::reference(), {1});
  CHECK(t.end == doctest::Approx(4 * (5e-3 + transmission)).epsilon(1e-12));
  CHECK(t.total(0).messages == 4);
  CHECK(t.total(0).bytes == 4 * kB);
  CHECK(t.links[path.link(2, 3)].bytes == kB);
  CHECK(t.links[path.link(3, 2)].bytes == 0);
}

TEST_CASE(
    "timeline: unequal messages on a half-duplex link: the small one leaves after twice its size, the other "
    "after the sum") {
  const Timing t =
      time_of(Topology(2, {{0, 1}}),
              {{sends(1, 3 * kB), receives(1), passes(1)}, {sends(0, kB), receives(0), passes(1)}},
              ten_mbit(true), {1});
  CHECK(t.at[0][0].seconds == about(2 * transmission + 5e-3));
  CHECK(t.at[0][1].seconds == about(4 * transmission + 5e-3));
}

TEST_CASE("timeline: one that enters later shares what is left of the other") {
  // 8 ms each; the second enters at 4 ms, the first then has half the link for its other half: it leaves at 12 ms
  const Timing t = time_of(Topology(2, {{0, 1}}),
                           {{sends(1, 10 * kB), receives(1), passes(1)},
                            {computes(4'000'000), sends(0, 10 * kB), receives(0), passes(1)}},
                           ten_mbit(true), {1});
  CHECK(t.at[0][1].seconds == about(12e-3 + 5e-3));
  CHECK(t.at[0][0].seconds == about(16e-3 + 5e-3));
}

TEST_CASE("timeline: routed traffic and a neighbor's own share a link") {
  // first hop done at 8 + 5 = 13 ms; agent 1 has the second link from 12.5 ms on, alone for half a millisecond
  const std::vector<std::vector<Event>> agents{{sends(2, 10 * kB)},
                                               {computes(12'500'000), sends(2, 10 * kB)},
                                               {receives(1), passes(1), receives(0), passes(2)}};
  const Topology path(3, {{0, 1}, {1, 2}});
  const Timing t = time_of(path, agents, ten_mbit(), {1, 2});
  CHECK(t.at[0][2].seconds == about(28e-3 + 5e-3));
  CHECK(t.at[1][2].seconds == about(28.5e-3 + 5e-3));
}

TEST_CASE("timeline: what passes through meets what comes back, on a half-duplex link only") {
  // the answer to agent 0 enters the first link at 0 as the routed message does: together 1.6 ms instead of 0.8 each
  const std::vector<std::vector<Event>> agents{
      {sends(2, kB), receives(1), passes(1)}, {sends(0, kB)}, {receives(0), passes(1)}};
  const Topology path(3, {{0, 1}, {1, 2}});
  const Timing full = time_of(path, agents, ten_mbit(), {1});
  CHECK(full.at[0][0].seconds == about(5e-3 + transmission));
  CHECK(full.at[0][2].seconds == about(2 * (5e-3 + transmission)));
  const Timing half = time_of(path, agents, ten_mbit(true), {1});
  CHECK(half.at[0][0].seconds == about(5e-3 + 2 * transmission));
  CHECK(half.at[0][2].seconds == about(2 * 5e-3 + 3 * transmission));
}

TEST_CASE("timeline: what one agent sends another leaves message after message, whatever the tags") {
  const Topology pair(2, {{0, 1}});
  for (const bool half : {false, true})
    for (const Tag last : {1, 2}) {
      const Timing t =
          time_of(pair,
                  {{sends(1, 100 * kB), sends(1, 10 * kB), sends(1, kB, last)},
                   {receives(0), passes(1), receives(0), passes(2), receives(0, last), passes(3)}},
                  ten_mbit(half), {1, 2, 3});
      CHECK(t.at[0][1].seconds == about(100 * transmission + 5e-3));
      CHECK(t.at[1][1].seconds == about(110 * transmission + 5e-3));
      CHECK(t.at[2][1].seconds == about(111 * transmission + 5e-3));
    }
}

TEST_CASE(
    "timeline: a pair whose messages pass through shares with the neighbors' own as one, however many it "
    "sends") {
  // both ways from 13 ms on: agent 0's two messages follow each other, agent 1's has half the link beside them
  const std::vector<std::vector<Event>> agents{{sends(2, 10 * kB), sends(2, 10 * kB)},
                                               {computes(13'000'000), sends(2, 10 * kB)},
                                               {receives(1), passes(1), receives(0), receives(0), passes(2)}};
  const Timing t = time_of(Topology(3, {{0, 1}, {1, 2}}), agents, ten_mbit(), {1, 2});
  CHECK(t.at[0][2].seconds == about(29e-3 + 5e-3));
  CHECK(t.at[1][2].seconds == about(37e-3 + 5e-3));
}

TEST_CASE("timeline: edges with links of their own") {
  const Topology path(3, {{0, 1}, {1, 2}});
  LinkModel links = ten_mbit();
  links.of_edge = {{5e-3, 10e6 / 8, 0}, {50e-3, 1e6 / 8, 0}};
  const std::vector<std::vector<Event>> there{{sends(2, kB)}, {}, {receives(0)}};
  const std::vector<std::vector<Event>> back{{receives(2)}, {}, {sends(0, kB)}};
  for (const bool half : {false, true}) {
    links.half_duplex = half;
    for (const auto& agents : {there, back})
      CHECK(time_of(path, agents, links).end == about(5e-3 + transmission + 50e-3 + 10 * transmission));
  }
  links.of_edge.pop_back();
  CHECK_THROWS_WITH_AS(time_of(path, there, links), doctest::Contains("1 links are described"), RunError);
}

TEST_CASE("timeline: nothing takes no time: empty messages, no latency, ties") {
  LinkModel instant{{0, 10e6 / 8, 0}, {}, true};
  std::vector<std::vector<Event>> agents(4);
  for (std::uint64_t round = 1; round <= 50; ++round)
    for (AgentId a = 0; a < 4; ++a) {
      for (const AgentId b : {(a + 1) % 4, (a + 3) % 4}) agents[a].push_back(sends(b, 0));
      for (const AgentId b : {(a + 1) % 4, (a + 3) % 4}) agents[a].push_back(receives(b));
      agents[a].push_back(computes(0));
      agents[a].push_back(passes(round));
    }
  const Timing t = time_of(ring(4), agents, instant, {50});
  CHECK(t.end == 0);
  CHECK(t.total(0).messages == 50 * 8);
  // an empty one beside one that is not: it does not wait
  const Timing beside =
      time_of(Topology(2, {{0, 1}}), {{sends(1, kB), receives(1), passes(1)}, {sends(0, 0), receives(0)}},
              ten_mbit(true), {1});
  CHECK(beside.at[0][0].seconds == about(5e-3));
  CHECK(beside.end == about(5e-3 + transmission));
}

TEST_CASE("timeline: computing takes count x cost / speed") {
  CostTable cost = CostTable::reference();
  cost.seconds[static_cast<std::size_t>(Operation::flop)] = 2e-6;
  cost.speed = {1, 0.1};
  const Timing t = time_of(
      Topology(2, {{0, 1}}),
      [](Agent& me) -> Task<void> {
        me.compute(Operation::flop, 1000);
        co_await exchange(me, kB);
      },
      {}, cost);
  CHECK(t.end == doctest::Approx(1000 * 2e-6 / 0.1 + 5e-3 + transmission).epsilon(1e-12));
}

TEST_CASE("timeline: a slow agent's message meets a fast one's on a half-duplex link") {
  // 20 ms each on the wire; agent 0 sends at 2 ms, agent 1, ten times as slow, at 20 ms
  CostTable cost = CostTable::reference();
  cost.speed = {1, 0.1};
  const std::vector<std::vector<Event>> agents{
      {computes(2'000'000), sends(1, 25 * kB), receives(1), passes(1)},
      {computes(2'000'000), sends(0, 25 * kB), receives(0), passes(1)}};
  const Timing t = time_of(Topology(2, {{0, 1}}), agents, ten_mbit(true), {1}, cost);
  CHECK(t.at[0][1].seconds == about(24e-3 + 5e-3));
  CHECK(t.at[0][0].seconds == about(42e-3 + 5e-3));
}

TEST_CASE("timeline: what goes to and from a role is counted apart") {
  const Timing t = time_of(ring(4),
                           [](Agent& me) -> Task<void> {
                             Step s{1};
                             co_await me.receive(4, news);
                             co_await me.boundary(s);
                           },
                           {{"dealer",
                             [](Agent& me) -> Task<void> {
                               Step s{1};
                               for (AgentId a = 0; a < 4; ++a) me.send(a, news, Bytes(kB));
                               co_await me.boundary(s);
                             }}},
                           CostTable::reference(), {1});
  CHECK(t.total(0).messages == 0);
  CHECK(t.total(0).role_messages == 4);
  CHECK(t.total(0).role_bytes == 4 * kB);
  CHECK(t.end == doctest::Approx(5e-3 + transmission).epsilon(1e-12));
  for (const LinkCount& l : t.links) CHECK(l.messages == 0);
}

TEST_CASE("timeline: a role's link has two directions too") {
  const Topology pair(2, {{0, 1}});
  const std::vector<std::vector<Event>> agents{{sends(2, kB), receives(2)},
                                               {sends(2, kB), receives(2)},
                                               {sends(0, kB), sends(1, kB), receives(0), receives(1)}};
  CHECK(time_of(pair, agents, ten_mbit(false)).end == about(5e-3 + transmission));
  CHECK(time_of(pair, agents, ten_mbit(true)).end == about(5e-3 + 2 * transmission));
}

TEST_CASE("timeline: what an agent or a role sent before it ended early stays counted") {
  const Timing t = time_of(Topology(2, {{0, 1}}),
                           [](Agent& me) -> Task<void> {
                             Step s;
                             co_await me.receive(2, news);
                             co_await exchange(me, kB);
                             while (s.iteration < (me.id() == 0 ? 1u : 3u)) {
                               ++s.iteration;
                               co_await me.boundary(s);
                             }
                           },
                           {{"dealer",
                             [](Agent& me) -> Task<void> {
                               for (AgentId a = 0; a < 2; ++a) me.send(a, news, Bytes(kB));
                               co_return;
                             }}},
                           CostTable::reference(), {1, 3});
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(t.total(k).messages == 2);
    CHECK(t.total(k).role_messages == 2);
  }
}

TEST_CASE("timeline: a log that does not fit itself, or the graph, is refused") {
  const Topology pair(2, {{0, 1}});
  CHECK_THROWS_AS(time_of(pair, {{receives(1)}, {}}, ten_mbit()), RunError);
  CHECK_THROWS_WITH_AS(time_of(pair, {{sends(2, kB)}, {}}, ten_mbit()), doctest::Contains("no such agent"),
                       RunError);
  CHECK_THROWS_WITH_AS(time_of(pair, {{sends(0, kB)}, {}}, ten_mbit()), doctest::Contains("no such agent"),
                       RunError);
  CHECK_THROWS_WITH_AS(time_of(pair, {{}}, ten_mbit()), doctest::Contains("1 agents on a graph of 2"),
                       RunError);
}

TEST_CASE("event log: saved and loaded, truncations refused") {
  EventLog log(3);
  log.add(1, {8, 2, news, Event::Kind::send, {}});
  log.add(2, {8, 1, news, Event::Kind::receive, {}});
  Writer w;
  log.save(w);
  const Bytes bytes = w.take();
  Reader r(bytes);
  const EventLog again = EventLog::load(r);
  CHECK(again.agents() == 3);
  CHECK(again.of(1).at(0).amount == 8);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader shorter({bytes.data(), size});
    CHECK_THROWS_AS(EventLog::load(shorter), FormatError);
  }
  for (const std::size_t last : {1, 2}) {  // the operation and the kind of the last event
    Bytes changed = bytes;
    changed[changed.size() - last] = 200;
    Reader unknown(changed);
    CHECK_THROWS_WITH_AS(EventLog::load(unknown), doctest::Contains("no known kind"), FormatError);
  }
}
