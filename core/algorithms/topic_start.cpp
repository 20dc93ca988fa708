// SPDX-License-Identifier: MIT
#include "core/algorithms/topic_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/algorithms/shared_power.h"
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
  s.word(&LocalModelOptions::weights_published,
         "wr-nmf: of W'W, the weights of a party's own topics, it publishes the diagonal or all, which makes "
         "the quadratic term of the merge exact; pd-nmf-init: the same in its sums, where neither is "
         "published");
  return s.take();
}

bool fits_own_models(const OptionSet& options) {
  const Initialization start = options.get<StartOptions>().initialization;
  return start == Initialization::pd_nmf_init || start == Initialization::best_of_m ||
         start == Initialization::pd_svd;
}

bool merges_own_models(const OptionSet& options) {
  return options.get<StartOptions>().initialization == Initialization::pd_nmf_init;
}

std::string chosen_start(const OptionSet& options) {
  return setting_is(options.get<StartOptions>().initialization);
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

StartTopics nndsvd_topics(const Samples& Z, Index rank) {
  NonnegativeStart start = nndsvd(Z, std::min({rank, Z.rows(), Z.cols()}));
  normalize_topics(start.T);
  return {std::move(start.T), start.flops};
}

Vector half_sizes(const Samples& Z, const Matrix& V, double scale) {
  const Matrix U = Z.transposed_times(V) / scale;
  Vector halves(2 * V.cols());
  halves << U.cwiseMax(0.0).colwise().squaredNorm().transpose(),
      (-U).cwiseMax(0.0).colwise().squaredNorm().transpose();
  return halves;
}

Matrix halves_of(const Matrix& V, const Vector& halves) {
  const Index rank = V.cols();
  Matrix T(V.rows(), rank);
  for (Index t = 0; t < rank; ++t) {
    const Vector plus = V.col(t).cwiseMax(0.0);
    const Vector minus = (-V.col(t)).cwiseMax(0.0);
    const bool positive = plus.norm() * std::sqrt(halves[t]) >= minus.norm() * std::sqrt(halves[rank + t]);
    T.col(t) = positive ? plus : minus;
    if (t == 0) T.col(0) = V.col(0).cwiseAbs();  // nonnegative but for rounding (Perron and Frobenius)
  }
  normalize_topics(T);
  return T;
}

Matrix filled_up(const TopicOptions& options, RandomStream shared, const Matrix& few) {
  if (few.cols() == options.limits.rank) return few;
  Matrix T = random_topics(options, std::move(shared), few.rows());
  T.leftCols(few.cols()) = few;
  return T;
}

LocalModel local_model(const TopicOptions& options, const Samples& Z) {
  const auto iterations = static_cast<int>(options.own.local_iterations);
  const StartTopics start = nndsvd_topics(Z, options.limits.rank);
  const RriHalf half = rri_nmf(Z, options.rri, start.T, iterations);
  const bool observed = options.rri.observed_only();
  LocalModel model;
  model.T = half.T();
  model.flops = start.flops + weight_fit_flops(Z, half.rank(), initial_weight_sweeps, observed) +
                static_cast<std::uint64_t>(iterations) * rri_sweep_flops(Z, half.rank(), observed);
  const Matrix W = half.W();
  if (options.own.gram()) {
    model.gram.resize(W.cols(), W.cols());
    for (Index t = 0; t < W.cols(); ++t) model.gram.col(t).noalias() = W.transpose() * W.col(t);
    model.gram.diagonal().array() += std::max(0.0, options.rri.beta);
    model.flops += static_cast<std::uint64_t>(W.size() * W.cols());
  }
  model.weights = W.colwise().squaredNorm();
  if (observed) {
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

namespace {

/// PD-NMF's starts (pd_nmf.cpp) with everybody's samples at hand.
class CentralTopics {
 public:
  CentralTopics(const OptionSet& options, const CentralData& data) : options_(options), data_(data) {}

  CentralStart nndsvd() const {
    const StartTopics start = nndsvd_topics(data_.all, options_.limits.rank);
    return {filled_up(options_, data_.shared_random(), start.T), start.flops};
  }

  CentralStart merged() const {
    CentralStart to;
    std::vector<TopicModel> models;
    Matrix weighted(data_.all.rows(), 0);
    for (const Samples& part : data_.parts) {
      const LocalModel own = local_model(options_, part);
      to.flops += own.flops;
      models.push_back(own.model());
      const Index at = weighted.cols();
      weighted.conservativeResize(Eigen::NoChange, at + own.T.cols());
      weighted.rightCols(own.T.cols()) = own.T * own.weights.asDiagonal();
    }
    const auto sweeps = static_cast<std::uint64_t>(options_.own.local_iterations);
    if (options_.own.gram()) {
      TopicMerge merge(std::move(models), options_.merging(), random_of_all());
      for (std::uint64_t n = 0; n < sweeps; ++n) merge_sweep(merge);
      to.T = merge.T();
      to.flops += merge.first_flops() + sweeps * merge.sweep_flops();
    } else {
      const Samples pseudo(std::move(weighted));
      to.T = rri_nmf(pseudo, options_.merging(), random_of_all(), static_cast<int>(sweeps)).T();
      to.flops +=
          weight_fit_flops(pseudo, rank(), initial_weight_sweeps) + sweeps * rri_sweep_flops(pseudo, rank());
    }
    return to;
  }

  CentralStart best() const {
    CentralStart to;
    double least = 0;
    for (const Samples& candidate : data_.parts) {
      const LocalModel own = local_model(options_, candidate);
      const bool observed = options_.rri.observed_only();
      const Matrix W = fit_weights(data_.all, own.T, options_.rri, candidate_sweeps);
      const double error = RriHalf(data_.all, options_.rri, own.T, W).own_objective();
      to.flops += own.flops + weight_fit_flops(data_.all, own.T.cols(), candidate_sweeps, observed);
      if (to.T.size() > 0 && error >= least) continue;
      least = error;
      to.T = own.T;
    }
    to.T = filled_up(options_, data_.shared_random(), to.T);
    return to;
  }

  CentralStart singular() const {
    const auto iterations = static_cast<std::uint64_t>(options_.own.local_iterations);
    Matrix V = Matrix::Zero(data_.all.rows(), rank());
    const double size = normal_draw_size(data_.parts.size(), V.rows());
    for (std::size_t m = 0; m < data_.parts.size(); ++m) {
      RandomStream random = data_.random(m);
      for (double& x : V.reshaped()) x += size * random.normal();
    }
    orthonormalize(V);
    for (std::uint64_t n = 0; n < iterations; ++n) {
      V = covariance_product(data_.all, {}, V);
      orthonormalize(V);
    }
    return {halves_of(V, half_sizes(data_.all, V, 1)),
            iterations * (covariance_flops(data_.all, rank()) + orthonormalize_flops(V)) +
                covariance_flops(data_.all, rank())};
  }

 private:
  Index rank() const { return static_cast<Index>(options_.limits.rank); }

  /// Tsikhanovich et al. 2019, algorithm 2, lines 6 to 8.
  Matrix random_of_all() const {
    Matrix T = Matrix::Zero(data_.all.rows(), rank());
    for (std::size_t m = 0; m < data_.parts.size(); ++m) {
      RandomStream random = data_.random(m);
      for (double& x : T.reshaped()) x += random.uniform() / static_cast<double>(data_.parts.size());
    }
    normalize_topics(T);
    return T;
  }

  TopicOptions options_;
  const CentralData& data_;
};

}  // namespace

CentralStart topics_in_one_place(const OptionSet& options, const CentralData& data) {
  const CentralTopics topics(options, data);
  switch (options.get<StartOptions>().initialization) {
    case Initialization::nndsvd:
      return topics.nndsvd();
    case Initialization::pd_nmf_init:
      return topics.merged();
    case Initialization::best_of_m:
      return topics.best();
    case Initialization::pd_svd:
      return topics.singular();
    default:
      return {};
  }
}

}  // namespace sotto
