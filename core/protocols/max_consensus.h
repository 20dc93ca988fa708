// SPDX-License-Identifier: MIT
// The largest of all agents' numbers, known to everybody after `reach` rounds: each round, everybody sends
// the largest it has heard of to its neighbors. Who learns what: neighbors see each other's running maximum,
// in the clear. Use it for public bounds only.
#pragma once

#include <algorithm>

#include "core/protocols/tags.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

inline Task<double> max_consensus(Agent& me, double value, std::uint64_t reach) {
  for (std::uint64_t round = 0; round < reach; ++round) {
    for (const AgentId j : me.neighbors()) {
      Writer w(sizeof(double));
      w.put(value);
      me.send(j, tags::max_consensus, w.take());
    }
    for (const AgentId j : me.neighbors()) {
      const Bytes heard = co_await me.receive(j, tags::max_consensus);
      value = std::max(value, Reader(heard).get<double>());
    }
  }
  co_return value;
}

}  // namespace sotto
