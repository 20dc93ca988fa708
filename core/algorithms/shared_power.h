// SPDX-License-Identifier: MIT
// Block power iteration of everybody's X' X, of which only sums over all parties are seen (Tsikhanovich et al. 2019, algorithms 3 and 4). What PD-SVD,
// PD-PCA and an initialization of PD-NMF run. V is features x rank, with orthonormal columns; all parties hold the same V to
// the bit.
#pragma once

#include "core/data/samples.h"
#include "core/factorization/orthonormal.h"
#include "core/protocols/normed_secure_sum.h"
#include "core/protocols/secure_sum.h"
#include "network/runtime/agent.h"

namespace sotto {

/// (Z - mean 1') (Z - mean 1')' V, column after column; mean empty: 0.
inline Matrix covariance_product(const Samples& Z, const Vector& mean, const Matrix& V) {
  Matrix product(V.rows(), V.cols());
  for (Index c = 0; c < V.cols(); ++c) {
    Vector scores = Z.transposed_times(V.col(c)).col(0);
    if (mean.size() > 0) scores.array() -= mean.dot(V.col(c));
    product.col(c) = Z.times_transposed(scores.transpose()).col(0);
    if (mean.size() > 0) product.col(c) -= scores.sum() * mean;
  }
  return product;
}

inline std::uint64_t covariance_flops(const Samples& Z, Index rank) {
  return 2 * static_cast<std::uint64_t>(Z.stored()) * static_cast<std::uint64_t>(rank);
}

/// Of orthonormalize(V): every column against those before it, twice two products.
inline std::uint64_t orthonormalize_flops(const Matrix& V) {
  return 2 * static_cast<std::uint64_t>(V.size() * V.cols());
}

/// Of a party's normal draws, so that the columns of all parties' sum are about 1 long.
inline double normal_draw_size(std::size_t parties, Index features) {
  return 1 / std::sqrt(static_cast<double>(parties) * static_cast<double>(features));
}

/// Algorithm 4, lines 2 and 3: every party draws, nobody alone decides.
inline Task<Matrix> shared_normal_basis(Agent& me, SecureSum& sums, std::size_t parties, Index features,
                                        Index rank) {
  RandomStream random = me.random("initialization");
  const double size = normal_draw_size(parties, features);
  Vector own(features * rank);
  for (double& x : own) x = size * random.normal();
  const Vector all = co_await sums.sum(std::move(own));
  Matrix V = all.reshaped(features, rank);
  me.compute(Operation::flop, orthonormalize_flops(V));
  orthonormalize(V);
  co_return V;
}

/// Lines 5 to 7 with a plain sum, in units of `bound`.
inline Task<Matrix> revealing_power_step(Agent& me, SecureSum& sums, const Samples& Z, const Vector& mean,
                                         const Matrix& V, double bound) {
  me.compute(Operation::flop, covariance_flops(Z, V.cols()));
  const Matrix own = covariance_product(Z, mean, V) / bound;
  Vector flat = own.reshaped();
  flat = co_await sums.sum(std::move(flat));
  Matrix next = flat.reshaped(V.rows(), V.cols());
  me.compute(Operation::flop, orthonormalize_flops(next));
  orthonormalize(next);
  co_return next;
}

/// The same with normalized sums, all columns side by side.
inline Task<Matrix> normed_power_step(Agent& me, NormedSecureSum& sums, const Samples& Z, const Vector& mean,
                                      const Matrix& V, double bound) {
  me.compute(Operation::flop, covariance_flops(Z, V.cols()));
  Matrix own = covariance_product(Z, mean, V) / bound;
  Matrix next = co_await sums.normalize(std::move(own));
  me.compute(Operation::flop, orthonormalize_flops(next));
  orthonormalize(next);
  co_return next;
}

/// |V - V' (V'' V)| / sqrt(rank): how much of the space is new.
inline double basis_change(const Matrix& before, const Matrix& now) {
  return (now - before * (before.transpose() * now)).norm() / std::sqrt(static_cast<double>(now.cols()));
}

}  // namespace sotto
