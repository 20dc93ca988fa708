// SPDX-License-Identifier: MIT
// Graphs by name. Every generator returns a connected graph or throws a RunError that says why it cannot.
// Those that draw at random either start from a random spanning tree or redraw a bounded number of times.
// To add one: a function in generators.cpp and a row in its table, whose length is written there.
// Tests: tests/network/topology/topology_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/random_stream.h"
#include "network/topology/topology.h"

namespace sotto {

struct GeneratorOptions {
  std::size_t agents = 10;
  double average_degree = 3;
  std::size_t min_degree = 1;
  double radius = 0;          ///< geometric; 0: chosen for average_degree
  double rewiring = 0.1;      ///< small-world: probability that an edge is rewired
  std::size_t branching = 2;  ///< tree: children of an agent
};

struct GeneratorEntry {
  std::string_view name;  ///< topology.generator
  std::vector<Edge> (*draw)(const GeneratorOptions& settings, RandomStream& random);
  bool uses_average_degree;
  bool redraws;  ///< a draw may miss connectedness or min_degree: try again
};

std::span<const GeneratorEntry> generators();
const GeneratorEntry* find_generator(std::string_view name);

Topology generate(std::string_view generator, const GeneratorOptions& settings, RandomStream& random);

}  // namespace sotto
