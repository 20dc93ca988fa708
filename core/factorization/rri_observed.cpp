// SPDX-License-Identifier: MIT
// RRI-NMF on observed entries only: the residual of the stored entries is kept, and corrected by one product of rank one
// after every update.
// Tests: tests/core/factorization/rri_test.cpp
#include "core/factorization/rri.h"
#include "core/factorization/rri_loops.h"

namespace sotto {

namespace {

/// Calls visit(sample, features, values, residuals) for every sample, residuals being those of its stored entries.
template <class Visit>
void each_sample(const Samples& Z, Vector& residual, Visit visit) {
  double* at = residual.data();
  for (Index i = 0; i < Z.cols(); ++i) {
    const auto [features, values] = Z.entries(i);
    visit(i, features, values, at);
    at += values.size();
  }
}

}  // namespace

void RriHalf::observed_begin_sweep() {
  T_rows_.matrix() = T_;
  residual_.resize(Z_.stored());
  each_sample(Z_, residual_, [&](Index i, auto features, auto values, double* r) {
    for (std::size_t e = 0; e < values.size(); ++e) {
      double product = 0;
      row_kernel().dots(T_rows_.rows(features[e], 1), W_.row(i), &product);
      r[e] = values[e] - product;
    }
  });
}

void RriHalf::observed_update_weights(Index t) {
  const auto T_t = T_.col(t);
  auto W = W_.matrix();
  each_sample(Z_, residual_, [&](Index i, auto features, auto, double* r) {
    double pull = 0;
    double norm = 0;
    for (std::size_t e = 0; e < features.size(); ++e) {
      const double topic = T_t[features[e]];
      pull += r[e] * topic;
      norm += topic * topic;
    }
    // W_it <- [sum_j Psi_ij (R_t)_ij T_tj - gamma]_+ / (sum_j Psi_ij T_tj^2 + delta), R_t = residual + W_it T_tj
    const double before = W(i, t);
    const double after = block_minimum(pull + before * norm - options_.gamma, norm + options_.delta);
    W(i, t) = after;
    if (after == before) return;
    for (std::size_t e = 0; e < features.size(); ++e) r[e] -= (after - before) * T_t[features[e]];
  });
}

TopicSums RriHalf::observed_sums(Index t) {
  const auto T_t = T_.col(t);
  const auto W = W_.matrix();
  TopicSums s{Vector::Zero(Z_.rows()), Vector::Zero(Z_.rows())};
  // sum_i Psi_ij (R_t)_ij W_it and sum_i Psi_ij W_it^2
  each_sample(Z_, residual_, [&](Index i, auto features, auto, const double* r) {
    const double w = W(i, t);
    if (w == 0) return;
    for (std::size_t e = 0; e < features.size(); ++e) {
      s.numerator[features[e]] += w * r[e];
      s.denominator[features[e]] += w * w;
    }
  });
  s.numerator.array() += s.denominator.array() * T_t.array();
  return s;
}

void RriHalf::observed_set_topic(Index t, const Vector& T_t) {
  const Vector change = T_t - T_.col(t);
  T_.col(t) = T_t;
  const auto W = W_.matrix();
  each_sample(Z_, residual_, [&](Index i, auto features, auto, double* r) {
    const double w = W(i, t);
    if (w == 0) return;
    for (std::size_t e = 0; e < features.size(); ++e) r[e] -= w * change[features[e]];
  });
}

}  // namespace sotto
