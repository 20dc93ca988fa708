// SPDX-License-Identifier: MIT
// Decompositions put together again give the matrix; what is smallest is smaller than anything beside it.
#include "base/decompositions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/support/matrices.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

double distance_from_identity(const Matrix& m) {
  return (m - Matrix::Identity(m.rows(), m.cols())).norm();
}

}  // namespace

TEST_CASE("decompositions: eigenvalues rise, eigenvectors are orthonormal, together they are the matrix") {
  RandomStream random({1, 0, 0, "decompositions"});
  for (const Index size : {1, 2, 7, 40}) {
    const Matrix half = random_matrix(size, size, random);
    const Matrix symmetric = half + half.transpose();
    const SymmetricEigen all = symmetric_eigen(symmetric);
    CHECK(std::is_sorted(all.values.begin(), all.values.end()));
    CHECK(distance_from_identity(all.vectors.transpose() * all.vectors) < 1e-12);
    CHECK((all.vectors * all.values.asDiagonal() * all.vectors.transpose() - symmetric).norm() < 1e-11);
    CHECK((symmetric_eigenvalues(symmetric) - all.values).norm() < 1e-12 * symmetric.norm());
  }
}

TEST_CASE("decompositions: a tridiagonal matrix, against the same one written out") {
  RandomStream random({2, 0, 0, "decompositions"});
  const Vector diagonal = random_matrix(9, 1, random);
  const Vector beside = random_matrix(8, 1, random);
  Matrix whole = diagonal.asDiagonal();
  whole.diagonal(1) = beside;
  whole.diagonal(-1) = beside;
  const SymmetricEigen all = tridiagonal_eigen(diagonal, beside);
  CHECK((all.values - symmetric_eigenvalues(whole)).norm() < 1e-13);
  CHECK((whole * all.vectors - all.vectors * all.values.asDiagonal()).norm() < 1e-13);
}

TEST_CASE("decompositions: singular values fall, and the thin decomposition is the matrix, wide or tall") {
  RandomStream random({3, 0, 0, "decompositions"});
  for (const auto& [rows, cols] : {std::pair<Index, Index>{30, 6}, {6, 30}, {20, 20}, {1, 5}}) {
    const Matrix m = random_matrix(rows, cols, random);
    const ThinSvd svd = thin_svd(m);
    CHECK(std::is_sorted(svd.sigma.begin(), svd.sigma.end(), std::greater<>()));
    CHECK((svd.U * svd.sigma.asDiagonal() * svd.V.transpose() - m).norm() < 1e-13 * m.norm());
    CHECK((singular_values(m) - svd.sigma).norm() < 1e-13 * m.norm());
  }
}

TEST_CASE("decompositions: least squares leave a residual that no column explains, and are the shortest") {
  RandomStream random({4, 0, 0, "decompositions"});
  const Matrix A = random_matrix(20, 4, random);
  const Vector b = random_matrix(20, 1, random);
  const Vector x = least_squares(A, b);
  CHECK((A.transpose() * (A * x - b)).norm() < 1e-12);
  Matrix twice(20, 8);  // every column is there twice: its weight is shared
  twice << A, A;
  const Vector shared = least_squares(twice, b);
  CHECK((shared.head(4) - x / 2).norm() < 1e-12);
  CHECK((shared.tail(4) - x / 2).norm() < 1e-12);
}
