// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>

#include "network/runtime/runtime.h"
#include "network/topology/generators.h"

using namespace sotto;

namespace {

constexpr Tag news = 7;
constexpr Tag other = 8;

Topology shape(std::string_view name, std::size_t agents, double degree = 4) {
  GeneratorOptions s;
  s.agents = agents;
  s.average_degree = degree;
  RandomStream random({1, 0, 0, "topology"});
  return generate(name, s, random);
}

Bytes word(double x) {
  Writer w;
  w.put(x);
  return w.take();
}

double value(const Bytes& b) {
  return Reader(b).get<double>();
}

Task<double> average(Agent& me, double x) {
  for (const AgentId j : me.neighbors()) me.send(j, news, word(x));
  double sum = x;
  for (const AgentId j : me.neighbors()) {
    const Bytes heard = co_await me.receive(j, news);
    sum += value(heard);
  }
  co_return sum / static_cast<double>(me.neighbors().size() + 1);
}

struct Counter {
  std::uint64_t iteration = 0;
  bool finished = false;
  void save(Writer& w) const { w.put(iteration); }
};

class Watcher final : public BoundaryWatcher {
 public:
  bool wants_states(std::uint64_t iteration, bool) override { return iteration % 2 == 0; }
  Next at_boundary(const BoundaryView& boundary) override {
    seen.push_back(boundary.iteration);
    saved.push_back(!boundary.states.front().empty());
    return boundary.iteration == stop_at ? Next::stop : Next::go_on;
  }
  std::vector<std::uint64_t> seen;
  std::vector<bool> saved;
  std::uint64_t stop_at = ~std::uint64_t{0};
};

RuntimeOptions watched_by(BoundaryWatcher& watcher) {
  RuntimeOptions options;
  options.watcher = &watcher;
  return options;
}

Task<int> one() {
  co_return 1;
}
Task<int> fails_inside() {
  throw RunError("inside");
  co_return 0;
}

}  // namespace

TEST_CASE("runtime: results do not depend on the number of threads") {
  const Topology graph = shape("small-world", 40);
  std::vector<double> expected;
  for (const int threads : {1, 2, 8}) {
    Workers workers(threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<double> result(graph.agents());
      run_agents(workers, graph, [&](Agent& me) -> Task<void> {
        double x = me.random("start").uniform();
        for (int round = 0; round < 50; ++round) x = co_await average(me, x);
        result[me.id()] = x;
      });
      if (expected.empty()) expected = result;
      CHECK(result == expected);
    }
  }
}

TEST_CASE("runtime: a long chain of awaits does not grow the stack") {
  Workers workers(1);
  const Topology pair(2, {{0, 1}});
  long sum = 0;
  run_agents(workers, pair, [&](Agent& me) -> Task<void> {
    if (me.id() == 0)
      for (int k = 0; k < 300000; ++k) sum += co_await one();
  });
  CHECK(sum == 300000);
}

TEST_CASE("runtime: two agents that wait for each other are both named") {
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    const Topology ring = shape("ring", 4);
    CHECK_THROWS_WITH_AS(run_agents(workers, ring,
                                    [](Agent& me) -> Task<void> {
                                      if (me.id() != 1 && me.id() != 2) co_return;
                                      const AgentId peer = me.id() == 1 ? 2 : 1;
                                      co_await me.receive(peer, news);
                                      me.send(peer, news, {});
                                    }),
                         "deadlock: nobody can go on: agent 1 waits for message 7 from agent 2; "
                         "agent 2 waits for message 7 from agent 1",
                         RunError);
  }
}

TEST_CASE("runtime: waiting at a boundary that a waiting agent never reaches is a deadlock too") {
  Workers workers(2);
  Watcher watcher;
  const RuntimeOptions options = watched_by(watcher);
  CHECK_THROWS_WITH_AS(run_agents(
                           workers, Topology(2, {{0, 1}}),
                           [](Agent& me) -> Task<void> {
                             Counter c{1};
                             if (me.id() == 0) co_await me.receive(1, news);
                             co_await me.boundary(c);
                           },
                           options),
                       doctest::Contains("agent 1 waits at boundary 1"), RunError);
}

TEST_CASE("runtime: the error of the lowest agent is reported, whatever the schedule") {
  for (const int threads : {1, 2, 8}) {
    Workers workers(threads);
    CHECK_THROWS_WITH_AS(run_agents(workers, shape("complete", 6),
                                    [](Agent& me) -> Task<void> {
                                      if (me.id() >= 3) throw CryptoError("too large");
                                      co_await me.receive(3, news);
                                    }),
                         "agent 3: too large", CryptoError);
  }
}

TEST_CASE("runtime: an exception of a nested task arrives where it was awaited") {
  Workers workers(1);
  bool caught = false;
  run_agents(workers, Topology(1, {}), [&](Agent&) -> Task<void> {
    try {
      co_await fails_inside();
    } catch (const RunError&) {
      caught = true;
    }
  });
  CHECK(caught);
}

TEST_CASE("runtime: a message that nobody reads is an error") {
  Workers workers(1);
  CHECK_THROWS_WITH_AS(run_agents(workers, Topology(2, {{0, 1}}),
                                  [](Agent& me) -> Task<void> {
                                    if (me.id() == 0) me.send(1, news, {});
                                    co_return;
                                  }),
                       doctest::Contains("agent 1 ended without receiving a message from agent 0"), RunError);
  Watcher watcher;
  const RuntimeOptions options = watched_by(watcher);
  CHECK_THROWS_WITH_AS(run_agents(
                           workers, Topology(2, {{0, 1}}),
                           [](Agent& me) -> Task<void> {
                             Counter c{1};
                             if (me.id() == 0) me.send(1, news, {});
                             co_await me.boundary(c);
                             if (me.id() == 1) co_await me.receive(0, news);
                           },
                           options),
                       doctest::Contains("agent 1 passed boundary 1 without receiving"), RunError);
}

TEST_CASE("runtime: a receive takes the named tag, in order, and leaves the rest") {
  Workers workers(2);
  std::vector<double> order;
  run_agents(workers, Topology(2, {{0, 1}}), [&](Agent& me) -> Task<void> {
    if (me.id() == 0) {
      for (int k = 0; k < 200; ++k) {
        me.send(1, news, word(k));
        me.send(1, other, word(1000 + k));
      }
      co_return;
    }
    for (int k = 0; k < 200; ++k) order.push_back(value(co_await me.receive(0, other)));
    for (int k = 0; k < 200; ++k) order.push_back(value(co_await me.receive(0, news)));
  });
  REQUIRE(order.size() == 400);
  for (int k = 0; k < 200; ++k) {
    CHECK(order[static_cast<std::size_t>(k)] == 1000 + k);
    CHECK(order[static_cast<std::size_t>(200 + k)] == k);
  }
}

TEST_CASE("runtime: messages to agents that are not neighbors arrive, to nobody they are refused") {
  Workers workers(2);
  double heard = 0;
  run_agents(workers, shape("path", 5), [&](Agent& me) -> Task<void> {
    if (me.id() == 0) me.send(4, news, word(3));
    if (me.id() == 4) heard = value(co_await me.receive(0, news));
  });
  CHECK(heard == 3);
  for (const AgentId bad : {AgentId{0}, AgentId{2}, AgentId{77}}) {
    CHECK_THROWS_AS(run_agents(workers, Topology(2, {{0, 1}}),
                               [&](Agent& me) -> Task<void> {
                                 if (me.id() == 0 && bad != 2) me.send(bad, news, {});
                                 if (me.id() == 0 && bad == 2) co_await me.receive(2, news);
                               }),
                    RunError);
  }
}

TEST_CASE("runtime: a role outside the graph serves everybody") {
  Workers workers(2);
  const Topology ring = shape("ring", 5);
  std::vector<double> got(5);
  Role dealer{"dealer", [](Agent& me) -> Task<void> {
                CHECK(me.neighbors().empty());
                for (AgentId a = 0; a < 5; ++a) me.send(a, news, word(a * 10.0));
                for (AgentId a = 0; a < 5; ++a) co_await me.receive(a, other);
              }};
  run_agents(workers, ring,
             [&](Agent& me) -> Task<void> {
               got[me.id()] = value(co_await me.receive(5, news));
               me.send(5, other, {});
             },
             {}, {dealer});
  CHECK(got == std::vector<double>{0, 10, 20, 30, 40});
  CHECK_THROWS_WITH_AS(
      run_agents(workers, ring, [](Agent&) -> Task<void> { co_return; }, {},
                 {{"dealer", [](Agent& me) -> Task<void> { co_await me.receive(2, news); }}}),
      doctest::Contains("role 'dealer' waits for message 7 from agent 2"), RunError);
}

TEST_CASE("runtime: the boundary shows every iteration, saves what is wanted, and can stop the run") {
  Workers workers(2);
  const Topology ring = shape("ring", 5);
  const auto party = [](Agent& me) -> Task<void> {
    Counter c;
    while (c.iteration < 6) {
      co_await average(me, 1);
      ++c.iteration;
      co_await me.boundary(c);
    }
  };
  Watcher all;
  RuntimeOptions options;
  options.watcher = &all;
  CHECK(!run_agents(workers, ring, party, options).stopped);
  CHECK(all.seen == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
  CHECK(all.saved == std::vector<bool>{false, true, false, true, false, true});
  Watcher some;
  some.stop_at = 3;
  options.watcher = &some;
  CHECK(run_agents(workers, ring, party, options).stopped);
  CHECK(some.seen == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("runtime: agents that disagree about the iteration are an error, one that ends early is not") {
  Workers workers(2);
  Watcher watcher;
  const RuntimeOptions options = watched_by(watcher);
  CHECK_THROWS_WITH_AS(run_agents(
                           workers, Topology(2, {{0, 1}}),
                           [](Agent& me) -> Task<void> {
                             Counter c{me.id()};
                             co_await me.boundary(c);
                           },
                           options),
                       "agent 1 is at boundary 1 while others are at 0", RunError);
  watcher.seen.clear();
  run_agents(
      workers, shape("ring", 5),
      [](Agent& me) -> Task<void> {
        Counter c;
        while (c.iteration < 1 + me.id()) {
          ++c.iteration;
          co_await me.boundary(c);
        }
      },
      options);
  CHECK(watcher.seen == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("runtime: the transcript holds what each agent received, in its order") {
  Workers workers(2);
  RuntimeOptions options;
  options.transcript = true;
  const auto result = run_agents(
      workers, shape("path", 3),
      [](Agent& me) -> Task<void> {
        const double own = me.id();
        co_await average(me, own);
      },
      options);
  REQUIRE(result.transcript.size() == 3);
  CHECK(result.transcript[0].size() == 1);
  REQUIRE(result.transcript[1].size() == 2);
  CHECK(result.transcript[1][0].from == 0);
  CHECK(result.transcript[1][1].from == 2);
  CHECK(value(result.transcript[1][1].bytes) == 2);
}

TEST_CASE("runtime: whoever passes a message on has seen it too") {
  Workers workers(2);
  RuntimeOptions options;
  options.transcript = true;
  const auto result = run_agents(
      workers, shape("path", 4),
      [](Agent& me) -> Task<void> {
        if (me.id() == 0) me.send(3, news, word(5));
        if (me.id() == 3) co_await me.receive(0, news);
      },
      options);
  CHECK(result.transcript[0].empty());
  for (const AgentId relay : {1, 2}) {
    REQUIRE(result.transcript[relay].size() == 1);
    CHECK(result.transcript[relay][0].to == 3);
    CHECK(value(result.transcript[relay][0].bytes) == 5);
  }
  CHECK(result.transcript[3].size() == 1);
}

TEST_CASE("workers: batches nest, and a waiting job does not start another of the outer batch") {
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    struct Nest {
      Workers& workers;
      std::vector<double> sums;
    } nest{workers, std::vector<double>(20)};
    workers.run([&](Workers::Batch& batch) {
      for (std::size_t k = 0; k < nest.sums.size(); ++k)
        batch.post({[](void* n, void* which) {
                      auto& self = *static_cast<Nest*>(n);
                      const auto at = reinterpret_cast<std::uintptr_t>(which);
                      std::vector<double> x(5);
                      run_agents(self.workers, shape("ring", 5), [&](Agent& me) -> Task<void> {
                        x[me.id()] = co_await average(me, static_cast<double>(at) + me.id());
                      });
                      for (const double v : x) self.sums[at] += v;
                    },
                    &nest, reinterpret_cast<void*>(k)});
    });
    for (std::size_t k = 0; k < nest.sums.size(); ++k)
      CHECK(nest.sums[k] == doctest::Approx(10.0 + 5.0 * static_cast<double>(k)));
  }
}
