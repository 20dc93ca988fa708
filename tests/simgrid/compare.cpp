// SPDX-License-Identifier: MIT
// Simulated time against SimGrid, an independent simulator. The same event log is replayed by Sotto and by SimGrid's
// actors, one per agent, on the same graph: computing is sleeping, a send hands the message to the courier of its connection
// and does not block, a receive waits for it. SimGrid's model CM02 without TCP's window shares links as Sotto does. A
// simulation per process: each case runs in a child.
//
// How far agreement can go: of two equal messages on a half-duplex link, the first leaves 2 d later if it enters d later,
// so that rounding, 1e-16, doubles with every exchange and is 1e-10 after twenty: ten rounds of PPDNMF can be compared to
// 1e-9 and not many more, whoever simulates. On full-duplex links differences do not grow: 300 rounds are compared.
//
// usage: simgrid_compare; prints a line per case, exit code 1 if one does not agree
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <queue>

#include "core/algorithms/kinds.h"
#include "network/runtime/runtime.h"
#include "network/time/timeline.h"
#include "network/topology/generators.h"
#include "tests/support/experiments.h"

namespace {

using namespace sotto;
namespace sg4 = simgrid::s4u;

constexpr double tolerance = 1e-9;  // relative
constexpr Tag news = 1;
constexpr std::uint64_t the_end =
    1'000'000'000;  // a boundary that nobody reaches: there, an agent's end is noted

/// Times by boundary and agent.
using Times = std::vector<std::vector<double>>;

struct Case {
  std::string generator;
  std::size_t agents;
  bool half_duplex;
  std::string traffic;
};

Topology graph_of(const Case& c) {
  GeneratorOptions s;
  s.agents = c.agents;
  s.average_degree = 5;
  RandomStream random({4, 0, 0, "simgrid"});
  return generate(c.generator, s, random);
}

/// Everybody sends to all neighbors at the same time and waits for what they send.
EventLog exchanges(const Topology& graph, std::uint64_t size, std::uint64_t rounds) {
  EventLog log(graph.agents());
  for (AgentId a = 0; a < graph.agents(); ++a)
    for (std::uint64_t k = 1; k <= rounds; ++k) {
      for (const AgentId b : graph.neighbors(a)) log.add(a, {size, b, news, Event::Kind::send, {}});
      for (const AgentId b : graph.neighbors(a)) log.add(a, {size, b, news, Event::Kind::receive, {}});
      log.add(a, {k, 0, 0, Event::Kind::boundary, {}});
    }
  return log;
}

/// Several messages of unequal sizes to every neighbor, with computing between them: most meet others on their link.
EventLog unequal(const Topology& graph) {
  RandomStream random({4, 1, 0, "simgrid"});
  EventLog log(graph.agents());
  for (std::uint64_t round = 1; round <= 5; ++round)
    for (AgentId a = 0; a < graph.agents(); ++a) {
      for (Tag tag = 0; tag < 4; ++tag) {
        for (const AgentId b : graph.neighbors(a))
          log.add(a, {1 + random.below(20'000), b, tag, Event::Kind::send, {}});
        log.add(a, {random.below(8'000'000), 0, 0, Event::Kind::compute, Operation::flop});
      }
      for (const AgentId b : graph.neighbors(a))
        for (Tag tag = 0; tag < 4; ++tag) log.add(a, {0, b, tag, Event::Kind::receive, {}});
      log.add(a, {round, 0, 0, Event::Kind::boundary, {}});
    }
  return log;
}

/// What PPDNMF really does on this graph.
EventLog factorization(const Topology& graph, bool half_duplex) {
  const Experiment e = sotto::testing::experiment(
      sotto::testing::small_scenario, {{"topology.agents", std::to_string(graph.agents())},
                                       {"topology.generator", "ring"},
                                       {"data.synthetic", "{ samples = 300, features = 12, rank = 3 }"},
                                       {"data.split", "{ kind = \"even\" }"},
                                       {"algorithm.outer_iterations", half_duplex ? "11" : "101"},
                                       {"algorithm.inner_iterations", half_duplex ? "1" : "3"}});
  const Trial trial(e, 0);
  const auto algorithm = find_algorithm("ppdnmf").make(e.main, trial.facts, trial.kit(e.main));
  const std::vector<PartyInput> inputs = trial.parties();
  const Bytes from_the_start;
  Workers workers(1);
  const PartyLife party = [&](Agent& me) { return algorithm->party(me, inputs[me.id()], from_the_start); };
  return run_agents(workers, graph, party).log;
}

EventLog log_of(const Case& c, const Topology& graph) {
  if (c.traffic == "1 kB") return exchanges(graph, 1000, 1);
  if (c.traffic == "1 MB") return exchanges(graph, 1'000'000, 1);
  return c.traffic == "unequal" ? unequal(graph) : factorization(graph, c.half_duplex);
}

std::vector<std::uint64_t> boundaries_of(const EventLog& log) {
  std::vector<std::uint64_t> boundaries;
  for (const Event& e : log.of(0))
    if (e.kind == Event::Kind::boundary) boundaries.push_back(e.amount);
  boundaries.push_back(the_end);
  return boundaries;
}

Times by_sotto(const EventLog& log, const Topology& graph, const LinkModel& links, const CostTable& cost) {
  const Timing timing = replay(log, graph, links, cost, {}, boundaries_of(log));
  Times times;
  for (const auto& boundary : timing.at) {
    times.emplace_back();
    for (const Progress& p : boundary) times.back().push_back(p.seconds);
  }
  return times;
}

/// What one agent sends another: a courier of its own carries message after message. The link has no latency; the courier
/// is free again when the last byte has left, and what it carried is there `latency` later.
class Connection {
 public:
  Connection(const std::string& name, sg4::Host* from, sg4::Host* to, double latency)
      : line_(sg4::Mailbox::by_name(name)), waiting_(sg4::Semaphore::create(0)), latency_(latency) {
    sg4::Actor::create(name + " courier", from, [this] { carry(); })->daemonize();
    line_->set_receiver(sg4::Actor::create(name + " doorman", to, [this] { take_in(); })->daemonize());
  }

  void send(Tag tag, std::uint64_t bytes) {
    queue_.emplace(tag, bytes);
    waiting_->release();
  }
  void receive(Tag tag) { inbox(tag)->acquire(); }

 private:
  void carry() {
    for (;;) {
      waiting_->acquire();
      const auto [tag, bytes] = queue_.front();
      queue_.pop();
      line_->put(new Tag(tag), bytes);
    }
  }
  void take_in() {
    for (;;) {
      const auto tag = line_->get_unique<Tag>();
      sg4::Actor::create("delivery", sg4::this_actor::get_host(), [this, t = *tag] {
        sg4::this_actor::sleep_for(latency_);
        inbox(t)->release();
      });
    }
  }
  sg4::SemaphorePtr& inbox(Tag tag) {
    sg4::SemaphorePtr& messages = inboxes_[tag];
    if (!messages) messages = sg4::Semaphore::create(0);
    return messages;
  }

  sg4::Mailbox* line_;
  sg4::SemaphorePtr waiting_;
  double latency_;
  std::queue<std::pair<Tag, std::uint64_t>> queue_;
  std::map<Tag, sg4::SemaphorePtr> inboxes_;
};
using Connections = std::map<Edge, std::unique_ptr<Connection>>;

/// An agent's life as its log tells it.
void live(AgentId me, const EventLog& log, const CostTable& cost, Connections& connections, Times& times) {
  std::size_t boundary = 0;
  for (const Event& e : log.of(me)) switch (e.kind) {
      case Event::Kind::compute:
        sg4::this_actor::sleep_for(cost.time(me, e.operation, static_cast<double>(e.amount)));
        break;
      case Event::Kind::send:
        connections.at({me, e.peer})->send(e.tag, e.amount);
        break;
      case Event::Kind::receive:
        connections.at({e.peer, me})->receive(e.tag);
        break;
      case Event::Kind::boundary:
        times[boundary++][me] = sg4::Engine::get_clock();
        break;
    }
  times.back()[me] = sg4::Engine::get_clock();
}

std::vector<sg4::Host*> make_platform(const Topology& graph, const LinkModel& links) {
  auto* zone = sg4::create_full_zone("network");
  std::vector<sg4::Host*> hosts;
  for (AgentId a = 0; a < graph.agents(); ++a)
    hosts.push_back(zone->create_host(fmt::format("agent {}", a), 1e9)->seal());
  const auto link = [&](const std::string& name) {
    return zone->create_link(name, links.standard.bandwidth)
        ->set_sharing_policy(sg4::Link::SharingPolicy::SHARED)
        ->set_latency(0)
        ->seal();
  };
  const auto route = [&](AgentId a, AgentId b, const sg4::Link* l) {
    zone->add_route(hosts[a]->get_netpoint(), hosts[b]->get_netpoint(), nullptr, nullptr,
                    {sg4::LinkInRoute(l)}, false);
  };
  for (const auto& [a, b] : graph.edge_list()) {
    const auto* there = link(fmt::format("{}-{}", a, b));
    route(a, b, there);
    route(b, a, links.half_duplex ? there : link(fmt::format("{}-{}", b, a)));
  }
  zone->seal();
  return hosts;
}

Times by_simgrid(const EventLog& log, const Topology& graph, const LinkModel& links, const CostTable& cost) {
  std::string name = "simgrid_compare";
  std::string no_news = "--log=xbt_cfg.thres:warning";
  char* arguments[] = {name.data(), no_news.data(), nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments);
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/latency-factor:1",
        "network/bandwidth-factor:1", "surf/precision:1e-12", "maxmin/precision:1e-9"})
    sg4::Engine::set_config(setting);
  const auto hosts = make_platform(graph, links);
  Times times(boundaries_of(log).size(), std::vector<double>(graph.agents(), std::nan("")));
  Connections connections;
  for (const auto& [a, b] : graph.edge_list())
    for (const auto& [from, to] : {Edge{a, b}, Edge{b, a}})
      connections[{from, to}] = std::make_unique<Connection>(fmt::format("{}-{}", from, to), hosts[from],
                                                             hosts[to], links.standard.latency);
  for (AgentId a = 0; a < graph.agents(); ++a)
    sg4::Actor::create(fmt::format("agent {}", a), hosts[a],
                       [&, a] { live(a, log, cost, connections, times); });
  engine.run();
  return times;
}

/// In a process of its own.
int compare(const Case& c) {
  const Topology graph = graph_of(c);
  const EventLog log = log_of(c, graph);
  const LinkModel links{{5e-3, 10e6 / 8, 0}, {}, c.half_duplex};
  CostTable cost = CostTable::reference();
  cost.speed.assign(c.agents, 1);
  cost.speed[1] = 0.5;  // a straggler
  const Times ours = by_sotto(log, graph, links, cost);
  const Times theirs = by_simgrid(log, graph, links, cost);
  double worst = 0;
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (std::size_t a = 0; a < ours[k].size(); ++a) {
      const double off = std::abs(ours[k][a] - theirs[k][a]) / ours[k][a];
      worst = off <= worst ? worst : off;  // what is not a number stays
    }
  const bool agrees = worst <= tolerance;
  fmt::print(
      "{:<6}  {:<9}  {:>2} agents  {}  {:<8}  ends after {:.9g} s, SimGrid {:.9g} s; largest difference of "
      "{} times {:.1e}\n",
      agrees ? "agrees" : "DIFFERS", c.generator, c.agents, c.half_duplex ? "half" : "full", c.traffic,
      *std::max_element(ours.back().begin(), ours.back().end()),
      *std::max_element(theirs.back().begin(), theirs.back().end()), ours.size() * ours[0].size(), worst);
  return std::fflush(stdout) == 0 && agrees ? 0 : 1;
}

}  // namespace

int main() {
  int failures = 0;
  for (const auto& [generator, agents] : {std::pair{"ring", 4}, {"star", 7}, {"geometric", 30}})
    for (const bool half_duplex : {false, true})
      for (const char* traffic : {"1 kB", "1 MB", "unequal", "ppdnmf"}) {
        const pid_t child = fork();
        if (child == 0) _exit(compare({generator, static_cast<std::size_t>(agents), half_duplex, traffic}));
        int status = 1;
        waitpid(child, &status, 0);
        failures += status == 0 ? 0 : 1;
      }
  std::printf("%d cases do not agree\n", failures);
  return failures == 0 ? 0 : 1;
}
