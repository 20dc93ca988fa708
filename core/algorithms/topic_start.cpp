// SPDX-License-Identifier: MIT
#include "core/algorithms/topic_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/factorization/nndsvd.h"

namespace sotto {

RriOptions TopicOptions::merging() const {
  RriOptions options = rri;
  options.weights = CountedEntries::all;
  return options;
}

std::uint64_t TopicOptions::most_sweeps() const {
  return limits.most_iterations() * (start.initialization == Initialization::random_2x ? 2 : 1);
}

Schema local_model_settings() {
  SchemaOf<LocalModelOptions> s("algorithm");
  s.whole("local_iterations", &LocalModelOptions::local_iterations, {1, 1'000'000},
          "pd-nmf-init, best-of-m, wr-nmf: sweeps of every party's own model, and of merging them; "
          "initialization = pd-svd: iterations");
  return s.take();
}

void check_topics(const MethodCheck& c, bool one_start) {
  const Initialization start = c.options.get<StartOptions>().initialization;
  const auto& rri = c.options.get<RriOptions>();
  if (start == Initialization::ones)
    c.places.refuse("algorithm.initialization",
                    "\"ones\" makes all topics the same, and RRI-NMF keeps them so");
  if (start == Initialization::own_random && one_start)
    c.places.refuse("algorithm.initialization",
                    fmt::format("\"own-random\": all parties of {} start from the same topics",
                                algorithm_of(c.options).name));
  if (rri.observed_only() && rri.simplex())
    c.places.refuse("algorithm.topics",
                    "\"simplex\" goes with algorithm.weights = \"all\": with \"observed\" the projection "
                    "would be no minimum");
  if (rri.observed_only() && !c.sparse)
    c.places.refuse("algorithm.weights",
                    "\"observed\" counts the entries that sparse data has, and this is dense: take \"all\"");
}

Workload topic_workload(const OptionSet& options, const Sizes& n) {
  Workload work;
  work.iterations = static_cast<double>(options.get<IterationOptions>().outer_iterations);
  work.multiply_adds = n.rank * (2 * n.stored + 2 * n.rank * (n.samples + n.agents * n.features));
  return work;
}

Gives topic_gives(const OptionSet& options) {
  return {Model::nonnegative_factors, options.get<RriOptions>().weights};
}

void normalize_topics(Matrix& T) {
  for (Index t = 0; t < T.cols(); ++t)
    if (const double sum = T.col(t).sum(); sum > 0) T.col(t) /= sum;
}

Matrix random_topics(const TopicOptions& options, RandomStream random, Index features) {
  Matrix T(features, options.limits.rank);
  for (double& x : T.reshaped()) x = random.uniform();
  normalize_topics(T);
  return options.start.scale * T;
}

Matrix nndsvd_topics(const Samples& Z, Index rank) {
  Matrix T = nndsvd(Z, std::min({rank, Z.rows(), Z.cols()})).T;
  normalize_topics(T);
  return T;
}

Matrix filled_up(const TopicOptions& options, const Agent& me, const Matrix& few) {
  if (few.cols() == options.limits.rank) return few;
  Matrix T = random_topics(options, me.shared_random("initialization"), few.rows());
  T.leftCols(few.cols()) = few;
  return T;
}

LocalModel local_model(const TopicOptions& options, const Samples& Z) {
  const RriHalf half = rri_nmf(Z, options.rri, nndsvd_topics(Z, options.limits.rank),
                               static_cast<int>(options.own.local_iterations));
  LocalModel model{half.T(), {}};
  const Matrix W = half.W();
  model.weights = W.colwise().squaredNorm();
  if (options.rri.observed_only()) {
    Matrix sums = Matrix::Zero(Z.rows(), W.cols());  // ((W_t)^2)' Psi
    Z.each([&](Index feature, Index sample, double) { sums.row(feature) += W.row(sample).cwiseAbs2(); });
    model.weights = sums.colwise().maxCoeff();
  }
  model.weights = (model.weights.array() + std::max(0.0, options.rri.beta)).sqrt();
  return model;
}

Samples pseudo_samples(const LocalModel& model) {
  return Matrix(model.T * model.weights.asDiagonal());
}

std::uint64_t local_model_flops(const TopicOptions& options, const Samples& Z) {
  const Index rank = std::min({static_cast<Index>(options.limits.rank), Z.rows(), Z.cols()});
  return static_cast<std::uint64_t>(options.own.local_iterations) *
         rri_sweep_flops(Z, rank, options.rri.observed_only());
}

}  // namespace sotto
