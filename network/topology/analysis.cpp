// SPDX-License-Identifier: MIT
#include "network/topology/analysis.h"

#include <algorithm>
#include <numeric>

namespace sotto {

namespace {

constexpr double max_search_work = 1e8;  // agents x links
constexpr double max_flow_work = 5e8;    // links looked at, if every search looks at all of them

/// Paths between two agents that have no agent in common: unit flows in the graph whose agents are split into an
/// entrance (2v) and an exit (2v + 1) with one arc between them. Arc k's reverse is k ^ 1.
class DisjointPaths {
 public:
  explicit DisjointPaths(const Topology& topology)
      : arcs_of_(2 * topology.agents()), seen_(2 * topology.agents()) {
    for (AgentId v = 0; v < topology.agents(); ++v) {
      connect(entrance(v), exit(v));
      for (const AgentId w : topology.neighbors(v)) connect(exit(v), entrance(w));
    }
    reached_by_.resize(arcs_of_.size());
  }

  /// min(number of paths, enough), for agents that are not neighbors.
  std::size_t count(AgentId source, AgentId target, std::size_t enough) {
    std::size_t paths = 0;
    while (paths < enough && augment(exit(source), entrance(target))) ++paths;
    for (const Arc arc : used_) free_[arc] = arc % 2 == 0 ? 1 : 0;
    used_.clear();
    return paths;
  }

 private:
  using Arc = std::uint32_t;
  using Place = std::uint32_t;
  static Place entrance(AgentId v) { return 2 * v; }
  static Place exit(AgentId v) { return 2 * v + 1; }

  void connect(Place from, Place to) {
    arcs_of_[from].push_back(static_cast<Arc>(end_of_.size()));
    arcs_of_[to].push_back(static_cast<Arc>(end_of_.size() + 1));
    end_of_.insert(end_of_.end(), {to, from});
    free_.insert(free_.end(), {1, 0});
  }

  /// One more path, by breadth-first search in what is left free; false if there is none.
  bool augment(Place source, Place target) {
    ++search_;
    queue_.assign(1, source);
    seen_[source] = search_;
    for (std::size_t k = 0; k < queue_.size() && seen_[target] != search_; ++k)
      for (const Arc arc : arcs_of_[queue_[k]]) {
        const Place next = end_of_[arc];
        if (free_[arc] == 0 || seen_[next] == search_) continue;
        seen_[next] = search_;
        reached_by_[next] = arc;
        queue_.push_back(next);
      }
    if (seen_[target] != search_) return false;
    for (Place at = target; at != source; at = end_of_[reached_by_[at] ^ 1]) {
      free_[reached_by_[at]] = 0;
      free_[reached_by_[at] ^ 1] = 1;
      used_.insert(used_.end(), {reached_by_[at], reached_by_[at] ^ 1});
    }
    return true;
  }

  std::vector<std::vector<Arc>> arcs_of_;
  std::vector<Place> end_of_;
  std::vector<char> free_;
  std::vector<Arc> reached_by_, used_;
  std::vector<std::uint32_t> seen_;  // the search that saw it last
  std::uint32_t search_ = 0;
  std::vector<Place> queue_;
};

}  // namespace

std::optional<std::uint32_t> exact_diameter(const Topology& topology) {
  if (static_cast<double>(topology.agents()) * static_cast<double>(topology.links()) > max_search_work)
    return {};
  return topology.diameter();
}

std::vector<AgentId> cut_vertices(const Topology& topology) {
  // Hopcroft and Tarjan's lowpoints with a stack of our own: a path of a million agents is a million deep.
  struct Visit {
    AgentId agent, parent;
    std::size_t next;  // of its neighbors
  };
  std::vector<std::uint32_t> order(topology.agents(), 0);  // 0: not yet seen
  std::vector<std::uint32_t> low(topology.agents(), 0);    // earliest agent its subtree has a link to
  std::vector<bool> cut(topology.agents(), false);
  std::vector<Visit> stack{{0, 0, 0}};
  std::uint32_t seen = 0;
  std::size_t children_of_root = 0;
  order[0] = low[0] = ++seen;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const AgentId v = visit.agent;
    if (visit.next < topology.degree(v)) {
      const AgentId w = topology.neighbors(v)[visit.next++];
      if (order[w] == 0) {
        order[w] = low[w] = ++seen;
        stack.push_back({w, v, 0});
      } else if (w != visit.parent) {
        low[v] = std::min(low[v], order[w]);
      }
      continue;
    }
    const AgentId parent = visit.parent;
    stack.pop_back();
    if (stack.empty()) break;
    low[parent] = std::min(low[parent], low[v]);
    if (parent == 0)
      ++children_of_root;
    else if (low[v] >= order[parent])
      cut[parent] = true;
  }
  cut[0] = children_of_root > 1;
  std::vector<AgentId> list;
  for (AgentId v = 0; v < topology.agents(); ++v)
    if (cut[v]) list.push_back(v);
  return list;
}

std::optional<std::size_t> vertex_connectivity(const Topology& topology, const std::vector<AgentId>& cuts) {
  const std::size_t agents = topology.agents();
  if (agents == 1) return 0;
  if (!cuts.empty()) return 1;
  AgentId pivot = 0;
  for (AgentId v = 0; v < agents; ++v)
    if (topology.degree(v) < topology.degree(pivot)) pivot = v;
  std::size_t fewest = topology.degree(pivot);  // its neighbors cut it off, unless there is nobody else
  if (fewest <= 2 || fewest == agents - 1) return fewest;
  const auto degree = static_cast<double>(fewest);
  const double searches = (static_cast<double>(agents) + degree * degree / 2) * (degree + 1);
  if (searches * static_cast<double>(topology.links()) > max_flow_work) return {};
  // A smallest cut either misses the pivot, and parts it from somebody, or holds it, and parts two of its neighbors.
  DisjointPaths paths(topology);
  const auto part = [&](AgentId a, AgentId b) {
    if (a != b && !topology.adjacent(a, b)) fewest = paths.count(a, b, fewest);
  };
  for (AgentId v = 0; v < agents; ++v) part(pivot, v);
  const auto around = topology.neighbors(pivot);
  for (std::size_t x = 0; x < around.size(); ++x)
    for (std::size_t y = x + 1; y < around.size(); ++y) part(around[x], around[y]);
  return fewest;
}

}  // namespace sotto
