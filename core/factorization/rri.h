// SPDX-License-Identifier: MIT
// RRI-NMF, the rank-one residue iteration (Tsikhanovich et al. 2019, section 2, eqs. (2)-(5); Tsikhanovich's thesis, algorithm 2), as one party's half:
// the updates of W are its own, those of T need two sums over all parties, which may be taken between the steps. With one
// party it is the centralized algorithm. The letters are the paper's: X (samples x features) is Z', and
//     E(W, T) = 1/2 |X - W T|^2 + alpha |T|_1 + beta/2 |T|^2 + gamma |W|_1 + delta/2 |W|^2,   W, T >= 0.
// One sweep, in the order of their algorithm 1, R_t = X - sum_{l != t} W_l T_l:
//     for t = 1..k:  W_t <- [R_t T_t' - gamma]_+ / (|T_t|^2 + delta)
//                    T_t <- [W_t' R_t - alpha]_+ / (|W_t|^2 + beta)
// Each step is the exact minimizer of E over its block.
//   simplex        T_t is kept on {x >= 0, sum x = 1}. E is a multiple of |T_t - y|^2 + const there, with
//                  y = (W_t' R_t - alpha) / (|W_t|^2 + beta), so that the projection of y is exact. The paper projects
//                  [y]_+, which is the same unless the positive part of y sums to less than 1, and then is no minimizer.
//   curvature <= 0 (negative beta or delta, which push towards corners) the minimum is at a corner: on the simplex at the
//                  unit vector of the largest entry of W_t' R_t (Tsikhanovich's thesis, lemma 1); elsewhere within 0 <= x <= 1, x = 1 where
//                  that is below 0's value (Tsikhanovich's thesis, corollary 1). The corollary is for w x + c x^2 and E has 1/2 c x^2: the
//                  test is w + c/2 < 0 with w = gamma - R_t T_t' and c = |T_t|^2 + delta, not w + c <= 0. A factor that
//                  an earlier sweep left above 1 is brought into that box, and E may rise by it.
//   observed_only  weights Psi = 1 on the stored entries of a sparse X and 0 elsewhere (ratings): every sum is over stored
//                  entries, and every entry of T_t has a denominator of its own. Not with `simplex`: the Hessian is no
//                  multiple of I.
// A topic that nobody uses (|W_t| = 0, beta = 0) costs alpha |T_t|_1 and nothing else: with alpha > 0 it becomes 0, with
// alpha = 0 or on the simplex every T_t costs the same and it stays as it is. observed_only: the same for every entry of T_t of its
// own. A zero T_t (delta = 0) gives W_t = 0.
// X - W T is never formed: R_t T_t' = X T_t' - sum_{l != t} W_l (T_l T_t'), with X T' at once at the start of a sweep, and
// W_t' R_t = W_t' X - sum_{l != t} (W_t' W_l) T_l (X' W_t: weight_products.h). Memory beyond the data: 2 n k + 4 d k numbers
// at most; dense data with n >= 2 d: d^2 + 2 d k more; observed_only: n k + 2 d k and one per stored entry.
// Threading: belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/schema.h"
#include "core/data/samples.h"
#include "core/factorization/weight_products.h"

namespace sotto {

enum class TopicSet : std::uint8_t { free, simplex };
template <>
struct Words<TopicSet> {
  static constexpr std::string_view setting = "algorithm.topics";
  static constexpr Word<TopicSet> all[] = {{TopicSet::free, "free"}, {TopicSet::simplex, "simplex"}};
};

/// Which entries of sparse data count: what is not stored is zero, or is not known.
enum class CountedEntries : std::uint8_t { all, stored };
template <>
struct Words<CountedEntries> {
  static constexpr std::string_view setting = "algorithm.weights";
  static constexpr Word<CountedEntries> all[] = {{CountedEntries::all, "all"},
                                                 {CountedEntries::stored, "observed"}};
};

/// Part of [algorithm].
struct RriOptions {
  double alpha = 0;  ///< |T|_1
  double beta = 0;   ///< 1/2 |T|^2
  double gamma = 0;  ///< |W|_1
  double delta = 0;  ///< 1/2 |W|^2
  TopicSet topics = TopicSet::free;
  CountedEntries weights = CountedEntries::all;

  bool simplex() const { return topics == TopicSet::simplex; }
  bool observed_only() const { return weights == CountedEntries::stored; }
};
Schema rri_settings();

/// What a party adds to the sums that T_t comes from.
struct TopicSums {
  Vector numerator;    ///< W_t' R_t: one per feature
  Vector denominator;  ///< |W_t|^2; observed_only: sum_i Psi_ij W_it^2, one per feature

  TopicSums& operator+=(const TopicSums& other);
};

/// T_t from the sums over all parties; `before`: what a topic that nobody uses keeps.
Vector next_topic(const RriOptions& options, const TopicSums& of_everybody, const Vector& before);

class RriHalf {
 public:
  /// Topics are columns: T0 is features x rank, W0 samples x rank. RunError where the settings exclude each other.
  RriHalf(const Samples& Z, const RriOptions& options, const Matrix& T0, const Matrix& W0);
  /// W from T0, by `initial_weight_sweeps` of its updates.
  RriHalf(const Samples& Z, const RriOptions& options, const Matrix& T0);

  /// A sweep is begin_sweep, then for every topic update_weights, sums, set_topic.
  void begin_sweep();
  void update_weights(Index t);
  TopicSums sums(Index t);
  /// `of_everybody`: the sums over all parties, after sums(t) of this one.
  void set_topic(Index t, const TopicSums& of_everybody);

  const Matrix& T() const { return T_; }
  Matrix W() const { return W_.matrix(); }
  Index rank() const { return rank_; }

  /// Between sweeps: T, W and what else is handed from sweep to sweep. A half with the same data and settings that is loaded
  /// from it goes on with the same bits.
  void save(Writer& w) const;
  static RriHalf loaded(const Samples& Z, const RriOptions& options, Reader& r);

  /// E = topics_objective() + the sum of own_objective() over the parties. Always up to date, without a look at the
  /// data; not observed_only: a residual below 1e-8 |X| is not resolved.
  double own_objective() const;
  double topics_objective() const;
  double objective() const { return own_objective() + topics_objective(); }

 private:
  /// The entries of a topic that are not zero: a third of all is usual, a tenth not rare.
  struct Nonzeros {
    std::vector<std::int32_t> features;
    std::vector<double> values;
  };

  void set_factors(const Matrix& T, const Matrix& W);
  void multiply_topics();
  void forget_update_unless(Index t);
  void store_topic(Index t, const Vector& T_t);
  void list_nonzeros(Index t);
  void observed_begin_sweep();
  void observed_update_weights(Index t);
  TopicSums observed_sums(Index t);
  void observed_set_topic(Index t, const Vector& T_t);

  Samples Z_;
  RriOptions options_;
  Index rank_;
  Matrix T_;           ///< features x rank
  FactorRows T_rows_;  ///< T at the start of the sweep
  FactorRows W_;
  std::vector<Nonzeros> topics_;  ///< of T; sparse data only
  Matrix XT_;                     ///< X T' at the start of the sweep
  WeightProducts products_;
  WeightProducts::Update update_;  ///< the last one of W; topic -1 after its sums
  Vector XtW_;                     ///< X' W_t of the topic at hand
  Matrix TT_, WW_;                 ///< T T' and W' W
  Vector cross_;                   ///< <X, W_t T_t>
  double X2_ = 0;                  ///< |X|^2
  Vector residual_;                ///< observed_only: (X - W T)_ij, sample after sample
};

inline constexpr int initial_weight_sweeps = 10;

/// One centralized sweep.
void rri_sweep(RriHalf& half);
/// `iterations` sweeps from T0, with W0 as the constructor makes it.
RriHalf rri_nmf(const Samples& Z, const RriOptions& options, const Matrix& T0, int iterations);

/// W for a finished T (features x rank): `sweeps` times the updates of W, from W = 0.
Matrix fit_weights(const Samples& Z, const Matrix& T, const RriOptions& options, int sweeps);

/// Multiply-adds of a sweep, for simulated time; one topic takes 1 / rank of it.
std::uint64_t rri_sweep_flops(const Samples& Z, Index rank, bool observed_only = false);
/// The same of weights that are fitted to given topics: fit_weights, or a new RriHalf with `initial_weight_sweeps`.
std::uint64_t weight_fit_flops(const Samples& Z, Index rank, int sweeps, bool observed_only = false);

}  // namespace sotto
