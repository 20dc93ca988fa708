// SPDX-License-Identifier: MIT
#include "network/topology/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <limits>

#include "base/error.h"

namespace sotto {

using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                               boost::no_property, AgentId, std::uint32_t>;

struct Topology::Graph {
  Csr csr;
};

namespace {

constexpr std::uint32_t unreached = ~std::uint32_t{0};

void refuse_bad_edges(std::size_t agents, std::vector<Edge>& edges) {
  if (agents == 0) throw RunError("a topology needs at least one agent");
  for (Edge& e : edges) {
    if (e.first > e.second) std::swap(e.first, e.second);
    if (e.second >= agents)
      throw RunError(fmt::format("edge {}-{} names agent {}, but there are {} agents", e.first, e.second,
                                 e.second, agents));
    if (e.first == e.second) throw RunError(fmt::format("agent {} has an edge to itself", e.first));
  }
  std::sort(edges.begin(), edges.end());
  const auto twice = std::adjacent_find(edges.begin(), edges.end());
  if (twice != edges.end())
    throw RunError(fmt::format("edge {}-{} is there twice", twice->first, twice->second));
}

std::string name_some(const std::vector<AgentId>& agents) {
  constexpr std::size_t shown = 8;
  const std::span<const AgentId> some(agents.data(), std::min(agents.size(), shown));
  std::string text = fmt::format("{}", fmt::join(some, ", "));
  if (agents.size() > shown) text += fmt::format(" and {} more", agents.size() - shown);
  return text;
}

}  // namespace

Topology::Topology(std::size_t agents, std::vector<Edge> edges) : agents_(agents) {
  refuse_bad_edges(agents, edges);
  const std::size_t once = edges.size();
  if (once > std::numeric_limits<std::uint32_t>::max() / 2)
    throw RunError(fmt::format("{} edges are too many", once));
  edges.reserve(2 * once);
  for (std::size_t k = 0; k < once; ++k) edges.emplace_back(edges[k].second, edges[k].first);
  std::sort(edges.begin(), edges.end());
  graph_ = std::make_shared<const Graph>(
      Graph{Csr(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<AgentId>(agents),
                static_cast<std::uint32_t>(edges.size()))});
  const auto distance = distances(0);
  std::vector<AgentId> apart;
  for (AgentId v = 0; v < agents; ++v)
    if (distance[v] == unreached) apart.push_back(v);
  if (!apart.empty())
    throw RunError(fmt::format("the graph is not connected: agent{} {} cannot be reached from agent 0",
                               apart.size() > 1 ? "s" : "", name_some(apart)));
}

std::size_t Topology::links() const {
  return boost::num_edges(graph_->csr);
}

std::span<const AgentId> Topology::neighbors(AgentId agent) const {
  const auto [first, last] = boost::adjacent_vertices(agent, graph_->csr);
  if (first == last) return {};
  return {&*first, static_cast<std::size_t>(last - first)};
}

bool Topology::adjacent(AgentId a, AgentId b) const {
  const auto row = neighbors(a);
  return std::binary_search(row.begin(), row.end(), b);
}

std::size_t Topology::link(AgentId from, AgentId to) const {
  const auto row = neighbors(from);
  const auto at = std::lower_bound(row.begin(), row.end(), to);
  if (at == row.end() || *at != to)
    throw RunError(fmt::format("agents {} and {} are not neighbors", from, to));
  const auto [first, last] = boost::out_edges(from, graph_->csr);
  return boost::get(boost::edge_index, graph_->csr, *first) + static_cast<std::size_t>(at - row.begin());
}

std::vector<Edge> Topology::edge_list() const {
  std::vector<Edge> list;
  list.reserve(edges());
  for (AgentId a = 0; a < agents_; ++a)
    for (const AgentId b : neighbors(a))
      if (a < b) list.emplace_back(a, b);
  return list;
}

std::vector<std::uint32_t> Topology::distances(AgentId from) const {
  std::vector<std::uint32_t> distance(agents_, unreached);
  distance[from] = 0;
  const auto record = boost::record_distances(
      boost::make_iterator_property_map(distance.begin(), boost::get(boost::vertex_index, graph_->csr)),
      boost::on_tree_edge());
  boost::breadth_first_search(graph_->csr, from, boost::visitor(boost::make_bfs_visitor(record)));
  return distance;
}

std::uint32_t Topology::diameter() const {
  std::uint32_t longest = 0;
  for (AgentId v = 0; v < agents_; ++v) {
    const auto distance = distances(v);
    longest = std::max(longest, *std::max_element(distance.begin(), distance.end()));
  }
  return longest;
}

AgentId Routes::next_hop(AgentId from, AgentId to) {
  if (topology_->adjacent(from, to)) return to;  // nearly every message: no table is made for it
  std::vector<AgentId>& next = toward_[to];
  if (next.empty()) {
    const auto distance = topology_->distances(to);
    next.resize(topology_->agents());
    for (AgentId v = 0; v < next.size(); ++v) {
      next[v] = v;
      for (const AgentId n : topology_->neighbors(v))
        if (distance[n] < distance[v]) {  // neighbors are sorted: the first one is the smallest
          next[v] = n;
          break;
        }
    }
  }
  return next[from];
}

std::size_t Routes::hops(AgentId from, AgentId to) {
  std::size_t count = 0;
  for (AgentId at = from; at != to; at = next_hop(at, to)) ++count;
  return count;
}

}  // namespace sotto
