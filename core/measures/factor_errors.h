// Metrics that no agent could compute, from everybody's factors at a boundary.
//
//   nmse             mean over agents of |Z_i - X_i Y_i| / |Z_i|: the paper's. It rewards LACK of consensus (purely
//                    local factors score best), so never read it alone.
//   nmse_mean_x      the same with X-bar, the mean of all X_i, and Y_i refitted to it by 300 sweeps of HALS
//   nmse_held_out    |Z - X-bar Y| / |Z| on samples that nobody trained on, Y fitted by 600 sweeps
//   consensus_error  max_i |X_i - X-bar| / |X-bar|
//   objective        1/2 sum_i |Z_i - X-bar Y_i|^2, refitted
#pragma once

#include <limits>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/data/dataset.h"

namespace sotto {

inline constexpr double no_metric = std::numeric_limits<double>::quiet_NaN();

struct AgentMetrics {
  double nmse = no_metric;
  double nmse_mean_x = no_metric;
  double consensus_error = no_metric;
  double objective = no_metric;
};

struct Metrics {
  double nmse = no_metric;
  double nmse_mean_x = no_metric;
  double nmse_held_out = no_metric;
  double consensus_error = no_metric;
  double objective = no_metric;
  std::vector<AgentMetrics> agents;
};

/// X-bar: the mean of all agents' left factors.
Matrix mean_left_factor(const std::vector<FactorView>& views);

/// algorithm.weights: what is not stored in sparse data is zero, or is not known. Errors are over the entries that count, and
/// refits too (by the updates of rri.h).
enum class CountedEntries : std::uint8_t { all, stored };

/// `views` by agent, or a single one that holds all samples (centralized).
Metrics evaluate(const std::vector<FactorView>& views, const TrialData& data,
                 CountedEntries counted = CountedEntries::all);

/// The same for orthonormal bases: samples are projected onto them. Where agents have bases of their own (`local`) there is no
/// X-bar: nmse_mean_x and objective are of what each has, nmse_held_out is their mean.
Metrics evaluate_projection(const std::vector<FactorView>& views, const TrialData& data);

/// |Z - mean 1' - X X' (Z - mean 1')|.
double projection_residual(const Samples& Z, const FactorView& basis);

}  // namespace sotto
