// SPDX-License-Identifier: MIT
// Decompositions of small dense matrices, compiled once: Eigen's own headers take seconds in every file that uses them.
// Tests: tests/base/decompositions_test.cpp
#pragma once

#include "base/matrix.h"

namespace sotto {

struct SymmetricEigen {
  Vector values;   ///< rising
  Matrix vectors;  ///< in columns, orthonormal
};

/// Of a symmetric matrix; only its lower triangle is read.
SymmetricEigen symmetric_eigen(const Matrix& matrix);
Vector symmetric_eigenvalues(const Matrix& matrix);

/// Of the symmetric matrix with this diagonal and these entries beside it.
SymmetricEigen tridiagonal_eigen(const Vector& diagonal, const Vector& beside);

struct ThinSvd {
  Matrix U;
  Vector sigma;  ///< falling
  Matrix V;
};

ThinSvd thin_svd(const Matrix& matrix);
Vector singular_values(const Matrix& matrix);

/// The shortest x that makes |A x - b| smallest.
Vector least_squares(const Matrix& A, const Vector& b);

}  // namespace sotto
