// SPDX-License-Identifier: MIT
// Graphs drawn by a generator, for tests.
#pragma once

#include "network/topology/generators.h"

namespace sotto::testing {

inline Topology graph(std::string_view name, std::size_t agents, double degree = 4,
                      std::size_t min_degree = 1, std::uint64_t seed = 1) {
  GeneratorOptions options;
  options.agents = agents;
  options.average_degree = degree;
  options.min_degree = min_degree;
  RandomStream random({seed, 0, StreamName::everyone, "topology"});
  return generate(name, options, random);
}

}  // namespace sotto::testing
