// SPDX-License-Identifier: MIT
// One set of topics for several models X_m ~ W_m T_m, from the T_m and the k_m x k_m matrices G_m = W_m' W_m alone. With V_m = W_m A_m
// as the weights of the common topics Z, the change of party m's data model is W_m (T_m - A_m Z), and its size follows from G_m:
//     |W_m T_m - V_m Z|^2 = tr((T_m - A_m Z)' G_m (T_m - A_m Z))          (equal, not bounded)
// so that, with Delta_m = T_m - A_m Z,
//     F(A, Z) = sum_m 1/2 tr(Delta_m' G_m Delta_m) + gamma v_m' A_m 1 + delta/2 tr(A_m' G_m A_m)  +  alpha |Z|_1 + beta/2 |Z|^2
// is minimized over A, Z >= 0 by the steps of RRI-NMF (rri.h); v_m are the square roots of G_m's diagonal. A diagonal G gives RRI-NMF of
// the topics v_t T_t: the weighted representatives of Tsikhanovich's thesis, algorithm 6.
// The steps of Z are sums over the models, as in rri.h: a party may hold its own model alone and sum with others in between.
// Threading: belongs to one thread.
// Tests: tests/core/factorization/topic_merge_test.cpp
#pragma once

#include <vector>

#include "core/factorization/rri.h"

namespace sotto {

/// What stands for a party's data.
struct TopicModel {
  Matrix T;  ///< features x topics
  Matrix G;  ///< topics x topics, positive semidefinite
};

class TopicMerge {
 public:
  /// Z0: features x rank. A is fitted to it by `initial_weight_sweeps`. All entries of topics count.
  TopicMerge(std::vector<TopicModel> models, const RriOptions& options, const Matrix& Z0);

  /// A sweep is begin_sweep, then for every topic update_weights, sums, set_topic.
  void begin_sweep() {}
  void update_weights(Index t);
  TopicSums sums(Index t);
  /// `of_everybody`: the sums over all models, after sums(t) of these.
  void set_topic(Index t, const TopicSums& of_everybody);

  /// The common topics, Z.
  const Matrix& T() const { return Z_; }
  Index rank() const { return Z_.cols(); }
  /// 1/2 sum_m tr(Delta_m' G_m Delta_m).
  double quadratic_term() const;
  /// Multiply-adds of a sweep, for simulated time, and of fitting A at the start.
  std::uint64_t sweep_flops() const;
  std::uint64_t first_flops() const;

  /// Between sweeps: Z comes first.
  void save(Writer& w) const;
  static TopicMerge loaded(const RriOptions& options, Reader& r);

 private:
  struct Part {
    TopicModel model;
    Vector v;   ///< square roots of G's diagonal
    Matrix A;   ///< topics x rank
    Matrix TZ;  ///< T' Z: topics x rank
  };
  TopicMerge(const RriOptions& options, Matrix Z) : options_(options), Z_(std::move(Z)) {}
  void add(TopicModel model, Matrix A);
  void update_weights(Part& part, Index t) const;

  RriOptions options_;
  Matrix Z_;   ///< features x rank
  Matrix ZZ_;  ///< Z' Z
  std::vector<Part> parts_;
};

/// One sweep over all models.
void merge_sweep(TopicMerge& merge);

}  // namespace sotto
