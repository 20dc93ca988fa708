// SPDX-License-Identifier: MIT
#include "core/factorization/hals.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace sotto {

void hals_columns(const Matrix& H, const Matrix& B, Matrix& U, int sweeps) {
  constexpr Index rows_per_block = 64;
  constexpr double tiny = 1e-14;
  const Index K = H.rows();
  Vector step(K);
  for (Index k = 0; k < K; ++k) step[k] = 1.0 / std::max(H(k, k), tiny);
  Matrix u, b;
  Vector gradient;
  for (Index first = 0; first < U.rows(); first += rows_per_block) {
    const Index rows = std::min(rows_per_block, U.rows() - first);
    u = U.middleRows(first, rows);
    b = B.middleRows(first, rows);
    gradient.resize(rows);
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (Index k = 0; k < K; ++k) {
        gradient = b.col(k);
        for (Index l = 0; l < K; ++l) gradient -= H(l, k) * u.col(l);
        u.col(k) = (u.col(k) + step[k] * gradient).cwiseMax(0.0);
      }
    U.middleRows(first, rows) = u;
  }
}

void hals_right(const Samples& Z, const Matrix& X, Matrix& Y, int sweeps) {
  Matrix Yt = Y.transpose();
  hals_columns(X.transpose() * X, Z.transposed_times(X), Yt, sweeps);
  Y = Yt.transpose();
}

Matrix right_factor_start(const Samples& Z, const Matrix& X) {
  const Index K = X.cols();
  const Matrix gram = X.transpose() * X + 1e-6 * Matrix::Identity(K, K);
  const double floor = 1e-3 * Z.mean_abs();
  return gram.llt().solve(Z.transposed_times(X).transpose()).cwiseMax(floor);
}

}  // namespace sotto
