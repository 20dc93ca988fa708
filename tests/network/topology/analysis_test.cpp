// SPDX-License-Identifier: MIT
#include "network/topology/analysis.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "base/decompositions.h"
#include "network/topology/generators.h"
#include "tests/support/graphs.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

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

/// max(lambda_2, -lambda_n) of Metropolis weights, from all eigenvalues.
double second_modulus(const Topology& t) {
  const auto size = static_cast<Index>(t.agents());
  Matrix W = Matrix::Zero(size, size);
  for (const auto& [a, b] : t.edge_list())
    W(a, b) = W(b, a) = 1 / (1 + static_cast<double>(std::max(t.degree(a), t.degree(b))));
  for (Index a = 0; a < size; ++a) W(a, a) = 1 - W.row(a).sum();
  const Vector values = symmetric_eigenvalues(W);
  return std::max(values[size - 2], -values[0]);
}

/// Every agent of one side knows every agent of the other.
Topology complete_bipartite(AgentId left, AgentId right) {
  std::vector<Edge> edges;
  for (AgentId a = 0; a < left; ++a)
    for (AgentId b = 0; b < right; ++b) edges.emplace_back(a, left + b);
  return Topology(left + right, edges);
}

std::size_t connectivity(const Topology& t) {
  return vertex_connectivity(t, cut_vertices(t)).value();
}

}  // namespace

TEST_CASE("analysis: cut vertices and connectivity as by trying all sets of agents") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Topology t = graph("random", 9, 2 + static_cast<double>(seed % 16) / 4, 1, seed);
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
  CHECK(connectivity(graph("complete", 9)) == 8);
  CHECK(connectivity(Topology(1, {})) == 0);
  CHECK(connectivity(Topology(2, {{0, 1}})) == 1);
  CHECK(connectivity(graph("ring", 9)) == 2);
  CHECK(connectivity(graph("regular", 300, 5)) == 5);
  // two complete graphs of 6 that share 3 agents
  std::vector<Edge> edges;
  for (AgentId a = 0; a < 9; ++a)
    for (AgentId b = a + 1; b < 9; ++b)
      if (b < 6 || a >= 3) edges.emplace_back(a, b);
  CHECK(connectivity(Topology(9, edges)) == 3);
  CHECK(cut_vertices(graph("star", 9)) == std::vector<AgentId>{0});
  CHECK(cut_vertices(graph("ring", 9)).empty());
  CHECK(exact_diameter(graph("grid", 2500)) == 98);
  CHECK(!exact_diameter(graph("path", 10'000)));
}

TEST_CASE("analysis: a path of a million agents is no deeper than any other graph") {
  const Topology path = graph("path", 1'000'000);
  const auto cuts = cut_vertices(path);
  CHECK(cuts.size() == 999'998);
  CHECK(vertex_connectivity(path, cuts) == 1U);
  CHECK(!algebraic_connectivity(path));
  const Topology ring = graph("ring", 1'000'000);
  CHECK(vertex_connectivity(ring, cut_vertices(ring)) == 2U);
  const Topology large = graph("regular", 20'000, 6);
  CHECK(!vertex_connectivity(large, cut_vertices(large)));
}

TEST_CASE("analysis: algebraic connectivity in closed form, dense and sparse") {
  const double pi = std::numbers::pi;
  CHECK(algebraic_connectivity(Topology(1, {})) == 0.0);
  for (const std::size_t n : {2, 9, 400, 401, 3000, 100'000}) {
    CAPTURE(n);
    const double path = 2 - 2 * std::cos(pi / static_cast<double>(n));
    CHECK(algebraic_connectivity(graph("path", n)).value() ==
          doctest::Approx(path).epsilon(n < 10'000 ? 1e-8 : 1e-6));
    if (n < 3) continue;
    const double angle = pi / static_cast<double>(n);
    const double ring = 4 * std::sin(angle) * std::sin(angle);
    CHECK(algebraic_connectivity(graph("ring", n)).value() == doctest::Approx(ring).epsilon(1e-7));
    CHECK(algebraic_connectivity(graph("star", n)).value() == doctest::Approx(1).epsilon(1e-7));
  }
  CHECK(algebraic_connectivity(graph("complete", 500)).value() == doctest::Approx(500).epsilon(1e-7));
  const double side = std::sin(pi / 100);
  CHECK(algebraic_connectivity(graph("grid", 2500)).value() ==
        doctest::Approx(4 * side * side).epsilon(1e-7));
}

TEST_CASE("analysis: algebraic connectivity of an expander, which does not factorize cheaply") {
  const double value = algebraic_connectivity(graph("regular", repetitions(20'000U, 5'000U), 6)).value();
  CHECK(value == doctest::Approx(6 - 2 * std::sqrt(5.0)).epsilon(0.01));  // Friedman's theorem
}

TEST_CASE("analysis: the bound on the second modulus of Metropolis weights, on all generators") {
  for (const GeneratorEntry& g : generators())
    for (const std::size_t agents : {2U, 3U, 10U, 50U, 500U}) {
      if (agents < 10 && g.name != "path" && g.name != "star" && g.name != "complete") continue;
      const double degree = g.name == "geometric" ? 12 : 4;
      const Topology t = graph(g.name, agents, std::min(degree, static_cast<double>(agents - 1)));
      CAPTURE(g.name);
      CAPTURE(agents);
      const double truth = second_modulus(t);
      const double bound = metropolis_second_eigenvalue_bound(t);
      CHECK(bound >= truth - 1e-14);
      CHECK(bound < 1);
      CHECK(1 - bound >= (1 - truth) * (1 - 1e-6));
    }
  CHECK(metropolis_second_eigenvalue_bound(Topology(1, {})) == 0);
  CHECK(metropolis_second_eigenvalue_bound(Topology(2, {{0, 1}})) < 1e-12);
}

TEST_CASE("analysis: where the negative end of the Metropolis weights decides, it is bounded too") {
  for (const AgentId half :
       {5U, 250U}) {  // dense and sparse: -lambda_n = (m - 1) / (m + 1), lambda_2 = 1 / (m + 1)
    const double bound = metropolis_second_eigenvalue_bound(complete_bipartite(half, half));
    const double truth = (half - 1.0) / (half + 1.0);
    CHECK(bound >= truth);
    CHECK(1 - bound >= (1 - truth) * (1 - 1e-4));
  }
  const Topology uneven = complete_bipartite(3, 400);
  const double truth = second_modulus(uneven);
  CHECK(metropolis_second_eigenvalue_bound(uneven) >= truth - 1e-14);
  CHECK(1 - metropolis_second_eigenvalue_bound(uneven) >= (1 - truth) * (1 - 1e-6));
}

TEST_CASE("analysis: graphs that are too large for eigenvalues have an analytic bound below 1") {
  const auto gap = [](const Topology& t) { return 1 - metropolis_second_eigenvalue_bound(t); };
  const double pi = std::numbers::pi;
  constexpr double agents = 200'000;
  const double path = gap(graph("path", 200'000));
  const double true_path = 2.0 / 3 * (1 - std::cos(pi / agents));  // weights of 1/3
  CHECK(path > 0);
  CHECK(path <= true_path * (1 + 1e-4));
  CHECK(path > true_path / 30);
  const double star = gap(graph("star", 200'000));
  CHECK(star > 0);
  CHECK(star <= 1 / agents);
  CHECK(gap(graph("path", 1'000'000)) > 0);
}
