// SPDX-License-Identifier: MIT
#include "core/factorization/bcd.h"

#include "base/error.h"
#include "core/factorization/hals.h"

namespace sotto {

namespace {

constexpr int first_hals_sweeps = 50;
constexpr int default_hals_sweeps = 5;
constexpr int default_admm_iterations = 30;

int right_iterations(const DescentOptions& s, bool first) {
  if (s.right_factor == RightFactor::admm)
    return s.right_iterations > 0 ? static_cast<int>(s.right_iterations) : default_admm_iterations;
  if (first) return first_hals_sweeps;
  return s.right_iterations > 0 ? static_cast<int>(s.right_iterations) : default_hals_sweeps;
}

/// A nearly singular matrix would give numbers without meaning.
void refuse_singular(const Eigen::LLT<Matrix>& cholesky, const char* key) {
  if (cholesky.info() != Eigen::Success)
    throw RunError(std::string(key) + " is too small: the linear system is singular");
}

void right_by_admm(double eta, const Samples& Z, Factors& f, int iterations) {
  const Index K = f.X.cols();
  const Eigen::LLT<Matrix> cholesky(f.X.transpose() * f.X + eta * Matrix::Identity(K, K));
  refuse_singular(cholesky, "algorithm.eta");
  const Matrix XtZ = Z.transposed_times(f.X).transpose();
  for (int k = 0; k < iterations; ++k) {
    f.Y = (f.V + f.R).cwiseMax(0.0);                // (12)
    f.V = cholesky.solve(XtZ + eta * (f.Y - f.R));  // (13)
    f.R -= f.Y - f.V;                               // (14)
  }
}

}  // namespace

Schema descent_settings() {
  using Options = DescentOptions;
  SchemaOf<Options> s("algorithm");
  s.word(&Options::variant,
         "corrected: see the README; published: eqs. (8)-(11) as printed (centralized and local: their order "
         "only)");
  s.word(&Options::left_factor, "split: U, X and P as in the paper; nonnegative: U = X by HALS");
  s.word(&Options::right_factor, "how Y is updated: coordinate descent, or eqs. (12)-(14)");
  s.whole("inner_iterations", &Options::inner_iterations, {1, 1'000'000}, "rounds per X step");
  s.whole("right_iterations", &Options::right_iterations, {0, 1'000'000},
          "sweeps (hals) or iterations (admm) per Y step; 0: 5 or 30; HALS makes 50 the first time");
  s.real("penalty", &Options::penalty, {0, 1e6, true},
         "g_i, the bound of the consensus penalty; scale-free: from the data")
      .or_word("scale-free", &Options::scale_free);
  s.real("mu", &Options::mu, {0, 1e9, true}, "penalty of the split X = U; scale-free: from the data")
      .used([](const Options& o) { return o.splits_left() && !o.scale_free; },
            [](const Options& o) {
              return o.scale_free ? std::string("algorithm.penalty is scale-free")
                                  : setting_is(o.left_factor);
            });
  s.real("eta", &Options::eta, {0, 1e9, true}, "penalty of ADMM's split Y = V")
      .used([](const Options& o) { return o.right_factor == RightFactor::admm; },
            [](const Options& o) { return setting_is(o.right_factor); });
  return s.take();
}

Factors Factors::from(const DescentOptions& options, Matrix X0, Index samples) {
  Factors f;
  f.X = std::move(X0);
  f.U = f.X;
  f.P = Matrix::Zero(f.X.rows(), f.X.cols());
  f.Y = Matrix::Zero(f.X.cols(), samples);
  if (options.right_factor == RightFactor::admm) f.V = f.R = f.Y;
  return f;
}

void Factors::save(Writer& w) const {
  for (const Matrix* m : {&X, &U, &P, &Y, &V, &R}) w.matrix(*m);
}

Factors Factors::load(Reader& r) {
  Factors f;
  for (Matrix* m : {&f.X, &f.U, &f.P, &f.Y, &f.V, &f.R}) *m = r.matrix();
  return f;
}

void LeftProblem::renew(const Samples& Z, const Matrix& Y) {
  ZYt = Z.times_transposed(Y);
  YYt = Y * Y.transpose();
  shift_ = -1;
  factorized_ = false;
}

void LeftProblem::set_shift(double shift) {
  if (shift == shift_) return;
  shift_ = shift;
  hessian_ = YYt + shift * Matrix::Identity(YYt.rows(), YYt.cols());
  factorized_ = false;
}

Matrix LeftProblem::solve(const Matrix& rhs) {
  if (!factorized_) {
    cholesky_.compute(hessian_);
    refuse_singular(cholesky_, "algorithm.mu or penalty");
    factorized_ = true;
  }
  return cholesky_.solve(rhs.transpose()).transpose();
}

void update_right(const DescentOptions& options, const Samples& Z, Factors& f, bool first) {
  const int iterations = right_iterations(options, first);
  if (options.right_factor == RightFactor::admm) {
    right_by_admm(options.eta, Z, f, iterations);
  } else {
    if (first) f.Y = right_factor_start(Z, f.X);
    hals_right(Z, f.X, f.Y, iterations);
  }
}

std::uint64_t left_problem_flops(const Samples& Z, const Factors& f) {
  const auto K = static_cast<std::uint64_t>(f.X.cols());
  return K * (static_cast<std::uint64_t>(Z.stored()) + static_cast<std::uint64_t>(f.Y.cols()) * K);
}

std::uint64_t left_update_flops(const Factors& f) {
  const auto K = static_cast<std::uint64_t>(f.X.cols());
  return static_cast<std::uint64_t>(f.X.rows()) * K * K + K * K * K / 3;
}

std::uint64_t right_update_flops(const DescentOptions& options, const Samples& Z, const Factors& f,
                                 bool first) {
  const auto K = static_cast<std::uint64_t>(f.X.cols());
  const auto L = static_cast<std::uint64_t>(f.X.rows());
  const auto M = static_cast<std::uint64_t>(f.Y.cols());
  return L * K * K + static_cast<std::uint64_t>(Z.stored()) * K +
         static_cast<std::uint64_t>(right_iterations(options, first)) * K * K * M;
}

}  // namespace sotto
