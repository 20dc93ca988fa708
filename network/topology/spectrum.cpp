// SPDX-License-Identifier: MIT
// The Laplacian's second-smallest eigenvalue, and the second-largest modulus of Metropolis weights.
// Tests: tests/network/topology/analysis_test.cpp
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "base/decompositions.h"
#include "base/random_stream.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

constexpr std::size_t largest_dense = 400;
constexpr std::size_t largest_sparse = 100'000;
constexpr double max_factor_work = 4e9;  // multiply-adds of the sparse factorization
constexpr Index max_steps = 600;         // of Lanczos
constexpr Index max_basis = 30'000'000;  // entries of all its vectors
constexpr double tolerance = 1e-7;       // residual of the eigenvalue, relative

using Sparse = Eigen::SparseMatrix<double>;

/// The weight of an edge in a Laplacian.
using EdgeWeight = double (*)(const Topology& topology, AgentId a, AgentId b);

double unit_weight(const Topology& /*topology*/, AgentId /*a*/, AgentId /*b*/) {
  return 1;
}

double metropolis_weight(const Topology& topology, AgentId a, AgentId b) {
  return 1 / (1 + static_cast<double>(std::max(topology.degree(a), topology.degree(b))));
}

/// Rows and columns from `first` on: without agent 0 the Laplacian of a connected graph is positive definite.
Sparse laplacian(const Topology& topology, AgentId first, EdgeWeight weight) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(topology.agents() + topology.links());
  for (AgentId a = first; a < topology.agents(); ++a) {
    double sum = 0;
    for (const AgentId b : topology.neighbors(a)) {
      const double w = weight(topology, a, b);
      sum += w;
      if (b >= first) entries.emplace_back(a - first, b - first, -w);
    }
    entries.emplace_back(a - first, a - first, sum);
  }
  const auto size = static_cast<Index>(topology.agents() - first);
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void center(Vector& x) {
  x.array() -= x.mean();
}

/// An eigenvalue, up to its residual.
struct Found {
  double value = 0;
  double residual = 0;
};

/// An end of the spectrum of a symmetric operator on the vectors that sum to zero. All earlier vectors are kept
/// orthogonal, so the steps are few. None if the residual is still above the tolerance when they are used up.
template <class Operator>
std::optional<Found> lanczos(Index size, const Operator& multiply, bool largest) {
  const Index steps = std::min({max_steps, size - 1, max_basis / size});
  Matrix basis(size, steps);
  Vector diagonal(steps);
  Vector beside(steps);
  RandomStream random(
      {0, 0, StreamName::everyone, "lanczos"});  // any start will do, as long as it is the same
  Vector x(size);
  for (double& entry : x) entry = random.uniform() - 0.5;
  center(x);
  x.normalize();
  for (Index k = 0; k < steps; ++k) {
    basis.col(k) = x;
    Vector y = multiply(x);
    diagonal[k] = x.dot(y);
    for (int twice = 0; twice < 2; ++twice) {
      y -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * y);
      center(
          y);  // what rounding leaves of the constant vector would grow: its eigenvalue, 0, is the end of all
    }
    beside[k] = y.norm();
    const bool exhausted = beside[k] < 1e-14 * std::abs(diagonal[0]);  // the vectors span all there is
    if (k % 10 == 9 || k + 1 == steps || exhausted) {
      const SymmetricEigen small = tridiagonal_eigen(diagonal.head(k + 1), beside.head(k));
      const Index at = largest ? k : 0;
      const double value = small.values[at];
      const double residual = beside[k] * std::abs(small.vectors(k, at));
      if (exhausted || k + 1 == size - 1 || residual <= tolerance * std::abs(value))
        return Found{value, residual};
    }
    x = y / beside[k];
  }
  return {};
}

/// Knows what a factorization will cost before it is made.
class Factors : public Eigen::SimplicialLDLT<Sparse> {
 public:
  double work(const Sparse& matrix) {
    analyzePattern(matrix);
    double sum = 0;
    for (Index c = 0; c < matrix.cols(); ++c) {
      const double entries = m_matrix.outerIndexPtr()[c + 1] - m_matrix.outerIndexPtr()[c];
      sum += entries * entries;
    }
    return sum;
  }
};

/// The second-smallest eigenvalue of a Laplacian of more than `largest_dense` agents. `residual`: below it, at most.
std::optional<Found> sparse_connectivity(const Topology& topology, EdgeWeight weight) {
  if (topology.agents() > largest_sparse) return {};
  const auto size = static_cast<Index>(topology.agents());
  const Sparse grounded = laplacian(topology, 1, weight);
  Factors factors;
  if (factors.work(grounded) <= max_factor_work) {
    factors.factorize(grounded);
    const auto inverse = [&](const Vector& x) {
      Vector y = Vector::Zero(size);
      y.tail(size - 1) = factors.solve(x.tail(size - 1));
      center(y);
      return y;
    };
    const auto found = lanczos(size, inverse, true);
    if (!found) return {};
    return Found{1 / found->value, 1 / found->value - 1 / (found->value + found->residual)};
  }
  const Sparse whole = laplacian(topology, 0, weight);
  return lanczos(
      size, [&](const Vector& x) -> Vector { return whole * x; }, false);
}

/// 1 - lambda_2 of Metropolis weights is at least this, as the header says.
double analytic_gap(const Topology& topology) {
  const auto agents = static_cast<double>(topology.agents());
  std::size_t largest_degree = 0;
  for (AgentId a = 0; a < topology.agents(); ++a)
    largest_degree = std::max(largest_degree, topology.degree(a));
  const auto distances = topology.distances(0);
  const double diameter = 2.0 * *std::max_element(distances.begin(), distances.end());
  const double mohar = 4 / ((1 + static_cast<double>(largest_degree)) * agents * diameter);
  return std::max(mohar, 1 / (7 * agents * agents));
}

/// -lambda_n of Metropolis weights is at most this.
double lower_end(const Topology& topology, double enough) {
  const Sparse whole = laplacian(topology, 0, metropolis_weight);
  const double disc = 2 * whole.diagonal().maxCoeff() - 1;  // w_ii = 1 - its entry there
  if (disc <= enough || topology.agents() > largest_sparse) return disc;
  const auto found = lanczos(
      whole.cols(), [&](const Vector& x) -> Vector { return whole * x; }, true);
  return found ? std::min(disc, found->value + found->residual - 1) : disc;
}

}  // namespace

std::optional<double> algebraic_connectivity(const Topology& topology) {
  if (topology.agents() == 1) return 0.0;
  if (topology.agents() <= largest_dense) {
    const Matrix dense = laplacian(topology, 0, unit_weight);
    return symmetric_eigenvalues(dense)[1];
  }
  const auto found = sparse_connectivity(topology, unit_weight);
  return found ? std::optional(found->value) : std::nullopt;
}

double metropolis_second_eigenvalue_bound(const Topology& topology) {
  constexpr double rounding = 1e-13;
  const double below_one = std::nextafter(1.0, 0.0);
  if (topology.agents() == 1) return 0;
  double upper = 0;
  double lower = 0;
  if (topology.agents() <= largest_dense) {
    const Matrix dense = laplacian(topology, 0, metropolis_weight);
    const Vector values = symmetric_eigenvalues(dense);
    upper = 1 - values[1] + rounding;
    lower = values[values.size() - 1] - 1;
  } else {
    const auto found = sparse_connectivity(topology, metropolis_weight);
    upper = found ? 1 - (found->value - found->residual) * (1 - tolerance) : 1 - analytic_gap(topology);
    lower = lower_end(topology, upper);
  }
  return std::clamp(std::max(upper, lower + rounding), 0.0, below_one);
}

}  // namespace sotto
