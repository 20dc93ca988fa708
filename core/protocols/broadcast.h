// SPDX-License-Identifier: MIT
// Everybody's message to everybody, in the clear; agents that are no neighbors send hop by hop. Who learns what: everybody
// everything. For what a protocol publishes by design.
#pragma once

#include <vector>

#include "core/protocols/tags.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

/// By agent, the own one included.
inline Task<std::vector<Bytes>> broadcast(Agent& me, std::size_t agents, Bytes own) {
  for (AgentId j = 0; j < agents; ++j)
    if (j != me.id()) me.send(j, tags::broadcast, own);
  std::vector<Bytes> all(agents);
  for (AgentId j = 0; j < agents; ++j)
    if (j != me.id()) all[j] = co_await me.receive(j, tags::broadcast);
  all[me.id()] = std::move(own);
  co_return all;
}

/// One agent's message to everybody, `own` its own. Used in turns it keeps one message per agent in memory, not all of them.
inline Task<Bytes> broadcast_from(Agent& me, std::size_t agents, AgentId sender, Bytes own) {
  if (me.id() != sender) co_return co_await me.receive(sender, tags::broadcast);
  for (AgentId j = 0; j < agents; ++j)
    if (j != sender) me.send(j, tags::broadcast, own);
  co_return own;
}

}  // namespace sotto
