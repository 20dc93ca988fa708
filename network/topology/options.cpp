// SPDX-License-Identifier: MIT
#include "network/topology/options.h"

namespace sotto {

Schema topology_settings() {
  using Options = TopologyOptions;
  const auto generated = [](const Options& o) { return o.file.empty(); };
  const auto generated_by = [](std::string_view name) {
    return [name](const Options& o) { return o.file.empty() && o.generator == name; };
  };
  const auto origin = [](const Options& o) {
    return o.file.empty() ? "topology.generator is " + o.generator : "topology.file is " + o.file;
  };
  SchemaOf<Options> s("topology");
  s.name("generator", &Options::generator, names_of(generators()), "the shape of the graph")
      .used(generated, origin);
  s.path("file", &Options::file, "a path, relative to the scenario's folder",
         "a GraphML, DOT or edge-list file instead of a generator; edge attributes latency_ms, "
         "bandwidth_mbit, loss override [link]");
  s.whole(
      "agents", [](auto& o) -> auto& { return o.shape.agents; }, {1, 10'000'000}, "number of agents");
  s.real(
       "average_degree", [](auto& o) -> auto& { return o.shape.average_degree; }, {0, 1e7, true},
       "neighbors of an agent, on average; scale-free and geometric come near it")
      .used(
          [](const Options& o) {
            const GeneratorEntry* g = find_generator(o.generator);
            return o.file.empty() && g != nullptr && g->uses_average_degree;
          },
          origin);
  s.whole(
      "min_degree", [](auto& o) -> auto& { return o.shape.min_degree; }, {1, 1'000'000},
      "every agent has at least so many neighbors, or it is an error");
  s.real(
       "radius", [](auto& o) -> auto& { return o.shape.radius; }, {0, 2},
       "geometric: neighbors are within it, in the unit square; 0: from average_degree")
      .used(generated_by("geometric"), origin);
  s.real(
       "rewiring", [](auto& o) -> auto& { return o.shape.rewiring; }, {0, 1},
       "small-world: share of edges that are rewired")
      .used(generated_by("small-world"), origin);
  s.whole(
       "branching", [](auto& o) -> auto& { return o.shape.branching; }, {1, 1'000'000},
       "tree: children of an agent")
      .used(generated_by("tree"), origin);
  return s.take();
}

}  // namespace sotto
