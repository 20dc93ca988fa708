#include "core/measures/factor_errors.h"

#include <algorithm>
#include <cmath>

#include "core/factorization/hals.h"
#include "core/factorization/orthonormal.h"
#include "core/factorization/rri.h"

namespace sotto {

namespace {

constexpr int refit_sweeps = 300;
constexpr int held_out_sweeps = 600;
constexpr int stored_sweeps = 100;

double ratio(double error, double size) {
  return size > 0 ? error / size : no_metric;
}

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
  RriSettings settings;
  settings.observed_only = true;
  return fit_weights(Z, X, settings, stored_sweeps).transpose();
}

}  // namespace

Matrix mean_left_factor(const std::vector<FactorView>& views) {
  Matrix mean = Matrix::Zero(views[0].X.rows(), views[0].X.cols());
  for (const FactorView& v : views) mean += v.X;
  return mean / static_cast<double>(views.size());
}

Metrics evaluate(const std::vector<FactorView>& views, const TrialData& data, CountedEntries entries) {
  const bool stored = entries == CountedEntries::stored;
  const bool one_place = views.size() == 1 && data.parts.size() > 1;
  const Matrix mean_x = mean_left_factor(views);
  const double mean_size = mean_x.norm();

  Metrics all;
  all.nmse = all.nmse_mean_x = all.objective = all.consensus_error = 0;
  double sum_y = 0;
  double counted = 0;
  Index at = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const Samples& Z = data.parts[a];
    const FactorView& v = views[one_place ? 0 : a];
    const Matrix Y = one_place ? Matrix(v.Y.middleCols(at, Z.cols())) : v.Y;
    at += Z.cols();
    sum_y += Y.sum();
    Matrix refitted = Y;
    if (stored)
      refitted = refit_stored(Z, mean_x);
    else
      hals_right(Z, mean_x, refitted, refit_sweeps);
    const double size = std::sqrt(Z.squared_norm());
    const double mean_error = stored ? stored_residual(Z, mean_x, refitted) : Z.residual(mean_x, refitted);
    AgentMetrics m;
    m.nmse = ratio(stored ? stored_residual(Z, v.X, Y) : Z.residual(v.X, Y), size);
    m.nmse_mean_x = ratio(mean_error, size);
    m.consensus_error = ratio((v.X - mean_x).norm(), mean_size);
    m.objective = 0.5 * mean_error * mean_error;
    if (size > 0) {  // an agent with nothing but zeros has no relative error
      all.nmse += m.nmse;
      all.nmse_mean_x += m.nmse_mean_x;
      ++counted;
    }
    all.objective += m.objective;
    // written so that one that is not there is not there in the maximum either
    all.consensus_error = m.consensus_error <= all.consensus_error ? all.consensus_error : m.consensus_error;
    all.agents.push_back(m);
  }
  all.nmse = ratio(all.nmse, counted);
  all.nmse_mean_x = ratio(all.nmse_mean_x, counted);
  if (data.held_out.cols() > 0 && stored) {
    all.nmse_held_out = ratio(stored_residual(data.held_out, mean_x, refit_stored(data.held_out, mean_x)),
                              std::sqrt(data.held_out.squared_norm()));
  } else if (data.held_out.cols() > 0) {
    const double weights = static_cast<double>(mean_x.cols() * data.all.cols());
    Matrix Y = Matrix::Constant(mean_x.cols(), data.held_out.cols(), sum_y / weights + 1e-9);
    hals_right(data.held_out, mean_x, Y, held_out_sweeps);
    all.nmse_held_out = ratio(data.held_out.residual(mean_x, Y), std::sqrt(data.held_out.squared_norm()));
  }
  return all;
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

Metrics evaluate_projection(const std::vector<FactorView>& views, const TrialData& data) {
  const bool one_place = views.size() == 1 && data.parts.size() > 1;
  Metrics all;
  all.nmse = all.objective = all.consensus_error = 0;
  double counted = 0;
  for (std::size_t a = 0; a < data.parts.size(); ++a) {
    const FactorView& v = views[one_place ? 0 : a];
    const double size = std::sqrt(data.parts[a].squared_norm());
    const double error = projection_residual(data.parts[a], v);
    AgentMetrics m;
    m.nmse = m.nmse_mean_x = ratio(error, size);
    m.objective = 0.5 * error * error;
    m.consensus_error = v.X.cols() == views[0].X.cols() ? subspace_distance(v.X, views[0].X) : 1;
    if (size > 0) {
      all.nmse += m.nmse;
      ++counted;
    }
    all.objective += m.objective;
    all.consensus_error = std::max(all.consensus_error, m.consensus_error);
    all.agents.push_back(m);
  }
  all.nmse = all.nmse_mean_x = ratio(all.nmse, counted);
  if (data.held_out.cols() > 0) {
    const double size = std::sqrt(data.held_out.squared_norm());
    all.nmse_held_out = 0;
    for (const FactorView& v : views)
      all.nmse_held_out +=
          ratio(projection_residual(data.held_out, v), size) / static_cast<double>(views.size());
  }
  return all;
}

}  // namespace sotto
