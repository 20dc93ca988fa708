#include "core/factorization/bcd.h"

#include "core/factorization/hals.h"

namespace sotto {

namespace {

constexpr int first_hals_sweeps = 50;
constexpr int default_hals_sweeps = 5;
constexpr int default_admm_iterations = 30;

int right_iterations(const AlgorithmSettings& s, bool first) {
  if (s.right_factor == "admm")
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

Factors Factors::initial(const AlgorithmSettings& settings, RandomStream random, Index features,
                         Index samples) {
  Factors f;
  const Index K = settings.rank;
  if (settings.initialization == "ones") {
    f.X = Matrix::Ones(features, K);
  } else {
    f.X.resize(features, K);
    for (Index k = 0; k < K; ++k)
      for (Index l = 0; l < features; ++l) f.X(l, k) = random.uniform();
  }
  f.X *= settings.initialization_scale;
  f.U = f.X;
  f.P = Matrix::Zero(features, K);
  f.Y = Matrix::Zero(K, samples);
  if (settings.right_factor == "admm") f.V = f.R = f.Y;
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

void update_right(const AlgorithmSettings& settings, const Samples& Z, Factors& f, bool first) {
  const int iterations = right_iterations(settings, first);
  if (settings.right_factor == "admm") {
    right_by_admm(settings.eta, Z, f, iterations);
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

std::uint64_t right_update_flops(const AlgorithmSettings& settings, const Samples& Z, const Factors& f,
                                 bool first) {
  const auto K = static_cast<std::uint64_t>(f.X.cols());
  const auto L = static_cast<std::uint64_t>(f.X.rows());
  const auto M = static_cast<std::uint64_t>(f.Y.cols());
  return L * K * K + static_cast<std::uint64_t>(Z.stored()) * K +
         static_cast<std::uint64_t>(right_iterations(settings, first)) * K * K * M;
}

}  // namespace sotto
