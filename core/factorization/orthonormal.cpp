#include "core/factorization/orthonormal.h"

#include <Eigen/SVD>
#include <cmath>

namespace sotto {

namespace {

double dot(const double* a, const double* b, Index size) {
  double sum = 0;
  for (Index k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

/// What is left of column c outside the columns before it, as a share of what it was.
double reduce(Matrix& V, Index c) {
  const Index size = V.rows();
  double* const v = V.col(c).data();
  const double before = std::sqrt(dot(v, v, size));
  if (!(before > 0)) return 0;
  for (int twice = 0; twice < 2; ++twice)
    for (Index k = 0; k < c; ++k) {
      const double* const u = V.col(k).data();
      const double along = dot(u, v, size);
      for (Index r = 0; r < size; ++r) v[r] -= along * u[r];
    }
  const double after = std::sqrt(dot(v, v, size));
  if (after > 0)
    for (Index r = 0; r < size; ++r) v[r] /= after;
  return after / before;
}

}  // namespace

void orthonormalize(Matrix& V) {
  constexpr double rounding = 1e-13;
  for (Index c = 0; c < V.cols(); ++c) {
    if (reduce(V, c) > rounding) continue;
    for (Index unit = 0; unit < V.rows(); ++unit) {
      V.col(c).setZero();
      V(unit, c) = 1;
      if (reduce(V, c) > 1e-3) break;
    }
  }
}

double subspace_distance(const Matrix& A, const Matrix& B) {
  if (A.cols() > B.cols()) return 1;
  const Matrix outside = A - B * (B.transpose() * A);
  return Eigen::BDCSVD<Matrix>(outside).singularValues()[0];
}

}  // namespace sotto
