// SPDX-License-Identifier: MIT
// Orthonormal bases, by the same additions in the same order on every machine: parties who hold the same matrix end with the same
// basis to the bit.
// Tests: tests/core/factorization/rri_test.cpp
#pragma once

#include "base/matrix.h"

namespace sotto {

/// Gram-Schmidt, every column twice (products of a matrix and a vector alone: those of two matrices add in an order that depends on
/// the sizes of the machine's caches). A column that lies in the span of those before it, up to rounding, is replaced by the
/// first unit vector that does not.
void orthonormalize(Matrix& V);

/// The sine of the largest angle between a direction of span A and span B: |A - B B' A|_2. Columns of both orthonormal; 1 where A has
/// more of them than B.
double subspace_distance(const Matrix& A, const Matrix& B);

}  // namespace sotto
