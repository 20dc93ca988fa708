// SPDX-License-Identifier: MIT
#include "core/measures/factor_errors.h"

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"
#include "core/factorization/hals.h"
#include "core/factorization/orthonormal.h"
#include "core/factorization/rri.h"

namespace sotto {

namespace {

constexpr int refit_sweeps = 300;
constexpr int held_out_sweeps = 600;
constexpr int stored_sweeps = 100;

/// |Z - X Y| over the stored entries of Z.
double stored_residual(const Samples& Z, const Matrix& X, const Matrix& Y) {
  double squares = 0;
  Z.each([&](Index feature, Index sample, double value) {
    const double error = value - X.row(feature).dot(Y.col(sample));
    squares += error * error;
  });
  return std::sqrt(squares);
}

Matrix refit_stored(const Samples& Z, const Matrix& X) {
  RriOptions options;
  options.weights = CountedEntries::stored;
  return fit_weights(Z, X, options, stored_sweeps).transpose();
}

}  // namespace

Matrix refitted_right_factor(const Samples& Z, const Matrix& X, const Matrix& Y, CountedEntries entries) {
  if (entries == CountedEntries::stored) return refit_stored(Z, X);
  Matrix refitted = Y;
  hals_right(Z, X, refitted, refit_sweeps);
  return refitted;
}

double counted_residual(const Samples& Z, const Matrix& X, const Matrix& Y, CountedEntries entries) {
  return entries == CountedEntries::stored ? stored_residual(Z, X, Y) : Z.residual(X, Y);
}

Matrix mean_left_factor(const std::vector<FactorView>& views) {
  Matrix mean = Matrix::Zero(views[0].X.rows(), views[0].X.cols());
  for (const FactorView& v : views) mean += v.X;
  return mean / static_cast<double>(views.size());
}

namespace {

/// Means and totals over agents, as they are met one after the other.
class Totals {
 public:
  /// `size`: |Z_i|; an agent with nothing but zeros has no relative error.
  void add(std::size_t agent, double size, double nmse, double nmse_mean_x, double consensus,
           double objective, Observed& to) {
    to.agents.set(figures::nmse, agent, nmse);
    to.agents.set(figures::nmse_mean_x, agent, nmse_mean_x);
    to.agents.set(figures::consensus_error, agent, consensus);
    to.agents.set(figures::objective, agent, objective);
    if (size > 0) {
      nmse_ += nmse;
      nmse_mean_x_ += nmse_mean_x;
      ++counted_;
    }
    objective_ += objective;
    // written so that one that is not there is not there in the maximum either
    consensus_ = consensus <= consensus_ ? consensus_ : consensus;
  }

  void finish(double held_out, Observed& to) const {
    to.all.set(figures::nmse, relative(nmse_, counted_));
    to.all.set(figures::nmse_mean_x, relative(nmse_mean_x_, counted_));
    to.all.set(figures::nmse_held_out, held_out);
    to.all.set(figures::consensus_error, consensus_);
    to.all.set(figures::objective, objective_);
  }

 private:
  double nmse_ = 0;
  double nmse_mean_x_ = 0;
  double consensus_ = 0;
  double objective_ = 0;
  double counted_ = 0;
};

/// `sum_y`: over all right factors, which says how large held-out ones start.
double held_out_error(const MeasureInput& in, const Matrix& mean_x, double sum_y, bool stored) {
  const Samples& unseen = in.data.held_out;
  if (unseen.cols() == 0) return no_figure;
  const double size = std::sqrt(unseen.squared_norm());
  if (stored) return relative(stored_residual(unseen, mean_x, refit_stored(unseen, mean_x)), size);
  const double weights = static_cast<double>(mean_x.cols() * in.data.all.cols());
  Matrix Y = Matrix::Constant(mean_x.cols(), unseen.cols(), sum_y / weights + 1e-9);
  hals_right(unseen, mean_x, Y, held_out_sweeps);
  return relative(unseen.residual(mean_x, Y), size);
}

void evaluate_factors(const MeasureInput& in, Observed& to) {
  const bool stored = in.gives.entries == CountedEntries::stored;
  const Matrix mean_x = mean_left_factor(in.views);
  const double mean_size = mean_x.norm();
  Totals totals;
  double sum_y = 0;
  Index at = 0;
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const Samples& Z = in.data.parts[a];
    const FactorView& v = in.view(a);
    const Matrix Y = in.one_place() ? Matrix(v.Y.middleCols(at, Z.cols())) : v.Y;
    at += Z.cols();
    sum_y += Y.sum();
    const Matrix refitted = refitted_right_factor(Z, mean_x, Y, in.gives.entries);
    const double size = std::sqrt(Z.squared_norm());
    const double mean_error = counted_residual(Z, mean_x, refitted, in.gives.entries);
    const double own_error = counted_residual(Z, v.X, Y, in.gives.entries);
    totals.add(a, size, relative(own_error, size), relative(mean_error, size),
               relative((v.X - mean_x).norm(), mean_size), 0.5 * mean_error * mean_error, to);
  }
  totals.finish(held_out_error(in, mean_x, sum_y, stored), to);
}

void evaluate_projections(const MeasureInput& in, Observed& to) {
  Totals totals;
  const FactorView common = common_basis(in.views);
  for (std::size_t a = 0; a < in.data.parts.size(); ++a) {
    const Samples& Z = in.data.parts[a];
    const FactorView& v = in.view(a);
    const double size = std::sqrt(Z.squared_norm());
    const bool same = v.X == common.X && v.mean == common.mean;
    const double error = projection_residual(Z, common);
    const double own_error = same ? error : projection_residual(Z, v);
    const double consensus = v.X.cols() == common.X.cols() ? subspace_distance(v.X, common.X) : 1;
    totals.add(a, size, relative(own_error, size), relative(error, size), consensus, 0.5 * error * error, to);
  }
  double held_out = no_figure;
  if (in.data.held_out.cols() > 0)
    held_out =
        relative(projection_residual(in.data.held_out, common), std::sqrt(in.data.held_out.squared_norm()));
  totals.finish(held_out, to);
}

constexpr const Figure* factor_figure_table[] = {&figures::nmse, &figures::nmse_mean_x,
                                                 &figures::nmse_held_out, &figures::consensus_error,
                                                 &figures::objective};

}  // namespace

extern const MeasureKind factor_errors;
const MeasureKind factor_errors{
    .name = "factor errors",
    .figures = factor_figure_table,
    .applies = [](const Gives& gives) { return gives.model == Model::nonnegative_factors; },
    .evaluate = evaluate_factors,
};

extern const MeasureKind projection_errors;
const MeasureKind projection_errors{
    .name = "projection errors",
    .figures = factor_figure_table,
    .applies = [](const Gives& gives) { return gives.model == Model::orthonormal_basis; },
    .evaluate = evaluate_projections,
};

FactorView common_basis(const std::vector<FactorView>& views) {
  constexpr int most_steps = 300;
  constexpr double settled = 1e-13;
  FactorView common;
  common.X = views[0].X;
  common.mean = views[0].mean;
  const auto same = [&](const FactorView& v) { return v.X == common.X && v.mean == common.mean; };
  if (std::all_of(views.begin(), views.end(), same)) return common;
  Index rank = 0;
  common.mean = Vector::Zero(views[0].mean.size());
  for (const FactorView& v : views) {
    rank = std::max(rank, v.X.cols());
    common.mean += v.mean / static_cast<double>(views.size());
  }
  // block power iteration of sum_i X_i X_i', from a fixed start
  RandomStream random({0, StreamName::every_run, StreamName::everyone, "common basis"});
  common.X.resize(views[0].X.rows(), rank);
  for (double& x : common.X.reshaped()) x = random.normal();
  orthonormalize(common.X);
  for (int step = 0; step < most_steps; ++step) {
    const Matrix before = common.X;
    common.X.setZero();
    for (const FactorView& v : views)
      for (Index c = 0; c < rank; ++c) {
        const Vector along = v.X.transpose() * before.col(c);
        common.X.col(c).noalias() += v.X * along;
      }
    orthonormalize(common.X);
    if ((common.X - before * (before.transpose() * common.X)).norm() <= settled) break;
  }
  return common;
}

double projection_residual(const Samples& Z, const FactorView& basis) {
  Matrix X = basis.X;
  Matrix Y = Z.transposed_times(X).transpose();
  if (basis.mean.size() > 0) {  // one more column, with a weight of 1 everywhere
    Y.colwise() -= X.transpose() * basis.mean;
    X.conservativeResize(Eigen::NoChange, X.cols() + 1);
    X.rightCols(1) = basis.mean;
    Y.conservativeResize(Y.rows() + 1, Eigen::NoChange);
    Y.bottomRows(1).setOnes();
  }
  return Z.residual(X, Y);
}

}  // namespace sotto
