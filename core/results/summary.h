// SPDX-License-Identifier: MIT
// Final figures over trials, and figures that compare a method with a baseline, paired by trial.
// Tests: tests/core/results/output_test.cpp
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/run_figures.h"

namespace sotto {

/// Over trials; sd with n - 1. Trials that do not have the figure are left out.
struct Spread {
  std::size_t count = 0;
  double mean = no_figure;
  double sd = no_figure;
  double min = no_figure;
  double max = no_figure;

  static Spread of(const std::vector<double>& values);
};

/// A figure of a method over trials.
struct FigureSpread {
  const Figure* figure;
  Spread spread;
};

struct MethodSummary {
  std::string name;
  std::string start;  ///< where its factors start, if methods differ in that; else empty
  /// Observed ones in the order of trace.csv; then gap_percent, the application's and uplift_percent.
  std::vector<FigureSpread> figures;
  std::size_t converged = 0;  ///< trials stopped by the rule
  std::size_t limited = 0;    ///< trials stopped by outer_iterations
  Spread iterations, rounds;
  std::vector<std::string> labels;
  std::vector<NamedRows> rows;        ///< of the application, in the first trial
  std::vector<FigureSpread> network;  ///< of the graph it ran on
  std::vector<FigureSpread> cost;

  /// Of `figures` and `cost`; nothing for a name that is none.
  const Spread& figure(std::string_view figure_name) const;
};

/// A figure of a run that compares it with a baseline of the same trial.
struct PairedFigure {
  Figure figure;
  Baseline baseline;
  double (*of)(const MethodResult& run, const MethodResult& baseline);
};
/// gap_percent: nmse_mean_x above that of `centralized`.
extern const PairedFigure gap;
/// uplift_percent: the mean over agents of what they gained over `local`; none where there is no application.
extern const PairedFigure uplift;

/// The runs of a baseline by trial; empty where there is no such method.
std::map<std::uint64_t, const MethodResult*> baseline_runs(const Experiment& experiment, Baseline baseline,
                                                           const std::vector<MethodResult>& runs);

/// Every figure of a run at its end, as a column of final.csv.
std::vector<RunFigure> final_columns(const Experiment& experiment, const std::vector<MethodResult>& runs);

std::vector<MethodSummary> summarize(const Experiment& experiment, const std::vector<MethodResult>& runs);

/// A short table for people, and below it the labels of the methods. Where it would be wider than 120 columns, two tables: results
/// and costs.
std::string brief_report(const std::vector<MethodSummary>& methods);
/// One line for each label, "METHOD: LABEL"; those that all methods have once, "all methods: LABEL".
std::string label_lines(const std::vector<MethodSummary>& methods);

}  // namespace sotto
