#include "core/algorithms/rri_start.h"

#include <algorithm>
#include <cmath>

#include "core/factorization/nndsvd.h"

namespace sotto {

RriSettings rri_settings(const AlgorithmSettings& a) {
  return {a.alpha, a.beta, a.gamma, a.delta, a.topics == "simplex", a.weights == "observed"};
}

RriSettings merging_settings(const AlgorithmSettings& a) {
  RriSettings settings = rri_settings(a);
  settings.observed_only = false;
  return settings;
}

void normalize_topics(Matrix& T) {
  for (Index t = 0; t < T.cols(); ++t)
    if (const double sum = T.col(t).sum(); sum > 0) T.col(t) /= sum;
}

Matrix random_topics(const AlgorithmSettings& a, RandomStream random, Index features) {
  Matrix T(features, a.rank);
  for (double& x : T.reshaped()) x = random.uniform();
  normalize_topics(T);
  return a.initialization_scale * T;
}

Matrix nndsvd_topics(const Samples& Z, Index rank) {
  Matrix T = nndsvd(Z, std::min({rank, Z.rows(), Z.cols()})).T;
  normalize_topics(T);
  return T;
}

Matrix filled_up(const AlgorithmSettings& a, const Agent& me, const Matrix& few) {
  if (few.cols() == a.rank) return few;
  Matrix T = random_topics(a, me.shared_random("initialization"), few.rows());
  T.leftCols(few.cols()) = few;
  return T;
}

std::uint64_t most_sweeps(const AlgorithmSettings& a) {
  return static_cast<std::uint64_t>(a.outer_iterations) * (a.initialization == "random-2x" ? 2 : 1);
}

LocalModel local_model(const AlgorithmSettings& a, const Samples& Z) {
  const RriSettings settings = rri_settings(a);
  const RriHalf half = rri_nmf(Z, settings, nndsvd_topics(Z, a.rank), static_cast<int>(a.local_iterations));
  LocalModel model{half.T(), {}};
  const Matrix W = half.W();
  model.weights = W.colwise().squaredNorm();
  if (settings.observed_only) {
    Matrix sums = Matrix::Zero(Z.rows(), W.cols());  // ((W_t)^2)' Psi
    Z.each([&](Index feature, Index sample, double) { sums.row(feature) += W.row(sample).cwiseAbs2(); });
    model.weights = sums.colwise().maxCoeff();
  }
  model.weights = (model.weights.array() + std::max(0.0, a.beta)).sqrt();
  return model;
}

Samples pseudo_samples(const LocalModel& model) {
  return Matrix(model.T * model.weights.asDiagonal());
}

std::uint64_t local_model_flops(const AlgorithmSettings& a, const Samples& Z) {
  const Index rank = std::min({static_cast<Index>(a.rank), Z.rows(), Z.cols()});
  return static_cast<std::uint64_t>(a.local_iterations) * rri_sweep_flops(Z, rank, a.weights == "observed");
}

}  // namespace sotto
