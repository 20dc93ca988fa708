// SPDX-License-Identifier: MIT
// The singular vectors of a data matrix, and the start for nonnegative factorizations that is made of them:
// C. Boutsidis and E. Gallopoulos, "SVD based initialization: A head start for nonnegative matrix factorization",
// Pattern Recognition 41 (2008). X = Z' is samples x features, dense or sparse; it is only multiplied with vectors.
// Deterministic: Lanczos starts from a fixed vector, and signs are fixed.
// Tests: tests/core/algorithms/deepca_test.cpp
#pragma once

#include <cstdint>

#include "core/data/samples.h"

namespace sotto {

/// X ~ U diag(sigma) V', singular values falling. The entry of largest size in a column of V is positive.
struct TruncatedSvd {
  Matrix U;  ///< samples x rank
  Vector sigma;
  Matrix V;                 ///< features x rank
  std::uint64_t flops = 0;  ///< multiply-adds that it took, for simulated time
};

/// By the eigenvalues of the smaller of X X' and X' X. Singular values below 1e-7 of the largest are not resolved: they are
/// given as 0, with columns of zeros on the longer side. RunError for a rank above min(samples, features).
TruncatedSvd truncated_svd(const Samples& Z, Index rank);

/// X ~ W T' with T features x rank and W samples x rank, both nonnegative.
struct NonnegativeStart {
  Matrix T;
  Matrix W;
  std::uint64_t flops = 0;  ///< of the decomposition
};

/// The larger half, u_+ v_+' or u_- v_-', of every singular product. Entries below 1e-6 become 0; then zeros become `fill`
/// (the paper's NNDSVDa: the mean of X), because a topic of zeros stays one.
NonnegativeStart nndsvd(const TruncatedSvd& svd, double fill = 0);
NonnegativeStart nndsvd(const Samples& Z, Index rank, double fill = 0);

}  // namespace sotto
