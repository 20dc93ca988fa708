// SPDX-License-Identifier: MIT
// The runtime alone. Bars (see bench/check.py): 2 million messages of 1.2 kB a second on one core among 10
// agents of degree 4; a million agents of degree 4 exchange 3 rounds within 6 GB; a million messages a second
// are timed, among 1000 agents.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "network/runtime/runtime.h"
#include "network/time/timeline.h"
#include "network/topology/generators.h"

namespace {

using namespace sotto;

constexpr Tag news = 1;

Topology regular(std::size_t agents) {
  GeneratorOptions s;
  s.agents = agents;
  s.average_degree = 4;
  RandomStream random({1, 0, 0, "bench"});
  return generate("regular", s, random);
}

Task<double> exchange(Agent& me, double x, std::size_t size) {
  for (const AgentId j : me.neighbors()) {
    Bytes b(size);
    std::memcpy(b.data(), &x, sizeof x);
    me.send(j, news, std::move(b));
  }
  double sum = 0;
  for (const AgentId j : me.neighbors()) {
    const Bytes b = co_await me.receive(j, news);
    double y;
    std::memcpy(&y, b.data(), sizeof y);
    sum += y;
  }
  co_return 0.5 * x + 0.5 * sum / static_cast<double>(me.neighbors().size());
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e9;
}

/// Averaging on a 4-regular graph, with the event log that every run keeps.
void averaging(benchmark::State& state, std::size_t agents, int rounds, std::size_t size, int threads) {
  const Topology graph = regular(agents);
  Workers workers(threads);
  for (auto _ : state) {
    std::vector<double> x(agents);
    run_agents(workers, graph, [&](Agent& me) -> Task<void> {
      double mine = me.id() % 17;
      for (int r = 0; r < rounds; ++r) mine = co_await exchange(me, mine, size);
      x[me.id()] = mine;
    });
    benchmark::DoNotOptimize(x.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * rounds *
                          static_cast<std::int64_t>(graph.links()));
  state.counters["peak_GB"] = peak_gigabytes();
}

void messages_one_core(benchmark::State& state) {
  averaging(state, 10, 20000, 1200, 1);
}
BENCHMARK(messages_one_core)->Unit(benchmark::kMillisecond)->Repetitions(5)->UseRealTime();

void million_agents(benchmark::State& state) {
  averaging(state, 1'000'000, 3, static_cast<std::size_t>(state.range(0)), 1);
}
BENCHMARK(million_agents)->Arg(8)->Arg(120)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

/// Simulated time of 250 rounds among 1000 agents that compute for different times.
void replayed_messages(benchmark::State& state) {
  constexpr std::uint64_t rounds = 250;
  const Topology graph = regular(1000);
  EventLog log(graph.agents());
  for (AgentId a = 0; a < graph.agents(); ++a)
    for (std::uint64_t r = 0; r < rounds; ++r) {
      for (const AgentId j : graph.neighbors(a)) log.add(a, {1200, j, news, Event::Kind::send, {}});
      for (const AgentId j : graph.neighbors(a)) log.add(a, {1200, j, news, Event::Kind::receive, {}});
      log.add(a, {5000 + 7 * a, 0, 0, Event::Kind::compute, Operation::flop});
    }
  const LinkModel links{{}, {}, state.range(0) != 0};
  for (auto _ : state)
    benchmark::DoNotOptimize(replay(log, graph, links, CostTable::reference(), {}, {}).end);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rounds * graph.links()));
}
BENCHMARK(replayed_messages)
    ->ArgName("half_duplex")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->Repetitions(3);

}  // namespace
