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

Samples tf_idf(const Samples& samples) {
  Vector found = Vector::Zero(samples.rows());
  samples.each([&](Index feature, Index, double v) { found[feature] += v != 0 ? 1 : 0; });
  const auto n = static_cast<double>(samples.cols());
  for (double& f : found) f = portable_log((1 + n) / (1 + f)) + 1;
  Vector squares = Vector::Zero(samples.cols());
  samples.each([&](Index feature, Index sample, double v) {
    const double weighted = v * found[feature];
    squares[sample] += weighted * weighted;
  });
  return samples.changed([&](Index feature, Index sample, double v) {
    return squares[sample] > 0 ? v * found[feature] / std::sqrt(squares[sample]) : 0.0;
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
      return tf_idf(samples);
    case Scale::none:
      break;
  }
  return samples;
}

}  // namespace sotto
