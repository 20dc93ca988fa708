#include "network/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

#include "base/error.h"

namespace sotto {

namespace {

class Replay {
 public:
  Replay(const EventLog& log, const Topology& topology, const Link& link, const CostTable& cost,
         std::vector<std::uint64_t> iterations)
      : log_(log),
        topology_(topology),
        link_(link),
        cost_(cost),
        routes_(topology),
        agents_(log.agents()),
        link_free_(topology.links(), 0.0) {
    timing_.links.resize(topology.links());
    timing_.at.assign(iterations.size(), std::vector<Progress>(log.agents()));
    timing_.iterations = std::move(iterations);
  }

  Timing run() {
    for (AgentId a = 0; a < agents_.size(); ++a) schedule(0, Step{a, go_on});
    while (!queue_.empty()) {
      const Entry next = queue_.top();
      queue_.pop();
      now_ = next.time;
      if (next.step.message == go_on)
        advance(next.step.agent);
      else
        arrive(next.step.agent, next.step.message);
    }
    for (AgentId a = 0; a < agents_.size(); ++a)
      if (agents_[a].at < log_.of(a).size())
        throw RunError(fmt::format("the event log of agent {} does not fit the others", a));
    return std::move(timing_);
  }

 private:
  static constexpr std::uint32_t go_on = ~std::uint32_t{0};

  /// `agent` goes on with its log, or `message` arrives at it.
  struct Step {
    AgentId agent;
    std::uint32_t message;
  };
  struct Entry {
    double time;
    std::uint64_t order;  // ties: first scheduled, first served
    Step step;
    bool operator<(const Entry& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct InFlight {
    AgentId from;
    AgentId to;
    Tag tag;
    std::uint64_t bytes;
  };
  struct AgentState {
    std::size_t at = 0;
    bool waits = false;
    std::size_t next_mark = 0;
    Progress sent;
    std::unordered_map<std::uint64_t, std::uint64_t> inbox;  // (from, tag) -> messages that have arrived
  };

  void schedule(double time, Step step) { queue_.push({time, order_++, step}); }
  bool in_graph(AgentId a) const { return a < topology_.agents(); }
  static std::uint64_t key(AgentId from, Tag tag) { return (std::uint64_t{from} << 16) | tag; }

  void advance(AgentId a) {
    AgentState& me = agents_[a];
    me.waits = false;
    for (const auto& events = log_.of(a); me.at < events.size(); ++me.at) {
      const Event& e = events[me.at];
      switch (e.kind) {
        case Event::Kind::compute: {
          ++me.at;
          schedule(now_ + cost_.time(a, e.operation, static_cast<double>(e.amount)), Step{a, go_on});
          return;
        }
        case Event::Kind::send:
          send(a, e);
          break;
        case Event::Kind::receive: {
          const auto waiting = me.inbox.find(key(e.peer, e.tag));
          if (waiting == me.inbox.end() || waiting->second == 0) {
            me.waits = true;
            return;
          }
          --waiting->second;
          break;
        }
        case Event::Kind::boundary:
          mark(a, e.amount);
          break;
      }
    }
    timing_.end = std::max(timing_.end, now_);
    // an agent that ends before a boundary has still sent what it sent
    for (; me.next_mark < timing_.at.size(); ++me.next_mark) note(a, me.next_mark);
  }

  void send(AgentId a, const Event& e) {
    std::uint32_t id;
    if (free_.empty()) {
      id = static_cast<std::uint32_t>(in_flight_.size());
      in_flight_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    in_flight_[id] = {a, e.peer, e.tag, e.amount};
    Progress& sent = agents_[a].sent;
    if (in_graph(a) && in_graph(e.peer)) {  // all hops are counted when the message leaves
      const std::size_t hops = routes_.hops(a, e.peer);
      sent.messages += hops;
      sent.bytes += hops * e.amount;
      transmit(a, id);
    } else {
      ++sent.role_messages;
      sent.role_bytes += e.amount;
      transmit_role(id);
    }
  }

  void transmit(AgentId at, std::uint32_t id) {
    const InFlight& m = in_flight_[id];
    const AgentId next = routes_.next_hop(at, m.to);
    const std::size_t l = topology_.link(at, next);
    ++timing_.links[l].messages;
    timing_.links[l].bytes += m.bytes;
    const double start = std::max(now_, link_free_[l]);
    link_free_[l] = start + link_.transmission_seconds(static_cast<double>(m.bytes));
    schedule(link_free_[l] + link_.latency, Step{next, id});
  }

  void transmit_role(std::uint32_t id) {
    const InFlight& m = in_flight_[id];
    double& free = role_link_free_[{m.from, m.to}];
    free = std::max(now_, free) + link_.transmission_seconds(static_cast<double>(m.bytes));
    schedule(free + link_.latency, Step{m.to, id});
  }

  void arrive(AgentId at, std::uint32_t id) {
    const InFlight m = in_flight_[id];
    if (at != m.to) return transmit(at, id);
    free_.push_back(id);
    AgentState& me = agents_[at];
    ++me.inbox[key(m.from, m.tag)];
    if (!me.waits) return;
    const Event& awaited = log_.of(at)[me.at];
    if (awaited.peer == m.from && awaited.tag == m.tag) advance(at);
  }

  void mark(AgentId a, std::uint64_t iteration) {
    const auto place = std::lower_bound(timing_.iterations.begin(), timing_.iterations.end(), iteration);
    if (place == timing_.iterations.end() || *place != iteration) return;
    const auto k = static_cast<std::size_t>(place - timing_.iterations.begin());
    note(a, k);
    agents_[a].next_mark = k + 1;
  }

  void note(AgentId a, std::size_t k) {
    timing_.at[k][a] = agents_[a].sent;
    timing_.at[k][a].seconds = now_;
  }

  const EventLog& log_;
  const Topology& topology_;
  const Link& link_;
  const CostTable& cost_;
  Routes routes_;
  std::vector<AgentState> agents_;
  std::vector<double> link_free_;
  std::map<Edge, double> role_link_free_;
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Entry> queue_;
  std::uint64_t order_ = 0;
  double now_ = 0;
  Timing timing_;
};

}  // namespace

CostTable CostTable::reference() {
  CostTable table;
  for (std::size_t k = 0; k < operation_count; ++k)
    table.seconds[k] = facts(static_cast<Operation>(k)).reference_seconds;
  return table;
}

Progress Timing::total(std::size_t boundary) const {
  Progress sum;
  for (const Progress& p : at[boundary]) {
    sum.messages += p.messages;
    sum.bytes += p.bytes;
    sum.role_messages += p.role_messages;
    sum.role_bytes += p.role_bytes;
    sum.seconds = std::max(sum.seconds, p.seconds);
  }
  return sum;
}

Timing replay(const EventLog& log, const Topology& topology, const Link& link, const CostTable& cost,
              std::vector<std::uint64_t> iterations) {
  return Replay(log, topology, link, cost, std::move(iterations)).run();
}

}  // namespace sotto
