// SPDX-License-Identifier: MIT
#include "core/data/synthetic.h"

#include <algorithm>
#include <cmath>

#include "core/data/sparse_builder.h"

namespace sotto {

namespace {

using Synthetic = SyntheticOptions;

Matrix exponential_matrix(Index rows, Index cols, double mean, RandomStream& random) {
  Matrix m(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) m(r, c) = random.exponential(mean);
  return m;
}

Matrix normal_matrix(Index rows, Index cols, RandomStream& random) {
  Matrix m(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) m(r, c) = random.normal();
  return m;
}

void add_noise(Matrix& Z, double variance, RandomStream& random) {
  const double sd = std::sqrt(variance);
  if (sd == 0) return;
  for (Index c = 0; c < Z.cols(); ++c)
    for (Index r = 0; r < Z.rows(); ++r) Z(r, c) += sd * random.normal();
}

Samples nmf(const Synthetic& s, Index samples, RandomStream& random) {
  const Matrix X = exponential_matrix(s.features, s.rank, s.left_mean, random);
  const Matrix Y = exponential_matrix(s.rank, samples, s.right_mean, random);
  Matrix Z = X * Y;
  add_noise(Z, s.noise_variance, random);
  return Z;
}

Samples ratings(const Synthetic& s, Index samples, RandomStream& random) {
  const Matrix items = normal_matrix(s.rank, s.features, random) / std::sqrt(static_cast<double>(s.rank));
  const double sd = std::sqrt(s.noise_variance);
  SparseBuilder builder(s.features, samples, 0);
  for (Index user = 0; user < samples; ++user) {
    const Vector taste = normal_matrix(s.rank, 1, random);
    const Index always = static_cast<Index>(random.below(static_cast<std::uint64_t>(s.features)));
    for (Index item = 0; item < s.features; ++item) {
      if (random.uniform() >= s.density && item != always) continue;
      const double score = 3.5 + items.col(item).dot(taste) + sd * random.normal();
      builder.add(item, user, std::clamp(std::nearbyint(score), 1.0, 5.0));
    }
  }
  return builder.take([](Index, Index) {});
}

/// Rank x samples, the k-th row of deviation decay^k.
Matrix scores(const Synthetic& s, Index samples, RandomStream& random) {
  Matrix T = normal_matrix(s.rank, samples, random);
  double deviation = 1;
  for (Index k = 0; k < s.rank; ++k, deviation *= s.decay) T.row(k) *= deviation;
  return T;
}

Samples pca(const Synthetic& s, Index samples, RandomStream& random) {
  Matrix Z = normal_matrix(s.features, s.rank, random) * scores(s, samples, random);
  add_noise(Z, s.noise_variance, random);
  return Z;
}

Samples regression(const Synthetic& s, Index samples, RandomStream& random) {
  const Index inputs = s.features - 1;
  Matrix Z(s.features, samples);
  Z.topRows(inputs) = normal_matrix(inputs, s.rank, random) * scores(s, samples, random);
  Z.row(inputs).setZero();
  add_noise(Z, s.noise_variance, random);
  const Vector weights =
      normal_matrix(inputs, 1, random) / std::sqrt(static_cast<double>(std::max<Index>(1, inputs)));
  Z.row(inputs) += weights.transpose() * Z.topRows(inputs);
  return Z;
}

}  // namespace

Samples synthetic_data(const DataOptions& options, Index samples, RandomStream& random) {
  const Synthetic& s = options.synthetic;
  switch (options.source) {
    case DataSource::nmf:
      return nmf(s, samples, random);
    case DataSource::ratings:
      return ratings(s, samples, random);
    case DataSource::regression:
      return regression(s, samples, random);
    case DataSource::pca:
      return pca(s, samples, random);
    case DataSource::file:
      break;
  }
  throw RunError("data of a file cannot be drawn");
}

bool synthetic_is_sparse(DataSource source) {
  return source == DataSource::ratings;
}

bool synthetic_is_signed(DataSource source) {
  return source == DataSource::regression || source == DataSource::pca;
}

}  // namespace sotto
