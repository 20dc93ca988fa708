// SPDX-License-Identifier: MIT
// What the files of RRI-NMF have in common.
#pragma once

#include <span>

#include "core/data/samples.h"
#include "core/factorization/row_kernel.h"

namespace sotto {

/// argmin_{x >= 0} 1/2 curvature x^2 - pull x; where the curvature is not positive, over 0 <= x <= 1 (0 at a tie).
inline double block_minimum(double pull, double curvature) {
  if (curvature > 0) return pull > 0 ? pull / curvature : 0;
  return pull > 0.5 * curvature ? 1 : 0;
}
inline void block_minimum(const Eigen::Ref<const Vector>& pull, double curvature, Eigen::Ref<Vector> x) {
  if (curvature > 0) {
    x = pull.array().max(0.0) / curvature;
  } else {
    x = (pull.array() > 0.5 * curvature).cast<double>();
  }
}

/// Dense samples, a row each.
inline ConstRows dense_rows(const Samples& Z) {
  return {Z.cols() > 0 ? Z.entries(0).values.data() : nullptr, Z.cols(), Z.rows()};
}

/// sum_j += a x_j on the entries of a sparse x.
inline void add_entries(double a, std::span<const std::int32_t> features, std::span<const double> values,
                        Vector& sum) {
  const std::int32_t* f = features.data();
  const double* x = values.data();
  double* s = sum.data();
#pragma GCC unroll 4
  for (std::size_t e = 0; e < values.size(); ++e) s[f[e]] += a * x[e];
}

}  // namespace sotto
