// SPDX-License-Identifier: MIT
#include "core/results/retime.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/scenario_options.h"
#include "core/results/output.h"

namespace sotto {

namespace {

struct RetimeOptions {
  std::string folder;
  std::vector<std::string> sets;
  std::string out;
  bool quiet = false;
};

/// Beside the run.
std::string default_folder(const std::string& folder, const Experiment& experiment) {
  std::filesystem::path run = std::filesystem::path(folder).lexically_normal();
  if (!run.has_filename()) run = run.parent_path();  // a slash at the end
  if (run.empty() || run.filename() == "." || run.filename() == "..")
    run = std::filesystem::canonical(folder);
  return fmt::format("{}-retimed-{}", run.string(), experiment.hash().substr(0, 12));
}

int retime(const RetimeOptions& options) {
  const RunConditions conditions{1, now_as_text()};
  const FinishedRun run = read_finished_run(options.folder, assignments(options.sets));
  const Experiment& experiment = run.experiment;
  OutputFolder folder(options.out.empty() ? default_folder(options.folder, experiment) : options.out,
                      experiment);
  const std::vector<MethodResult> results = sotto::retime(run);
  folder.write(output_files(experiment, results, conditions));
  if (!options.quiet) say_unused(unused_settings(run, assignments(options.sets)));
  if (!options.quiet) print_report(experiment, summarize(experiment, results), folder.path());
  return done;
}

void add_retime(const CommandLine& program) {
  auto options = std::make_shared<RetimeOptions>();
  const CommandLine command =
      program.add_command("retime", "time a finished run again, on other links or at other costs");
  command.add_option("DIR", &options->folder, "output folder of a run");
  command.add_option("--set", &options->sets,
                     "a setting of link or cost: --set link.latency_ms=50 (repeatable)",
                     {.repeated_as = "SETTING=VALUE"});
  command.add_option("--out", &options->out,
                     "output folder; DIR-retimed-<hash of the new scenario> by default");
  command.add_option("--quiet", &options->quiet, "no table");
  command.set_action([options] { return retime(*options); });
}

const CommandRegistration retime_command({60, add_retime});

}  // namespace

}  // namespace sotto
