// SPDX-License-Identifier: MIT
#include "core/factorization/orthonormal.h"

#include <cmath>

#include "base/decompositions.h"

namespace sotto {

namespace {

/// Makes column c orthogonal to the columns before it, and 1 long: what was left of it, as a share of what it was.
double reduce(Matrix& V, Index c) {
  const double before = V.col(c).norm();
  if (!(before > 0)) return 0;
  const auto earlier = V.leftCols(c);
  for (int twice = 0; twice < 2; ++twice) {
    const Vector along = earlier.transpose() * V.col(c);
    V.col(c).noalias() -= earlier * along;
  }
  const double after = V.col(c).norm();
  if (after > 0) V.col(c) /= after;
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
  return singular_values(outside)[0];
}

}  // namespace sotto
