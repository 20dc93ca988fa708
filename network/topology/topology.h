// SPDX-License-Identifier: MIT
// The graph: immutable, undirected, connected, without loops; neighbors sorted. Stored as a Boost.Graph
// compressed sparse row graph with both directions of every edge; Boost.Graph appears in the topology files
// and nowhere else. A directed link has a number: its place in the rows. Copies share the graph. Threading: const
// after construction, read from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "network/runtime/message.h"

namespace sotto {

using Edge = std::pair<AgentId, AgentId>;

class Topology {
 public:
  /// From undirected edges, in any order and direction. RunError names a loop, a repeated edge, an end that
  /// is not an agent, or the agents that cannot be reached from agent 0.
  Topology(std::size_t agents, std::vector<Edge> edges);

  std::size_t agents() const { return agents_; }
  std::size_t edges() const { return links() / 2; }
  /// Directed links: twice the edges.
  std::size_t links() const;
  std::span<const AgentId> neighbors(AgentId agent) const;
  std::size_t degree(AgentId agent) const { return neighbors(agent).size(); }
  bool adjacent(AgentId a, AgentId b) const;
  /// Number of the directed link from -> to, which must be neighbors.
  std::size_t link(AgentId from, AgentId to) const;
  /// Both ends of every edge, smaller first, sorted.
  std::vector<Edge> edge_list() const;
  /// Hops from one agent to all others.
  std::vector<std::uint32_t> distances(AgentId from) const;
  /// Longest shortest path, by a breadth-first search from every agent: O(agents * edges).
  std::uint32_t diameter() const;

 private:
  struct Graph;
  std::size_t agents_;
  std::shared_ptr<const Graph> graph_;
};

/// Next hop of shortest paths; ties go to the smaller agent. One table per destination, made when first asked
/// for. Threading: belongs to one thread.
class Routes {
 public:
  explicit Routes(const Topology& topology) : topology_(&topology), toward_(topology.agents()) {}
  AgentId next_hop(AgentId from, AgentId to);
  std::size_t hops(AgentId from, AgentId to);

 private:
  const Topology* topology_;
  std::vector<std::vector<AgentId>> toward_;
};

}  // namespace sotto
