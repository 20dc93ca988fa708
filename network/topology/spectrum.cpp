// The Laplacian's second-smallest eigenvalue.
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "base/matrix.h"
#include "base/random_stream.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

constexpr std::size_t largest_dense = 400;
constexpr std::size_t largest_sparse = 100'000;
constexpr double max_factor_work = 4e9;  // multiply-adds of the sparse factorisation
constexpr Index max_steps = 600;         // of Lanczos
constexpr Index max_basis = 30'000'000;  // entries of all its vectors
constexpr double tolerance = 1e-7;       // residual of the eigenvalue, relative

using Sparse = Eigen::SparseMatrix<double>;

/// Rows and columns from `first` on: without agent 0 the Laplacian of a connected graph is positive definite.
Sparse laplacian(const Topology& topology, AgentId first) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(topology.agents() + topology.links());
  for (AgentId a = first; a < topology.agents(); ++a) {
    entries.emplace_back(a - first, a - first, static_cast<double>(topology.degree(a)));
    for (const AgentId b : topology.neighbors(a))
      if (b >= first) entries.emplace_back(a - first, b - first, -1.0);
  }
  const auto size = static_cast<Index>(topology.agents() - first);
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void center(Vector& x) {
  x.array() -= x.mean();
}

/// An end of the spectrum of a symmetric operator on the vectors that sum to zero. All earlier vectors are kept
/// orthogonal, so the steps are few. None if the residual is still above the tolerance when they are used up.
template <class Operator>
std::optional<double> lanczos(Index size, const Operator& multiply, bool largest) {
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
      Eigen::SelfAdjointEigenSolver<Matrix> small;
      small.computeFromTridiagonal(diagonal.head(k + 1), beside.head(k));
      const Index at = largest ? k : 0;
      const double value = small.eigenvalues()[at];
      if (exhausted || k + 1 == size - 1 ||
          beside[k] * std::abs(small.eigenvectors()(k, at)) <= tolerance * std::abs(value))
        return value;
    }
    x = y / beside[k];
  }
  return {};
}

/// Knows what a factorisation will cost before it is made.
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

}  // namespace

std::optional<double> algebraic_connectivity(const Topology& topology) {
  const std::size_t agents = topology.agents();
  if (agents == 1) return 0.0;
  if (agents > largest_sparse) return {};
  if (agents <= largest_dense) {
    const Matrix dense = laplacian(topology, 0);
    return Eigen::SelfAdjointEigenSolver<Matrix>(dense, Eigen::EigenvaluesOnly).eigenvalues()[1];
  }
  const auto size = static_cast<Index>(agents);
  const Sparse grounded = laplacian(topology, 1);
  Factors factors;
  if (factors.work(grounded) <= max_factor_work) {
    factors.factorize(grounded);
    const auto inverse = [&](const Vector& x) {
      Vector y = Vector::Zero(size);
      y.tail(size - 1) = factors.solve(x.tail(size - 1));
      center(y);
      return y;
    };
    const auto value = lanczos(size, inverse, true);
    return value ? std::optional(1 / *value) : std::nullopt;
  }
  const Sparse whole = laplacian(topology, 0);
  return lanczos(
      size, [&](const Vector& x) -> Vector { return whole * x; }, false);
}

}  // namespace sotto
