// SPDX-License-Identifier: MIT
// Event logs written by hand, for tests of simulated time.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "network/time/timeline.h"

namespace sotto::testing {

inline constexpr std::uint64_t kB = 1000;
inline constexpr double transmission = kB / (10e6 / 8);  ///< of 1 kB at 10 Mbit/s: 0.8 ms

inline doctest::Approx about(double seconds) {
  return doctest::Approx(seconds).epsilon(1e-12);
}

inline Event computes(std::uint64_t flops) {
  return {flops, 0, 0, Event::Kind::compute, Operation::flop};
}
inline Event sends(AgentId to, std::uint64_t bytes, Tag tag = 1) {
  return {bytes, to, tag, Event::Kind::send, {}};
}
inline Event receives(AgentId from, Tag tag = 1) {
  return {0, from, tag, Event::Kind::receive, {}};
}
inline Event passes(std::uint64_t boundary) {
  return {boundary, 0, 0, Event::Kind::boundary, {}};
}

/// What each agent did, in its order.
inline EventLog log_of(const std::vector<std::vector<Event>>& agents) {
  EventLog log(agents.size());
  for (AgentId a = 0; a < agents.size(); ++a)
    for (const Event& e : agents[a]) log.add(a, e);
  return log;
}

/// 5 ms and 10 Mbit/s: 1 kB takes 0.8 ms.
inline LinkModel ten_mbit(bool half_duplex = false, double loss = 0) {
  return {{5e-3, 10e6 / 8, loss}, {}, half_duplex};
}

inline constexpr StreamName some_losses{1, 0, StreamName::everyone, "loss"};

/// A stream whose first draws say what is lost, in order, at probability 1/2.
inline StreamName losses_that_begin(const std::vector<bool>& lost) {
  for (StreamName name = some_losses;; ++name.run) {
    RandomStream stream(name);
    bool fits = true;
    for (const bool l : lost) fits &= (stream.uniform() < 0.5) == l;
    if (fits) return name;
  }
}

}  // namespace sotto::testing
