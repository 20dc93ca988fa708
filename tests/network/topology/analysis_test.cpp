#include "network/topology/analysis.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "network/topology/generators.h"

using namespace sotto;

namespace {

Topology make(std::string_view name, std::size_t agents, double degree = 4, std::uint64_t seed = 1) {
  GeneratorOptions s;
  s.agents = agents;
  s.average_degree = degree;
  RandomStream random({seed, 0, StreamName::everyone, "topology"});
  return generate(name, s, random);
}

/// What is left after some agents leave is connected. Slow, obvious.
bool holds_together(const Topology& t, std::uint32_t gone) {
  std::uint32_t left = ~gone & ((1U << t.agents()) - 1);
  if (left == 0) return true;
  std::uint32_t reached = left & (~left + 1);
  for (std::uint32_t before = 0; before != reached;) {
    before = reached;
    for (const auto& [a, b] : t.edge_list())
      if (((left >> a) & (left >> b) & 1) != 0 && (((reached >> a) | (reached >> b)) & 1) != 0)
        reached |= (1U << a) | (1U << b);
  }
  return reached == left;
}

std::size_t connectivity(const Topology& t) {
  return vertex_connectivity(t, cut_vertices(t)).value();
}

}  // namespace

TEST_CASE("analysis: cut vertices and connectivity as by trying all sets of agents") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Topology t = make("random", 9, 2 + static_cast<double>(seed % 16) / 4, seed);
    CAPTURE(seed);
    std::vector<AgentId> cuts;
    for (AgentId a = 0; a < 9; ++a)
      if (!holds_together(t, 1U << a)) cuts.push_back(a);
    CHECK(cut_vertices(t) == cuts);
    int fewest = 8;
    for (std::uint32_t gone = 1; gone < 1U << 9; ++gone)
      if (!holds_together(t, gone)) fewest = std::min(fewest, std::popcount(gone));
    CHECK(connectivity(t) == static_cast<std::size_t>(fewest));
  }
}

TEST_CASE("analysis: figures that are known") {
  CHECK(connectivity(make("complete", 9)) == 8);
  CHECK(connectivity(Topology(1, {})) == 0);
  CHECK(connectivity(Topology(2, {{0, 1}})) == 1);
  CHECK(connectivity(make("ring", 9)) == 2);
  CHECK(connectivity(make("regular", 300, 5)) == 5);
  // two complete graphs of 6 that share 3 agents
  std::vector<Edge> edges;
  for (AgentId a = 0; a < 9; ++a)
    for (AgentId b = a + 1; b < 9; ++b)
      if (b < 6 || a >= 3) edges.emplace_back(a, b);
  CHECK(connectivity(Topology(9, edges)) == 3);
  CHECK(cut_vertices(make("star", 9)) == std::vector<AgentId>{0});
  CHECK(cut_vertices(make("ring", 9)).empty());
  CHECK(exact_diameter(make("grid", 2500)) == 98);
  CHECK(!exact_diameter(make("path", 10'000)));
}

TEST_CASE("analysis: a path of a million agents is no deeper than any other graph") {
  const Topology path = make("path", 1'000'000);
  const auto cuts = cut_vertices(path);
  CHECK(cuts.size() == 999'998);
  CHECK(vertex_connectivity(path, cuts) == 1U);
  CHECK(!algebraic_connectivity(path));
  const Topology ring = make("ring", 1'000'000);
  CHECK(vertex_connectivity(ring, cut_vertices(ring)) == 2U);
  const Topology large = make("regular", 20'000, 6);
  CHECK(!vertex_connectivity(large, cut_vertices(large)));
}

TEST_CASE("analysis: algebraic connectivity in closed form, dense and sparse") {
  const double pi = std::numbers::pi;
  CHECK(algebraic_connectivity(Topology(1, {})) == 0.0);
  for (const std::size_t n : {2, 9, 400, 401, 3000, 100'000}) {
    CAPTURE(n);
    const double path = 2 - 2 * std::cos(pi / static_cast<double>(n));
    CHECK(algebraic_connectivity(make("path", n)).value() ==
          doctest::Approx(path).epsilon(n < 10'000 ? 1e-8 : 1e-6));
    if (n < 3) continue;
    const double angle = pi / static_cast<double>(n);
    const double ring = 4 * std::sin(angle) * std::sin(angle);
    CHECK(algebraic_connectivity(make("ring", n)).value() == doctest::Approx(ring).epsilon(1e-7));
    CHECK(algebraic_connectivity(make("star", n)).value() == doctest::Approx(1).epsilon(1e-7));
  }
  CHECK(algebraic_connectivity(make("complete", 500)).value() == doctest::Approx(500).epsilon(1e-7));
  const double side = std::sin(pi / 100);
  CHECK(algebraic_connectivity(make("grid", 2500)).value() == doctest::Approx(4 * side * side).epsilon(1e-7));
}

TEST_CASE("analysis: algebraic connectivity of an expander, which does not factorise cheaply") {
  const double value = algebraic_connectivity(make("regular", 20'000, 6)).value();
  CHECK(value == doctest::Approx(6 - 2 * std::sqrt(5.0)).epsilon(0.01));  // Friedman's theorem
}
