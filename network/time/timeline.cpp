// SPDX-License-Identifier: MIT
#include "network/time/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "network/time/shared_link.h"

namespace sotto {

namespace {

/// From one sender under one tag: received in the order in which it was sent.
class Channel {
 public:
  std::uint64_t next_number() { return sent_++; }

  /// Whether the message can be received now; one that overtook others waits for them.
  bool arrive(std::uint64_t number) {
    if (number != arrived_) {
      early_.push_back(number);
      std::push_heap(early_.begin(), early_.end(), std::greater<>());
      return false;
    }
    for (++arrived_; !early_.empty() && early_.front() == arrived_; ++arrived_) {
      std::pop_heap(early_.begin(), early_.end(), std::greater<>());
      early_.pop_back();
    }
    return true;
  }

  bool take() {
    if (taken_ == arrived_) return false;
    ++taken_;
    return true;
  }

 private:
  std::uint64_t sent_ = 0;
  std::uint64_t arrived_ = 0;  // so many from the first on, without a gap
  std::uint64_t taken_ = 0;
  std::vector<std::uint64_t> early_;  // beyond a gap
};

/// Every link of a run with what is on it: those of the graph, then those of roles, made when first used.
class Links {
 public:
  struct Shared {
    const Link* link;
    SharedLink queue;
  };

  Links(const Topology& topology, const LinkModel& model) : model_(model) {
    if (!model.of_edge.empty() && model.of_edge.size() != topology.edges())
      throw RunError(fmt::format("{} links are described, but the graph has {} edges", model.of_edge.size(),
                                 topology.edges()));
    if (model.half_duplex || !model.of_edge.empty()) number_edges(topology);
    const std::size_t count = model.half_duplex ? topology.edges() : topology.links();
    all_.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t edge = model.half_duplex || model.of_edge.empty() ? k : edge_of_[k];
      add(model.of_edge.empty() ? model.standard : model.of_edge[edge]);
    }
  }

  Shared& operator[](std::uint32_t number) { return all_[number]; }
  /// What a message uses on a directed link of the graph.
  std::uint32_t of_graph(std::size_t directed) const {
    return model_.half_duplex ? edge_of_[directed] : static_cast<std::uint32_t>(directed);
  }
  std::uint32_t of_role(AgentId from, AgentId to) {
    if (model_.half_duplex && from > to) std::swap(from, to);
    const auto [at, is_new] = of_role_.try_emplace({from, to}, static_cast<std::uint32_t>(all_.size()));
    if (is_new) add(model_.standard);
    return at->second;
  }

 private:
  void add(const Link& link) { all_.push_back({&link, SharedLink(link.bandwidth)}); }

  /// By directed link, its place in Topology::edge_list.
  void number_edges(const Topology& topology) {
    edge_of_.resize(topology.links());
    std::uint32_t edge = 0;
    std::size_t directed = 0;
    for (AgentId a = 0; a < topology.agents(); ++a)
      for (const AgentId b : topology.neighbors(a)) {
        edge_of_[directed] = a < b ? edge++ : edge_of_[topology.link(b, a)];
        ++directed;
      }
  }

  const LinkModel& model_;
  std::vector<std::uint32_t> edge_of_;
  std::vector<Shared> all_;
  std::map<Edge, std::uint32_t> of_role_;
};

/// What one agent sends another leaves one message after the other: those that wait, as a list through the messages.
struct Connection {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  bool busy = false;
  std::uint32_t first = nobody;
  std::uint32_t last = nobody;
};

class Replay {
 public:
  Replay(const EventLog& log, const Topology& topology, const LinkModel& links, const CostTable& cost,
         const StreamName& losses, std::vector<std::uint64_t> iterations)
      : log_(log),
        topology_(topology),
        cost_(cost),
        losses_(losses),
        links_(topology, links),
        routes_(topology),
        direct_(topology.links()),
        agents_(log.agents()) {
    if (log.agents() < topology.agents())
      throw RunError(
          fmt::format("an event log of {} agents on a graph of {}", log.agents(), topology.agents()));
    timing_.links.resize(topology.links());
    timing_.at.assign(iterations.size(), std::vector<Progress>(log.agents()));
    timing_.iterations = std::move(iterations);
  }

  Timing run() {
    for (AgentId a = 0; a < agents_.size(); ++a) schedule(0, {Step::Kind::go_on, a, 0});
    while (!queue_.empty()) {
      const Entry next = queue_.top();
      queue_.pop();
      now_ = next.time;
      take(next.step);
    }
    for (AgentId a = 0; a < agents_.size(); ++a)
      if (agents_[a].at < log_.of(a).size())
        throw RunError(fmt::format("the event log of agent {} does not fit the others", a));
    return std::move(timing_);
  }

 private:
  struct Step {
    enum class Kind : std::uint32_t { go_on, depart, arrive, send_again };
    Kind kind;
    std::uint32_t which;    // go_on: the agent; depart: the link; else the message
    std::uint32_t version;  // depart: of the link, when this was foreseen
  };
  struct Entry {
    double time;
    std::uint64_t order;  // ties: first scheduled, first served
    Step step;
    bool operator<(const Entry& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  static constexpr std::uint32_t no_link = ~std::uint32_t{0};
  struct InFlight {
    AgentId from;
    AgentId to;
    Tag tag;
    std::uint64_t bytes;
    Channel* channel;
    std::uint64_t number;    // in its channel
    AgentId next;            // where this hop leads
    std::uint32_t directed;  // the link of the graph it is on; no_link: a role's
    std::uint32_t shared;    // the same among links_
    std::uint32_t behind;    // who waits behind it in its connection
  };
  struct AgentState {
    std::size_t at = 0;
    bool waits = false;
    std::size_t next_mark = 0;
    Progress sent;
    std::unordered_map<std::uint64_t, Channel> inbox;  // by sender and tag
  };

  void schedule(double time, Step step) { queue_.push({time, order_++, step}); }
  bool in_graph(AgentId a) const { return a < topology_.agents(); }
  static std::uint64_t key(AgentId from, Tag tag) { return (std::uint64_t{from} << 16) | tag; }

  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::go_on:
        return advance(step.which);
      case Step::Kind::depart:
        return depart(step.which, step.version);
      case Step::Kind::arrive:
        return arrive(step.which);
      case Step::Kind::send_again:
        return enter(step.which);
    }
  }

  void advance(AgentId a) {
    AgentState& me = agents_[a];
    me.waits = false;
    for (const auto& events = log_.of(a); me.at < events.size(); ++me.at) {
      const Event& e = events[me.at];
      switch (e.kind) {
        case Event::Kind::compute: {
          ++me.at;
          schedule(now_ + cost_.time(a, e.operation, static_cast<double>(e.amount)),
                   {Step::Kind::go_on, a, 0});
          return;
        }
        case Event::Kind::send:
          send(a, e);
          break;
        case Event::Kind::receive: {
          const auto channel = me.inbox.find(key(e.peer, e.tag));
          if (channel == me.inbox.end() || !channel->second.take()) {
            me.waits = true;
            return;
          }
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
    if (e.peer >= agents_.size() || e.peer == a)
      throw RunError(fmt::format("the event log of agent {} sends to {}: there is no such agent", a, e.peer));
    std::uint32_t id;
    if (free_.empty()) {
      id = static_cast<std::uint32_t>(in_flight_.size());
      in_flight_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    Channel& channel = agents_[e.peer].inbox[key(a, e.tag)];
    in_flight_[id] = {a,      e.peer,  e.tag, e.amount,          &channel, channel.next_number(),
                      e.peer, no_link, 0,     Connection::nobody};
    Progress& sent = agents_[a].sent;
    if (in_graph(a) && in_graph(e.peer)) {  // all hops are counted when the message leaves
      const std::size_t hops = routes_.hops(a, e.peer);
      sent.messages += hops;
      sent.bytes += hops * e.amount;
      transmit(a, id);
    } else {
      ++sent.role_messages;
      sent.role_bytes += e.amount;
      in_flight_[id].shared = links_.of_role(a, e.peer);
      enter(id);
    }
  }

  /// The next hop, from an agent of the graph.
  void transmit(AgentId at, std::uint32_t id) {
    InFlight& m = in_flight_[id];
    m.next = routes_.next_hop(at, m.to);
    m.directed = static_cast<std::uint32_t>(topology_.link(at, m.next));
    m.shared = links_.of_graph(m.directed);
    ++timing_.links[m.directed].messages;
    timing_.links[m.directed].bytes += m.bytes;
    enter(id);
  }

  /// Of a message on its hop: neighbors' own, or one of those that pass through, or a role's.
  Connection& connection_of(const InFlight& m) {
    if (m.directed != no_link && m.next == m.to && topology_.adjacent(m.from, m.to))
      return direct_[m.directed];
    return passing_[{m.directed, m.from, m.to}];
  }

  void enter(std::uint32_t id) {
    Connection& line = connection_of(in_flight_[id]);
    in_flight_[id].behind = Connection::nobody;
    if (line.busy) {
      (line.first == Connection::nobody ? line.first : in_flight_[line.last].behind) = id;
      line.last = id;
      return;
    }
    line.busy = true;
    start(id);
  }

  void start(std::uint32_t id) {
    const InFlight& m = in_flight_[id];
    links_[m.shared].queue.enter(now_, id, static_cast<double>(m.bytes));
    foresee_departure(m.shared);
  }

  /// The next of its connection follows, if one waits.
  bool follow(const InFlight& m) {
    Connection& line = connection_of(m);
    line.busy = line.first != Connection::nobody;
    if (!line.busy) return false;
    const std::uint32_t next = line.first;
    line.first = in_flight_[next].behind;
    start(next);
    return true;
  }

  void foresee_departure(std::uint32_t shared) {
    const SharedLink& queue = links_[shared].queue;
    if (!queue.idle()) schedule(queue.next_departure(), {Step::Kind::depart, shared, queue.version()});
  }

  /// The last byte of a message leaves, unless something entered or left since that was foreseen.
  void depart(std::uint32_t shared, std::uint32_t version) {
    SharedLink& queue = links_[shared].queue;
    if (queue.version() != version) return;
    const Link* link = links_[shared].link;
    const std::uint32_t id = queue.leave(now_);
    if (!follow(in_flight_[id])) foresee_departure(shared);
    if (link->loss > 0 && losses_.uniform() < link->loss) {
      count_loss(in_flight_[id]);
      schedule(now_ + 2 * link->latency, {Step::Kind::send_again, id, 0});
    } else {
      schedule(now_ + link->latency, {Step::Kind::arrive, id, 0});
    }
  }

  void count_loss(const InFlight& m) {
    Progress& sent = agents_[m.from].sent;
    ++sent.lost;
    sent.lost_bytes += m.bytes;
    if (m.directed == no_link) return;
    ++timing_.links[m.directed].lost;
    timing_.links[m.directed].lost_bytes += m.bytes;
  }

  void arrive(std::uint32_t id) {
    const InFlight m = in_flight_[id];
    if (m.next != m.to) return transmit(m.next, id);
    free_.push_back(id);
    AgentState& me = agents_[m.to];
    if (!m.channel->arrive(m.number) || !me.waits) return;
    const Event& awaited = log_.of(m.to)[me.at];
    if (awaited.peer == m.from && awaited.tag == m.tag) advance(m.to);
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
  const CostTable& cost_;
  RandomStream losses_;
  Links links_;
  Routes routes_;
  std::vector<Connection> direct_;                                             // by directed link
  std::map<std::tuple<std::uint32_t, AgentId, AgentId>, Connection> passing_;  // by link, sender and receiver
  std::vector<AgentState> agents_;
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
    sum.lost += p.lost;
    sum.lost_bytes += p.lost_bytes;
    sum.seconds = std::max(sum.seconds, p.seconds);
  }
  return sum;
}

Timing replay(const EventLog& log, const Topology& topology, const LinkModel& links, const CostTable& cost,
              const StreamName& losses, std::vector<std::uint64_t> iterations) {
  return Replay(log, topology, links, cost, losses, std::move(iterations)).run();
}

namespace {

constexpr ProgressFigure progress_table[] = {
    {{"messages", "", "transmissions over links of the graph: one per hop", Better::lower, Scope::cost},
     [](const Progress& p) { return static_cast<double>(p.messages); }},
    {{"bytes", "bytes", "bytes of these transmissions", Better::lower, Scope::cost, "MB sent", "{:.3g}",
      1e-6},
     [](const Progress& p) { return static_cast<double>(p.bytes); }},
    {{"sim_seconds", "s", "simulated time", Better::lower, Scope::cost, "sim s", "{:.4g}"},
     [](const Progress& p) { return p.seconds; }},
};

Progress at_end(const Timing& timing) {
  return timing.total(timing.at.size() - 1);
}

constexpr TimingFigure timing_table[] = {
    {{"busiest_link_bytes", "bytes", "bytes over the directed link with the most", Better::lower,
      Scope::cost},
     [](const Timing& t) {
       std::uint64_t most = 0;
       for (const LinkCount& l : t.links) most = std::max(most, l.bytes);
       return static_cast<double>(most);
     }},
    {{"role_messages", "", "messages to or from roles", Better::lower, Scope::cost},
     [](const Timing& t) { return static_cast<double>(at_end(t).role_messages); }},
    {{"role_bytes", "bytes", "bytes of these messages", Better::lower, Scope::cost},
     [](const Timing& t) { return static_cast<double>(at_end(t).role_bytes); }},
    {{"retransmissions", "", "transmissions that were lost and sent again", Better::lower, Scope::cost},
     [](const Timing& t) {
       std::uint64_t all = 0;
       for (const LinkCount& l : t.links) all += l.lost;
       return static_cast<double>(all);
     }},
};

}  // namespace

std::span<const ProgressFigure> progress_figures() {
  return progress_table;
}

std::span<const TimingFigure> timing_figures() {
  return timing_table;
}

}  // namespace sotto
