// What can be said of a graph as a whole. Exact figures, each up to a size where it still takes a few seconds; above
// it there is no figure rather than a guess. The same figures on every run: nothing here depends on chance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/topology/topology.h"

namespace sotto {

/// Longest shortest path; none where a search from every agent would take too long.
std::optional<std::uint32_t> exact_diameter(const Topology& topology);

/// Agents without whom the others are no longer connected, sorted. Linear in the edges, for graphs of any depth.
std::vector<AgentId> cut_vertices(const Topology& topology);

/// The fewest agents without whom the others are no longer connected; agents - 1 if no number of them is enough.
/// `cuts` are the cut vertices. By vertex-disjoint paths (Even 1975; Esfahanian and Hakimi 1984); none where that
/// would take too long, which it never does for 0, 1 or an agent with two neighbors.
std::optional<std::size_t> vertex_connectivity(const Topology& topology, const std::vector<AgentId>& cuts);

/// Second-smallest eigenvalue of the Laplacian, to seven digits; 0 for a single agent. Dense up to a few
/// hundred agents; above that Lanczos iterations on the inverse where the Laplacian factorises cheaply (paths, grids,
/// radio networks) and on the Laplacian itself where it does not (expanders). None if neither arrives.
std::optional<double> algebraic_connectivity(const Topology& topology);

}  // namespace sotto
