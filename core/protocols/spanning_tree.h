// SPDX-License-Identifier: MIT
// A breadth-first tree over the graph, found by its agents: in every round everybody tells its neighbors how far it is from
// the root, as far as it knows; after `depth` rounds all know, choose the nearest neighbor as parent (the smallest of
// several) and tell it. An agent that is to be a leaf never says how far it is, so nobody chooses it.
// Who learns what: neighbors learn each other's distance from the root.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/protocols/tags.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

/// An agent's place in a tree. The root has no parent.
struct TreePlace {
  std::optional<AgentId> parent;
  std::vector<AgentId> children;

  void save(Writer& w) const {
    w.put<std::uint8_t>(parent ? 1 : 0);
    w.put(parent.value_or(0));
    w.list(children);
  }
  static TreePlace load(Reader& r) {
    TreePlace place;
    const bool has_parent = r.get<std::uint8_t>() != 0;
    const auto parent = r.get<AgentId>();
    if (has_parent) place.parent = parent;
    place.children = r.list<AgentId>();
    return place;
  }
};

/// `depth`: no agent is farther from the root on paths that avoid `leaf`.
inline Task<TreePlace> spanning_tree(Agent& me, AgentId root, std::optional<AgentId> leaf,
                                     std::uint64_t depth) {
  constexpr auto unknown = std::numeric_limits<std::uint32_t>::max();
  const auto neighbors = me.neighbors();
  std::uint32_t own = me.id() == root ? 0 : unknown;
  std::vector<std::uint32_t> theirs(neighbors.size(), unknown);
  for (std::uint64_t round = 0; round < depth; ++round) {
    for (const AgentId j : neighbors) {
      Writer w(sizeof(own));
      w.put(me.id() == leaf ? unknown : own);
      me.send(j, tags::tree_distance, w.take());
    }
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      const Bytes heard = co_await me.receive(neighbors[k], tags::tree_distance);
      theirs[k] = Reader(heard).get<std::uint32_t>();
      if (theirs[k] != unknown) own = std::min(own, theirs[k] + 1);
    }
  }
  TreePlace place;
  if (me.id() != root) {
    const auto nearest = std::min_element(theirs.begin(), theirs.end());
    if (nearest == theirs.end() || *nearest == unknown)
      throw RunError("the root of the tree is out of reach");
    place.parent = neighbors[static_cast<std::size_t>(nearest - theirs.begin())];
  }
  for (const AgentId j : neighbors) {
    Writer w(1);
    w.put<std::uint8_t>(place.parent == j ? 1 : 0);
    me.send(j, tags::tree_parent, w.take());
  }
  for (const AgentId j : neighbors) {
    const Bytes heard = co_await me.receive(j, tags::tree_parent);
    if (Reader(heard).get<std::uint8_t>() != 0) place.children.push_back(j);
  }
  co_return place;
}

}  // namespace sotto
