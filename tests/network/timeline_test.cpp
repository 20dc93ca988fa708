// Simulated time against closed formulas: with latency L, size B and bandwidth w an exchange takes L + B / w.
#include <doctest/doctest.h>

#include "network/runtime.h"
#include "network/timeline.h"
#include "network/topology_generators.h"

using namespace sotto;

namespace {

constexpr Tag news = 1;
const Link ten_mbit{5e-3, 10e6 / 8};
constexpr std::uint64_t kB = 1000;
const double transmission = 1000 / (10e6 / 8);  // 0.8 ms

Topology ring(std::size_t agents) {
  GeneratorSettings s;
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
               const CostTable& cost = CostTable::reference(), std::vector<std::uint64_t> marks = {}) {
  Workers workers(2);
  const RunResult run = run_agents(workers, graph, party, {}, std::move(roles));
  return replay(run.log, graph, ten_mbit, cost, std::move(marks));
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

TEST_CASE("timeline: messages on one link wait for each other, on two links they do not") {
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

TEST_CASE("timeline: routed traffic and a neighbor's own share a link") {
  const Topology path(3, {{0, 1}, {1, 2}});
  const Timing t = time_of(path, [](Agent& me) -> Task<void> {
    if (me.id() == 0) me.send(2, news, Bytes(10 * kB));
    if (me.id() == 1) {
      me.compute(Operation::flop,
                 12'500'000);  // 12.5 ms: the routed message is on the second link since 13 ms - 0.5
      me.send(2, news, Bytes(10 * kB));
    }
    if (me.id() == 2) {
      co_await me.receive(0, news);
      co_await me.receive(1, news);
    }
  });
  // first hop done at 8 + 5 = 13 ms; agent 1 starts at 12.5 and holds the link until 20.5; the routed one
  // until 28.5
  CHECK(t.end == doctest::Approx(28.5e-3 + 5e-3).epsilon(1e-12));
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

TEST_CASE("timeline: a log that does not fit itself is refused") {
  EventLog log(2);
  log.add(0, {8, 1, news, Event::Kind::receive, {}});
  CHECK_THROWS_AS(replay(log, Topology(2, {{0, 1}}), ten_mbit, CostTable::reference(), {}), RunError);
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
}
