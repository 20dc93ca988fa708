// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include <algorithm>

#include "base/error.h"
#include "network/topology/generators.h"
#include "network/topology/topology.h"
#include "tests/support/graphs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {}  // namespace

TEST_CASE("topology: sorted neighbors, links, distances, diameter") {
  const Topology t(5, {{4, 0}, {1, 0}, {2, 1}, {3, 2}});
  CHECK(t.edges() == 4);
  CHECK(t.links() == 8);
  CHECK(std::ranges::equal(t.neighbors(0), std::vector<AgentId>{1, 4}));
  CHECK(t.adjacent(2, 3));
  CHECK(!t.adjacent(4, 3));
  CHECK(t.diameter() == 4);
  CHECK(t.distances(4) == std::vector<std::uint32_t>{1, 2, 3, 4, 0});
  std::vector<bool> seen(t.links());
  for (AgentId a = 0; a < 5; ++a)
    for (const AgentId b : t.neighbors(a)) {
      CHECK(!seen[t.link(a, b)]);
      seen[t.link(a, b)] = true;
    }
  CHECK_THROWS_AS(t.link(4, 3), RunError);
  CHECK(t.edge_list() == std::vector<Edge>{{0, 1}, {0, 4}, {1, 2}, {2, 3}});
}

TEST_CASE("topology: bad edges are named") {
  CHECK_THROWS_WITH_AS(Topology(0, {}), doctest::Contains("at least one agent"), RunError);
  CHECK_THROWS_WITH_AS(Topology(3, {{0, 1}, {1, 1}}), doctest::Contains("agent 1 has an edge to itself"),
                       RunError);
  CHECK_THROWS_WITH_AS(Topology(3, {{0, 1}, {1, 2}, {1, 0}}), doctest::Contains("0-1 is there twice"),
                       RunError);
  CHECK_THROWS_WITH_AS(Topology(3, {{0, 3}}), doctest::Contains("names agent 3"), RunError);
  CHECK_THROWS_WITH_AS(Topology(4, {{0, 1}, {2, 3}}), doctest::Contains("agents 2, 3 cannot be reached"),
                       RunError);
  CHECK_THROWS_WITH_AS(Topology(2, {}), doctest::Contains("not connected"), RunError);
  CHECK_NOTHROW(Topology(1, {}));
}

TEST_CASE("generators: every one gives a connected graph, and the same one for the same seed") {
  for (const GeneratorEntry& g : generators())
    for (const std::size_t agents : {7, 10, 30, 64}) {
      CAPTURE(g.name);
      CAPTURE(agents);
      // a geometric graph needs a higher degree to be connected
      const double degree = g.name == "geometric" ? (agents > 30 ? 12 : 5) : 4;
      const Topology t = graph(g.name, agents, degree);  // the constructor refuses what is not connected
      CHECK(t.agents() == agents);
      CHECK(graph(g.name, agents, degree).edge_list() == t.edge_list());
      if (g.redraws && agents >= 30) CHECK(graph(g.name, agents, degree, 1, 2).edge_list() != t.edge_list());
    }
  for (const GeneratorEntry& g : generators()) CHECK(graph(g.name, 1).agents() == 1);
}

TEST_CASE("generators: average degree and min_degree are kept") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CHECK(graph("random", 10, 3, 1, seed).edges() == 15);
    const Topology t = graph("random", 10, 3, 2, seed);
    CHECK(t.edges() == 15);
    for (AgentId a = 0; a < 10; ++a) CHECK(t.degree(a) >= 2);
    const Topology r = graph("regular", 20, 3, 1, seed);
    for (AgentId a = 0; a < 20; ++a) CHECK(r.degree(a) == 3);
    CHECK(graph("small-world", 30, 4, 1, seed).edges() == 60);
    const Topology s = graph("scale-free", 40, 4, 2, seed);
    for (AgentId a = 0; a < 40; ++a) CHECK(s.degree(a) >= 2);
  }
  for (const auto& [agents, degree] : {std::pair{10, 6.0}, {10, 4.0}, {20, 10.0}, {50, 49.0}, {40, 4.0}}) {
    const double got =
        2.0 * static_cast<double>(graph("scale-free", static_cast<std::size_t>(agents), degree).edges()) /
        agents;
    CHECK(std::abs(got - degree) <= 1);
  }
  double total = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    total += static_cast<double>(graph("geometric", 300, 14, 1, seed).edges());
  CHECK(2 * total / 20 / 300 == doctest::Approx(13).epsilon(0.1));  // the border costs a little
}

TEST_CASE("generators: shapes") {
  CHECK(graph("ring", 9).diameter() == 4);
  CHECK(graph("path", 9).diameter() == 8);
  CHECK(graph("star", 9).diameter() == 2);
  CHECK(graph("complete", 9).edges() == 36);
  CHECK(graph("grid", 12).edges() == 17);
  CHECK(graph("grid", 16).edges() == 24);
  CHECK(graph("tree", 15).diameter() == 6);
  CHECK(graph("regular", 1000, 4).edges() == 2000);
}

TEST_CASE("generators: what cannot be is a clear error") {
  CHECK_THROWS_WITH_AS(graph("random", 10, 1.5), doctest::Contains("at least 1.8"), RunError);
  CHECK_THROWS_WITH_AS(graph("random", 4, 4), doctest::Contains("at most 3"), RunError);
  CHECK_THROWS_WITH_AS(graph("regular", 9, 3), doctest::Contains("odd"), RunError);
  CHECK_THROWS_WITH_AS(graph("regular", 9, 2.5), doctest::Contains("whole"), RunError);
  CHECK_THROWS_WITH_AS(graph("small-world", 9, 3), doctest::Contains("even"), RunError);
  CHECK_THROWS_WITH_AS(graph("ring", 2), doctest::Contains("at least 3"), RunError);
  CHECK_THROWS_WITH_AS(graph("path", 5, 2, 2), doctest::Contains("min_degree 2"), RunError);
  CHECK_THROWS_WITH_AS(graph("star", 5, 2, 5), doctest::Contains("more than 5 agents can have"), RunError);
  CHECK_THROWS_WITH_AS(graph("geometric", 200, 1), doctest::Contains("raise average_degree or radius"),
                       RunError);
  CHECK_THROWS_WITH_AS(graph("random", 10, 2, 3), doctest::Contains("min_degree 3"), RunError);
  CHECK(graph("regular", 60, 59).edges() == 60 * 59 / 2);
  CHECK(graph("regular", 60, 57).edges() == 60 * 57 / 2);
  CHECK_THROWS_AS(graph("moebius", 5), RunError);
}

TEST_CASE("routes: shortest, ties to the smaller agent") {
  const Topology ring = graph("ring", 6);
  Routes routes(ring);
  CHECK(routes.hops(0, 3) == 3);
  CHECK(routes.next_hop(0, 3) == 1);
  CHECK(routes.next_hop(0, 4) == 5);
  CHECK(routes.hops(2, 2) == 0);
}
