// Final figures over trials, and the gap of every method to `centralized`, paired by trial.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/experiment/runner.h"

namespace sotto {

/// Over trials; sd with n - 1. Trials that do not have the figure are left out.
struct Spread {
  std::size_t count = 0;
  double mean = no_metric;
  double sd = no_metric;
  double min = no_metric;
  double max = no_metric;

  static Spread of(const std::vector<double>& values);
};

struct MethodSummary {
  std::string name;
  /// In the order of trace.csv: nmse, nmse_mean_x, nmse_held_out, consensus_error, objective; then gap_percent, the
  /// application's and uplift_percent.
  std::vector<std::pair<std::string, Spread>> metrics;
  std::size_t converged = 0;  ///< trials stopped by the rule
  std::size_t limited = 0;    ///< trials stopped by outer_iterations
  Spread iterations, rounds;
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> terms;          ///< application.kind = "topics": of the first trial
  std::vector<std::pair<std::string, Spread>> network;  ///< agents, edges, diameter of the graph it ran on
  /// messages, bytes, sim_seconds, busiest_link_bytes, role_*, retransmissions
  std::vector<std::pair<std::string, Spread>> cost;

  const Spread& metric(const std::string& metric_name) const;
  const Spread& costs(const std::string& cost_name) const;
};

/// A figure of one run at its end, by the name it has in files.
struct FinalFigure {
  const char* name;
  double (*of)(const MethodResult& run);  ///< no_metric: it has none
};
std::span<const FinalFigure> final_metrics();
std::span<const FinalFigure> final_application();  ///< none of them without an application
std::span<const FinalFigure> final_costs();

/// The method that gaps are measured against: the first whose algorithm is `centralized`; null: there is none.
const Method* reference_of(const Experiment& experiment);
double gap_percent(const MethodResult& run, const MethodResult& reference);
/// The method that uplift is measured against: the first whose algorithm is `local`; null: there is none.
const Method* local_of(const Experiment& experiment);
/// The mean over agents; no_metric where there is no application.
double mean_uplift(const MethodResult& run, const MethodResult& local);

std::vector<MethodSummary> summarize(const Experiment& experiment, const std::vector<MethodResult>& runs);

/// A short table for people.
std::string brief_report(const std::vector<MethodSummary>& methods);

}  // namespace sotto
