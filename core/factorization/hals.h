// SPDX-License-Identifier: MIT
// Nonnegative least squares by coordinate descent (HALS), with the Gram matrix at hand.
// Rows of U are independent problems, so they are swept in blocks that stay in the first-level cache.
// Tests: tests/core/factorization/bcd_test.cpp
#pragma once

#include "core/data/samples.h"

namespace sotto {

/// U <- argmin_{U >= 0} 1/2 <U H, U> - <B, U>, `sweeps` times over the columns:
///   u_k <- max(0, u_k + (b_k - U h_k) / h_kk)
/// H symmetric positive semidefinite (K x K); U and B have K columns.
void hals_columns(const Matrix& H, const Matrix& B, Matrix& U, int sweeps);

/// Y <- argmin_{Y >= 0} 1/2 |Z - X Y|^2: the same, on the transposed problem with H = X'X and B = Z'X.
void hals_right(const Samples& Z, const Matrix& X, Matrix& Y, int sweeps);

/// Where HALS starts without anything to go on: max((X'X + eps I)^-1 X'Z, a little).
Matrix right_factor_start(const Samples& Z, const Matrix& X);

}  // namespace sotto
