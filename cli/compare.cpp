#include <fmt/format.h>

#include "cli/commands.h"
#include "core/results/comparison.h"
#include "core/sweep/finished_runs.h"

namespace sotto {

namespace {

struct Options {
  std::vector<std::string> folders;
  bool csv = false;
};

int compare(const Options& options) {
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

void add_compare(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "finished runs side by side: figures, costs, and what their scenarios differ in");
  command->add_option("DIR", options->folders, "output folders of runs and sweeps")->required();
  command->add_flag("--csv", options->csv, "all figures, as CSV");
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

const CommandRegistration registration({30, add_compare});

}  // namespace

}  // namespace sotto
