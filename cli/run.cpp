// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/scenario_options.h"
#include "core/experiment/runner.h"
#include "core/results/output.h"
#include "crypto/key_cache.h"
#include "crypto/key_folder.h"

namespace sotto {

namespace {

struct RunCommandOptions {
  ScenarioOptions scenario;
  std::string out;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool resume = false;
  bool strict = false;
  bool quiet = false;
};

std::string default_folder(const Experiment& experiment) {
  return (std::filesystem::path("runs") /
          fmt::format("{}-{}", experiment.run().name, experiment.hash().substr(0, 12)))
      .string();
}

/// Of the methods that have a stopping rule and were not told to run on. `limited`: trials that reached their limit, by
/// method.
int check_convergence(const Experiment& experiment, const std::vector<std::size_t>& limited) {
  int code = done;
  for (std::size_t m = 0; m < limited.size(); ++m) {
    if (!expects_convergence(experiment.methods[m].options) || limited[m] == 0) continue;
    say(fmt::format("sotto: {} of {} trials of {} did not converge\n", limited[m], experiment.trials(),
                    experiment.methods[m].name));
    code = not_converged;
  }
  return code;
}

/// What an earlier run left in the folder is gone on from, or never touched.
void check_resume(const RunCommandOptions& options, const Experiment& experiment,
                  const CheckpointFolder& kept) {
  const SourcePlace place{kept.path(), 0, 0};
  if (options.resume && !experiment.run().seeded())
    throw ScenarioError({"--resume", 0, 0}, "entropy",
                        "is \"os\": a run whose keys come from the system cannot go on");
  if (!options.resume && !kept.empty())
    throw ScenarioError(place, "",
                        "a run that is not finished was kept here: go on with --resume, or delete this "
                        "folder to start over");
}

int run(const RunCommandOptions& options) {
  catch_interrupts();
  const ScenarioFile file = options.scenario.read_file();
  if (!file.axes().empty() && !options.quiet)
    say(fmt::format("sotto: {} has a [sweep]: this runs the scenario without it\n", options.scenario.path));
  const Experiment experiment = file.experiment();
  if (!options.quiet) say_unused(file.unused(Sweeping::no));
  OutputFolder folder(options.out.empty() ? default_folder(experiment) : options.out, experiment);
  const CheckpointFolder checkpoints(folder.checkpoint_path(), experiment.hash());
  check_resume(options, experiment, checkpoints);
  if (options.resume && folder.complete() && checkpoints.empty()) {
    if (!options.quiet) fmt::print("{}: complete already\n", folder.path());
    return options.strict ? check_convergence(experiment, folder.limited(experiment)) : done;
  }
  if (const std::string keys = key_folder_path(); std::filesystem::is_directory(keys))
    experiment.schemes->use_store(std::make_shared<KeyCache>(std::make_shared<KeyFolder>(keys, false)));
  const RunConditions conditions{options.threads, now_as_text()};
  if (experiment.output().checkpoint_every > 0) folder.claim(experiment);

  ProcessRuntime runtime(options.threads);
  ExperimentResult result;
  {
    std::optional<ProgressLine> progress;
    if (!options.quiet) progress.emplace(experiment);
    result = run_experiment(runtime, experiment,
                            {&interrupt_requested, progress ? &*progress : nullptr,
                             experiment.run().seeded() ? &checkpoints : nullptr});
  }
  if (result.interrupted) {
    if (!checkpoints.empty()) folder.claim(experiment);
    say(checkpoints.empty()
            ? "sotto: interrupted; nothing was written\n"
            : fmt::format("sotto: interrupted; saved in {}: the same command with --resume goes on\n",
                          folder.path()));
    return interrupted;
  }
  folder.write(output_files(experiment, result.runs, conditions));
  checkpoints.remove();
  const auto summary = summarize(experiment, result.runs);
  if (!options.quiet) print_report(experiment, summary, folder.path());
  std::vector<std::size_t> limited;
  for (const MethodSummary& m : summary) limited.push_back(m.limited);
  return options.strict ? check_convergence(experiment, limited) : done;
}

void add_run(const CommandLine& program) {
  auto options = std::make_shared<RunCommandOptions>();
  const CommandLine command = program.add_command("run", "run a scenario and write its trace");
  options->scenario.add_to(command);
  command.add_option("--out", &options->out,
                     "output folder; runs/<name>-<hash of the resolved scenario> by default");
  command.add_option("--threads", &options->threads, "threads; results do not depend on it",
                     {.limits = Limits{1, 1024}});
  command.add_option("--resume", &options->resume,
                     "go on from the last boundary that an interrupted run was saved at");
  command.add_option("--strict", &options->strict, "exit with 3 if a trial did not converge");
  command.add_option("--quiet", &options->quiet, "no progress, no table");
  command.set_action([options] { return run(*options); });
}

const CommandRegistration run_command({10, add_run});

}  // namespace

}  // namespace sotto
