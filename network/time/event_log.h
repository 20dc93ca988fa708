// SPDX-License-Identifier: MIT
// What every agent did, in its own order: computed, sent, received, passed a boundary. Sixteen bytes an
// event. All costs of a run (messages, bytes, simulated time, counters per link) are computed from it
// afterwards, by `Timeline`, under any link and cost model. It holds sizes, never contents. Threading: an
// agent's list is written by whoever runs that agent, and read when the run is over.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/operation.h"
#include "network/runtime/message.h"

namespace sotto {

struct Event {
  enum class Kind : std::uint8_t { compute, send, receive, boundary };

  std::uint64_t amount = 0;  ///< compute: how often; send, receive: bytes; boundary: the iteration
  AgentId peer = 0;          ///< send: to; receive: from
  Tag tag = 0;
  Kind kind = Kind::compute;
  Operation operation = Operation::flop;
};
static_assert(sizeof(Event) == 16);

class EventLog {
 public:
  EventLog() = default;
  explicit EventLog(std::size_t agents) : events_(agents) {}

  void add(AgentId agent, const Event& event) { events_[agent].push_back(event); }
  std::size_t agents() const { return events_.size(); }
  const std::vector<Event>& of(AgentId agent) const { return events_[agent]; }

  void save(Writer& w) const {
    w.put<std::uint64_t>(events_.size());
    for (const auto& list : events_) w.list(list);
  }
  static EventLog load(Reader& r) {
    const auto agents = r.get<std::uint64_t>();
    if (agents > r.left() / sizeof(std::uint64_t))
      throw FormatError("an event log with more agents than bytes");
    EventLog log(agents);
    for (auto& list : log.events_) {
      list = r.list<Event>();
      for (const Event& e : list)
        if (e.kind > Event::Kind::boundary || static_cast<std::size_t>(e.operation) >= operation_count)
          throw FormatError("an event log with an event of no known kind");
    }
    return log;
  }

 private:
  std::vector<std::vector<Event>> events_;
};

}  // namespace sotto
