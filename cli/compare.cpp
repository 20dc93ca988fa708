// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/commands.h"
#include "core/results/comparison.h"
#include "core/sweep/finished_runs.h"

namespace sotto {

namespace {

struct CompareOptions {
  std::vector<std::string> folders;
  bool csv = false;
};

int compare(const CompareOptions& options) {
  const auto runs = compare_runs(finished_runs(options.folders));
  if (options.csv) {
    fmt::print("{}", comparison_csv(runs));
    return done;
  }
  // few runs that differ in much are easier to read setting by setting
  constexpr std::size_t columns = 4;
  const bool listed = runs.front().settings.size() > columns;
  if (listed)
    for (std::size_t s = 0; s < runs.front().settings.size(); ++s) {
      fmt::print("{}\n", runs.front().settings[s].first);
      for (const ComparedRun& run : runs)
        fmt::print("  {}: {}\n", run.name, run.settings[s].second.empty() ? "-" : run.settings[s].second);
    }
  auto rows = runs;
  if (listed)
    for (ComparedRun& row : rows) row.settings.clear();
  fmt::print("{}{}", listed ? "\n" : "", comparison_table(rows));
  return done;
}

void add_compare(const CommandLine& program) {
  auto options = std::make_shared<CompareOptions>();
  const CommandLine command = program.add_command(
      "compare", "finished runs side by side: figures, costs, and what their scenarios differ in");
  command.add_option("DIR", &options->folders, "output folders of runs and sweeps");
  command.add_option("--csv", &options->csv, "all figures, as CSV");
  command.set_action([options] { return compare(*options); });
}

const CommandRegistration compare_command({30, add_compare});

}  // namespace

}  // namespace sotto
