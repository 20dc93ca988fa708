// SPDX-License-Identifier: MIT
#include "core/measures/subspace.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/factorization/nndsvd.h"
#include "core/factorization/orthonormal.h"

namespace sotto {

double subspace_error(const std::vector<FactorView>& views, const TrialData& data) {
  const bool centered = views[0].mean.size() > 0;
  Samples all = data.all;
  if (centered) {
    Matrix moved(all.rows(), all.cols());
    for (Index c = 0; c < all.cols(); ++c) moved.col(c) = all.column(c);
    moved.colwise() -= moved.rowwise().mean().eval();
    all = std::move(moved);
  }
  double worst = 0;
  Matrix truth;
  for (const FactorView& v : views) {
    if (truth.cols() != v.X.cols()) truth = truncated_svd(all, v.X.cols()).V;
    if (&v != &views[0] && v.X == views[0].X) continue;
    worst = std::max(worst, subspace_distance(v.X, truth));
  }
  return worst;
}

void require_held_out(const ApplicationCheck& c, std::string_view name) {
  if (c.shape.held_out > 0) return;
  c.places.refuse(
      "application.kind",
      fmt::format("\"{}\" is measured on samples that nobody trained on: set data.held_out above 0", name));
}

}  // namespace sotto
