// SPDX-License-Identifier: MIT
// Drawings of graphs: a start by pivot distances (Brandes and Pich 2006), then the forces of Fruchterman and Reingold
// (1991), cooled down from a low temperature because the start is good already.
// Tests: tests/network/topology/graph_file_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/decompositions.h"
#include "base/error.h"
#include "base/matrix.h"
#include "network/topology/analysis.h"
#include "network/topology/graph_assembly.h"

namespace sotto {

namespace {

constexpr double side = 1000;  // of the drawing
constexpr double margin = 60;  // around its nodes
constexpr std::size_t most_pivots = 40;
constexpr std::size_t most_labeled = 100;
constexpr double max_pairs = 3e8;  // of agents, over all steps of the layout

using Points = Eigen::MatrixX2d;

/// Agents far from each other, with their distances to all.
Matrix pivot_distances(const Topology& topology) {
  const auto agents = static_cast<Index>(topology.agents());
  const auto pivots = static_cast<Index>(std::min(topology.agents(), most_pivots));
  Matrix table(agents, pivots);
  Vector nearest = Vector::Constant(agents, 1e9);
  Index pivot = 0;
  for (Index k = 0; k < pivots; ++k) {
    const auto distance = topology.distances(static_cast<AgentId>(pivot));
    for (Index a = 0; a < agents; ++a) table(a, k) = distance[static_cast<std::size_t>(a)];
    nearest = nearest.cwiseMin(table.col(k));
    nearest.maxCoeff(&pivot);
  }
  return table;
}

/// The two directions in which the squared distances vary most. Equal agents (a star's leaves) are moved apart along a
/// spiral.
Points start(const Topology& topology) {
  const auto agents = static_cast<Index>(topology.agents());
  Matrix squares = pivot_distances(topology).array().square();
  const Vector row_mean = squares.rowwise().mean();
  const Eigen::RowVectorXd column_mean = squares.colwise().mean();
  const double mean = squares.mean();
  squares.colwise() -= row_mean;
  squares.rowwise() -= column_mean;
  squares.array() += mean;
  const SymmetricEigen directions = symmetric_eigen(squares.transpose() * squares);
  Points at = Points::Zero(agents, 2);
  const Index known = std::min<Index>(2, squares.cols());
  at.leftCols(known) = squares * directions.vectors.rightCols(known).rowwise().reverse();
  const double scale = std::max(1e-9, at.cwiseAbs().maxCoeff());
  at /= scale;
  for (Index a = 0; a < agents; ++a) {
    const double angle = 2.399963 * static_cast<double>(a);  // the golden angle: never twice the same
    const double radius = 0.15 * std::sqrt((static_cast<double>(a) + 0.5) / static_cast<double>(agents));
    at.row(a) += radius * Eigen::RowVector2d(std::cos(angle), std::sin(angle));
  }
  return at;
}

void repel(const Points& at, double length, Points& force) {
  for (Index a = 0; a < at.rows(); ++a)
    for (Index b = a + 1; b < at.rows(); ++b) {
      const double x = at(a, 0) - at(b, 0);
      const double y = at(a, 1) - at(b, 1);
      const double f = length * length / std::max(x * x + y * y, 1e-12);
      force(a, 0) += f * x;
      force(a, 1) += f * y;
      force(b, 0) -= f * x;
      force(b, 1) -= f * y;
    }
}

Points layout(const Topology& topology, const std::vector<Edge>& edges) {
  Points at = start(topology);
  const auto agents = static_cast<double>(topology.agents());
  const double length = 2 / std::sqrt(agents);  // an edge's natural length, in a square of side 2
  const auto steps = static_cast<int>(std::clamp(2 * max_pairs / (agents * agents), 20.0, 300.0));
  Points force(at.rows(), 2);
  for (int step = 0; step < steps; ++step) {
    force.setZero();
    repel(at, length, force);
    for (const auto& [a, b] : edges) {
      const Eigen::RowVector2d apart = at.row(a) - at.row(b);
      const Eigen::RowVector2d pull = apart * (apart.norm() / length);
      force.row(a) -= pull;
      force.row(b) += pull;
    }
    force -= 0.3 * length * at;  // a little gravity keeps the leaves in the picture
    const double hottest = 0.2 * (1 - static_cast<double>(step) / steps);
    for (Index a = 0; a < at.rows(); ++a) {
      const double strength = std::max(force.row(a).norm(), 1e-12);
      at.row(a) += force.row(a) * (std::min(strength, hottest) / strength);
    }
  }
  return at;
}

/// Into the drawing, with the same scale both ways.
void fit(Points& at) {
  const Eigen::RowVector2d low = at.colwise().minCoeff();
  const Eigen::RowVector2d high = at.colwise().maxCoeff();
  const double extent = std::max((high - low).maxCoeff(), 1e-9);
  const Eigen::RowVector2d middle = (low + high) / 2;
  at = ((at.rowwise() - middle) * ((side - 2 * margin) / extent)).array() + side / 2;
}

double node_radius(std::size_t agents) {
  return std::clamp(170 / std::sqrt(static_cast<double>(agents)), 2.5, 16.0);
}

std::string nodes_text(const GraphFile& graph, const Points& at, const std::vector<AgentId>& cuts) {
  const std::size_t agents = graph.topology.agents();
  const double radius = node_radius(agents);
  std::string text;
  for (AgentId a = 0; a < agents; ++a) {
    const bool cut = std::binary_search(cuts.begin(), cuts.end(), a);
    const std::string name = graph.names.empty() ? fmt::format("agent {}", a) : graph.names[a];
    text += fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{}{}</title></circle>\n",
                        cut ? " class=\"cut\"" : "", at(a, 0), at(a, 1), radius, xml_escaped(name),
                        cut ? ", a cut vertex" : "");
    if (agents <= most_labeled)
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at(a, 0), at(a, 1), a);
  }
  return text;
}

}  // namespace

std::string write_svg(const GraphFile& graph) {
  const Topology& topology = graph.topology;
  if (topology.agents() > max_drawn_agents)
    throw ScenarioError({"SVG", 0, 0}, "",
                        fmt::format("a drawing of more than {} agents shows nothing: write GraphML instead",
                                    max_drawn_agents));
  const std::vector<Edge> edges = topology.edge_list();
  const std::vector<AgentId> cuts = cut_vertices(topology);
  Points at = layout(topology, edges);
  fit(at);
  const double radius = node_radius(topology.agents());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" role=\"img\">\n"
      "<title>A graph of {1} agents and {2} edges</title>\n"
      "<desc>Cut vertices, without which the others are not connected, are orange: {3} of {1}.</desc>\n"
      "<style>\n"
      "line {{ stroke: #8a94a0; stroke-width: {4:.1f}; stroke-linecap: round }}\n"
      "circle {{ fill: #2f6fab; stroke: #ffffff; stroke-width: {4:.1f} }}\n"
      "circle.cut {{ fill: #d9730d }}\n"
      "text {{ fill: #ffffff; font: {5:.1f}px sans-serif; text-anchor: middle; dominant-baseline: central; "
      "pointer-events: none }}\n"
      "</style>\n"
      "<rect width=\"{0}\" height=\"{0}\" fill=\"#ffffff\"/>\n",
      side, topology.agents(), topology.edges(), cuts.size(), std::clamp(radius / 8, 0.4, 1.5),
      radius * 0.95);
  for (const auto& [a, b] : edges)
    text += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", at(a, 0),
                        at(a, 1), at(b, 0), at(b, 1));
  return text + nodes_text(graph, at, cuts) + "</svg>\n";
}

}  // namespace sotto
