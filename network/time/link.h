// SPDX-License-Identifier: MIT
// What lies between neighbors, and how it behaves for all of them.
#pragma once

#include <optional>
#include <vector>

namespace sotto {

struct Link {
  double latency = 5e-3;        ///< seconds
  double bandwidth = 10e6 / 8;  ///< bytes per second
  double loss = 0;              ///< share of transmissions that are lost, below 1
};

/// What a topology file says of an edge; what it does not say comes from [link].
struct LinkAttributes {
  std::optional<double> latency_ms, bandwidth_mbit, loss;
};

/// The links of a whole graph.
struct LinkModel {
  Link standard;
  std::vector<Link> of_edge;  ///< by Topology::edge_list; empty: `standard` everywhere
  bool half_duplex = false;   ///< both directions of an edge share its bandwidth
};

}  // namespace sotto
