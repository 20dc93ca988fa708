// SPDX-License-Identifier: MIT
// Finished runs side by side: in what their scenarios differ, what their methods came to, what it cost.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sotto {

/// One method of one finished run. Figures by the names they have in summary.json (`gap_percent`, `cost.bytes`).
struct ComparedMethod {
  std::string name;
  std::vector<std::pair<std::string, double>> figures;  ///< means over trials

  /// no_figure if there is none.
  double figure(const std::string& figure_name) const;
};

struct ComparedRun {
  std::string name;                                           ///< its folder
  std::vector<std::pair<std::string, std::string>> settings;  ///< by path, the same in all runs
  std::vector<ComparedMethod> methods;
};

/// The folder of a finished run, and what tables call it.
struct FinishedFolder {
  std::string name;
  std::string path;
};

/// Settings: those whose values differ; what else tells runs apart (the program, an input file's contents) as "program" and
/// "input FILE".
std::vector<ComparedRun> compare_runs(const std::vector<FinishedFolder>& folders);

/// What a run's summary.json says. OutputError if it cannot be read.
std::vector<ComparedMethod> methods_of(const std::string& summary_path);

/// Settings and main figures, for people. `most`: rows; what is left out is counted in a last line.
std::string comparison_table(const std::vector<ComparedRun>& runs, std::size_t most = ~std::size_t{0});
/// Settings and all figures, for programs.
std::string comparison_csv(const std::vector<ComparedRun>& runs);

}  // namespace sotto
