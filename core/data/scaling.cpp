// SPDX-License-Identifier: MIT
#include "core/data/scaling.h"

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"

namespace sotto {

namespace {

Samples unit_max(const Samples& samples) {
  double largest = 0;
  samples.each([&](Index, Index, double v) { largest = std::max(largest, std::abs(v)); });
  if (largest == 0) return samples;
  return samples.changed([&](Index, Index, double v) { return v / largest; });
}

Samples lee_seung(const Samples& samples) {
  constexpr double quarter = 0.25;
  Matrix m(samples.rows(), samples.cols());
  for (Index c = 0; c < samples.cols(); ++c) {
    Vector x = samples.column(c);
    if (x.minCoeff() == x.maxCoeff()) {  // what rounding leaves of it must not be stretched
      m.col(c).setConstant(quarter);
      continue;
    }
    x.array() -= x.mean();
    x *= quarter / std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
    m.col(c) = (x.array() + quarter).cwiseMax(0.0).cwiseMin(1.0);
  }
  return m;
}

Samples of_length_one(const Samples& samples) {
  Vector squares = Vector::Zero(samples.cols());
  samples.each([&](Index, Index sample, double v) { squares[sample] += v * v; });
  return samples.changed([&](Index, Index sample, double v) {
    return squares[sample] > 0 ? v / std::sqrt(squares[sample]) : 0.0;
  });
}

}  // namespace

Samples scaled(const Samples& samples, Scale scale) {
  switch (scale) {
    case Scale::unit_max:
      return unit_max(samples);
    case Scale::lee_seung:
      return lee_seung(samples);
    case Scale::tf_idf:
    case Scale::none:
      break;
  }
  return samples;
}

Vector word_weights(const Samples& training) {
  Vector weights = Vector::Zero(training.rows());
  training.each([&](Index feature, Index, double v) { weights[feature] += v != 0 ? 1 : 0; });
  const auto n = static_cast<double>(training.cols());
  for (double& f : weights) f = portable_log((1 + n) / (1 + f)) + 1;
  return weights;
}

Samples tf_idf(const Samples& samples, const Vector& weights) {
  return of_length_one(samples.changed([&](Index feature, Index, double v) { return v * weights[feature]; }));
}

Samples own_tf_idf(const Samples& samples, std::span<const Index> sizes) {
  Vector weights;
  Index end = 0;  // of the party whose weights these are
  return of_length_one(samples.changed([&](Index feature, Index sample, double v) {
    for (; sample >= end; sizes = sizes.subspan(1)) {
      weights = word_weights(samples.columns(end, sizes.front()));
      end += sizes.front();
    }
    return v * weights[feature];
  }));
}

}  // namespace sotto
