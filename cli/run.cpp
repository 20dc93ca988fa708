#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/scenario_options.h"
#include "core/algorithms/algorithms.h"
#include "core/experiment/key_folder.h"
#include "core/experiment/output.h"
#include "core/experiment/runner.h"

namespace sotto {

namespace {

std::atomic<bool> interrupt_requested{false};

extern "C" void on_interrupt(int) {
  interrupt_requested.store(true);
  std::signal(SIGINT, SIG_DFL);  // a second one ends the program at once
}

struct RunOptions {
  ScenarioOptions scenario;
  std::string out;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool strict = false;
  bool quiet = false;
};

std::string default_folder(const Experiment& experiment) {
  return (std::filesystem::path("runs") /
          fmt::format("{}-{}", experiment.main.name, experiment.hash().substr(0, 12)))
      .string();
}

/// Of the methods that have a stopping rule and were not told to run on.
int check_convergence(const Experiment& experiment, const std::vector<MethodSummary>& summary) {
  int code = done;
  for (std::size_t m = 0; m < summary.size(); ++m) {
    const AlgorithmSettings& a = experiment.methods[m].settings.algorithm;
    if (!a.stops || !find_algorithm(a.name)->has_stopping_rule || summary[m].limited == 0) continue;
    say(fmt::format("sotto: {} of {} trials of {} did not converge\n", summary[m].limited,
                    experiment.main.trials, summary[m].name));
    code = not_converged;
  }
  return code;
}

int run(const RunOptions& options) {
  std::signal(SIGINT, on_interrupt);
  const Experiment experiment = options.scenario.read();
  const OutputFolder folder(options.out.empty() ? default_folder(experiment) : options.out, experiment);
  if (const std::string keys = key_folder_path(); std::filesystem::is_directory(keys))
    experiment.schemes->use_store(std::make_shared<KeyFolder>(keys, false));
  const RunConditions conditions{options.threads, now_as_text()};

  Workers workers(options.threads);
  ExperimentResult result;
  {
    std::optional<ProgressLine> progress;
    if (!options.quiet) progress.emplace(experiment);
    result = run_experiment(workers, experiment, {&interrupt_requested, progress ? &*progress : nullptr});
  }
  if (result.interrupted) {
    say("sotto: interrupted; nothing was written\n");
    return interrupted;
  }
  folder.write(output_files(experiment, result.runs, conditions));
  const auto summary = summarize(experiment, result.runs);
  if (!options.quiet) print_report(experiment, summary, folder.path());
  return options.strict ? check_convergence(experiment, summary) : done;
}

}  // namespace

void add_run(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "run a scenario and write its trace");
  options->scenario.add_to(*command);
  command->add_option("--out", options->out,
                      "output folder; runs/<name>-<hash of the resolved scenario> by default");
  command->add_option("--threads", options->threads, "threads; results do not depend on it")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--strict", options->strict, "exit with 3 if a trial did not converge");
  command->add_flag("--quiet", options->quiet, "no progress, no table");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace sotto
