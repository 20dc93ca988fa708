// SPDX-License-Identifier: MIT
// The local half of PPDNMF (Lari et al. 2024, section II): what one agent computes on
// its own samples. The letters are the paper's: Z ~ X Y, U and P split X off its sign constraint, V and R do
// the same for Y. Used by `ppdnmf`, `centralized` and `local`; no messages here.
#pragma once

#include <Eigen/Cholesky>

#include "base/bytes.h"
#include "base/matrix.h"
#include "base/schema.h"
#include "core/data/samples.h"

namespace sotto {

enum class Variant : std::uint8_t { corrected, published };
template <>
struct Words<Variant> {
  static constexpr std::string_view setting = "algorithm.variant";
  static constexpr Word<Variant> all[] = {{Variant::corrected, "corrected"},
                                          {Variant::published, "published"}};
};

enum class LeftFactor : std::uint8_t { split, nonnegative };
template <>
struct Words<LeftFactor> {
  static constexpr std::string_view setting = "algorithm.left_factor";
  static constexpr Word<LeftFactor> all[] = {{LeftFactor::split, "split"},
                                             {LeftFactor::nonnegative, "nonnegative"}};
};

enum class RightFactor : std::uint8_t { hals, admm };
template <>
struct Words<RightFactor> {
  static constexpr std::string_view setting = "algorithm.right_factor";
  static constexpr Word<RightFactor> all[] = {{RightFactor::hals, "hals"}, {RightFactor::admm, "admm"}};
};

/// Part of [algorithm]: block coordinate descent, with a network or without.
struct DescentOptions {
  Variant variant = Variant::corrected;
  LeftFactor left_factor = LeftFactor::split;
  RightFactor right_factor = RightFactor::hals;
  std::int64_t inner_iterations = 1;
  std::int64_t right_iterations = 0;  ///< 0: 5 sweeps of HALS (50 the first time), 30 iterations of ADMM
  bool scale_free = false;            ///< penalty = "scale-free"
  double penalty = 0.1;
  double mu = 0.01;
  double eta = 1;

  bool splits_left() const { return left_factor == LeftFactor::split || variant == Variant::published; }
};
Schema descent_settings();

/// The matrices of block coordinate descent that live across outer iterations.
struct Factors {
  Matrix X, U, P;  ///< features x rank
  Matrix Y, V, R;  ///< rank x own samples; V and R only with right_factor = admm

  /// Algorithm 1, lines 1-2, with X0 = U0 as given.
  static Factors from(const DescentOptions& options, Matrix X0, Index samples);
  void save(Writer& w) const;
  static Factors load(Reader& r);
};

/// HALS sweeps of an X step without a split.
inline constexpr int nonnegative_sweeps = 5;

/// penalty = "scale-free": kappa = tr(Y Y') / K after the first Y step, and mu = 0.1 kappa.
inline constexpr double scale_free_mu = 0.1;
inline double right_factor_scale(const Factors& f) {
  return f.Y.squaredNorm() / static_cast<double>(f.Y.rows());
}

/// What the left factor's updates need of Z and Y: once per outer iteration.
class LeftProblem {
 public:
  LeftProblem(const Samples& Z, const Matrix& Y) { renew(Z, Y); }

  /// The same for another Y.
  void renew(const Samples& Z, const Matrix& Y);

  void set_shift(double shift);
  /// rhs [Y Y' + shift I]^-1, by a Cholesky factorization that is kept until the shift changes.
  Matrix solve(const Matrix& rhs);
  const Matrix& hessian() const { return hessian_; }

  Matrix ZYt;
  Matrix YYt;

 private:
  double shift_ = -1;
  bool factorized_ = false;
  Matrix hessian_;
  Eigen::LLT<Matrix> cholesky_;
};

/// Y <- argmin_{Y >= 0} 1/2 |Z - X Y|^2, by HALS sweeps (50 the first time, then 5) or by ADMM, eqs.
/// (12)-(14).
void update_right(const DescentOptions& options, const Samples& Z, Factors& f, bool first);

/// Multiply-adds of these steps, for simulated time.
std::uint64_t left_problem_flops(const Samples& Z, const Factors& f);
std::uint64_t left_update_flops(const Factors& f);
std::uint64_t right_update_flops(const DescentOptions& options, const Samples& Z, const Factors& f,
                                 bool first);

}  // namespace sotto
