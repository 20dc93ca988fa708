// SPDX-License-Identifier: MIT
// What moves on the network. A payload is bytes; the network never looks inside.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace sotto {

/// Agents of the topology are 0 .. N-1; roles outside the graph (a dealer, a curator) follow from N on.
using AgentId = std::uint32_t;

/// What a message is, within its pair of agents. Messages with one sender, receiver and tag arrive in order.
using Tag = std::uint16_t;

struct Message {
  AgentId from = 0;
  AgentId to = 0;
  Tag tag = 0;
  Bytes bytes;
};

}  // namespace sotto
