// SPDX-License-Identifier: MIT
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
/// hundred agents; above that Lanczos iterations on the inverse where the Laplacian factorizes cheaply (paths, grids,
/// radio networks) and on the Laplacian itself where it does not (expanders). None if neither arrives.
std::optional<double> algebraic_connectivity(const Topology& topology);

/// An upper bound on the second-largest eigenvalue modulus of the Metropolis weights (Xiao and Boyd 2004)
///     w_ij = 1 / (1 + max(d_i, d_j)) for neighbors,  w_ii = 1 - sum_j w_ij,
/// max(lambda_2, -lambda_n) of n agents: how much a round of averaging with these weights leaves of a disagreement, at
/// most. Always below 1 for a connected graph; 0 for a single agent. Found like algebraic_connectivity, with the
/// residual on top: too large by 1e-6 of 1 - lambda at most, or, where lambda_n decides, by 1e-6. Where that does not
/// arrive, an analytic bound:
///     1 - lambda_2 >= max(4 / ((1 + d_max) n D), 1 / (7 n^2)),   D: at least the diameter,
/// by Mohar's bound for the Laplacian (1991), and because the resistances 1 / w along a shortest path add up to less
/// than 7 n: nobody has more than three neighbors on it. And -lambda_n <= 1 - 2 min_i w_ii (Gershgorin).
/// A polynomial of the weights that is to be small on all disagreements is made for the interval [-lambda, lambda],
/// whichever end of the spectrum decided: see core/protocols/gossip.h.
double metropolis_second_eigenvalue_bound(const Topology& topology);

}  // namespace sotto
