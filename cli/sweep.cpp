// SPDX-License-Identifier: MIT
#include "core/sweep/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/commands.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/scenario_options.h"
#include "core/experiment/estimate.h"
#include "core/results/comparison.h"
#include "crypto/key_folder.h"

namespace sotto {

namespace {

struct SweepCommandOptions {
  ScenarioOptions scenario;
  std::string out;
  int jobs = 0;  // 0: as many as there are processors
  int threads = 1;
  bool resume = false;
  bool dry_run = false;
  bool keep_going = false;
  bool fail_fast = false;
  bool strict = false;
  bool quiet = false;
};

constexpr std::size_t rows_shown = 60;

int default_jobs(int threads) {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / threads);
}

std::string default_folder(const ScenarioFile& file) {
  return (std::filesystem::path("runs") / fmt::format("{}-{}", file.name(), sweep_hash(file).substr(0, 12)))
      .string();
}

/// A line that rewrites itself on a terminal, else one every few seconds.
class ProgressOfSweep {
 public:
  ProgressOfSweep() : terminal_(::isatty(STDERR_FILENO) == 1), started_(Clock::now()), shown_(started_) {}
  ~ProgressOfSweep() {
    if (terminal_ && any_) say("\r\033[K");
  }

  void operator()(const SweepProgress& progress) {
    const auto now = Clock::now();
    if (now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5))) return;
    shown_ = now;
    any_ = true;
    const SweepState::Counts& counts = progress.counts;
    const double elapsed = std::chrono::duration<double>(now - started_).count();
    const double left = elapsed * (1 - progress.share) / std::max(1e-6, progress.share);
    say(fmt::format("{}{} of {} points done{}; about {} left{}", terminal_ ? "\r\033[K" : "", counts.done,
                    counts.points, counts.failed > 0 ? fmt::format(", {} failed", counts.failed) : "",
                    duration_text(std::max(0.0, left)), terminal_ ? "" : "\n"));
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool any_ = false;
  Clock::time_point started_;
  Clock::time_point shown_;
};

SweepState look_at_state(const std::string& folder) {
  return SweepState((std::filesystem::path(folder) / "state.sqlite").string(), SweepState::Access::look);
}

/// Points by their axes.
void print_results(const ScenarioFile& file, const std::string& folder, const SweepOutcome& outcome) {
  const SweepAxes& axes = file.sweep();
  std::vector<ComparedRun> rows;
  std::uint64_t methods = 0;
  look_at_state(folder).each([&](const PointRecord& p) {
    if (p.state != PointState::done || methods >= rows_shown) return;
    ComparedRun& row = rows.emplace_back();
    row.name = fmt::format("{}", p.point);
    const auto values = axes.point(p.point);
    for (std::size_t a = 0; a < values.size(); ++a)
      row.settings.emplace_back(axes.axes()[a].path, values[a]->text(axes.axes()[a].path));
    row.methods = methods_of((std::filesystem::path(folder) / "points" / p.hash / "summary.json").string());
    methods += row.methods.size();
  });
  fmt::print("{}: {} of {} points\n\n", file.name(), outcome.counts.done, outcome.counts.points);
  if (!rows.empty()) fmt::print("{}", comparison_table(rows, rows_shown));
  if (rows.size() < outcome.counts.done)
    fmt::print("... and {} points more\n", outcome.counts.done - rows.size());
  fmt::print("\nwritten to {}\n", folder);
}

void say_failures(const ScenarioFile& file, const std::string& folder) {
  constexpr int shown = 10;
  int count = 0;
  look_at_state(folder).each([&](const PointRecord& p) {
    if (p.state != PointState::failed) return;
    if (++count <= shown)
      say(fmt::format("sotto: point {} ({}) failed: {}\n", p.point, file.sweep().describe(p.point), p.error));
  });
  if (count > shown) say(fmt::format("sotto: and {} points more: see summary.json\n", count - shown));
}

int exit_code(const SweepCommandOptions& options, const SweepOutcome& outcome) {
  if (outcome.counts.failed > 0) return part_failed;
  if (!options.strict || outcome.counts.not_converged == 0) return done;
  say(fmt::format("sotto: {} runs did not converge\n", outcome.counts.not_converged));
  return not_converged;
}

std::string megabytes(double bytes) {
  return fmt::format("{:.0f} MB", std::ceil(bytes / 1e6));
}

/// What would be run, without running it.
int dry_run(const SweepCommandOptions& options, const ScenarioFile& file, int jobs) {
  const SweepAxes& axes = file.sweep();
  DatasetCache data;
  double seconds = 0;
  double longest = 0;
  double bytes = 0;
  std::size_t invalid = 0;
  const auto show = [&](const PointRecord& point, const Experiment* experiment) {
    if (experiment == nullptr) {
      ++invalid;
      fmt::print("{:>6}  {:>8}  {:>8}  {}: {}\n", point.point, "invalid", "", axes.describe(point.point),
                 point.error);
      return;
    }
    const Estimate e = estimate(*experiment, options.threads);
    seconds += e.seconds;
    longest = std::max(longest, e.seconds);
    bytes = std::max(bytes, e.bytes);
    fmt::print("{:>6}  {:>8}  {:>8}  {}\n", point.point, duration_text(e.seconds), megabytes(e.bytes),
               axes.describe(point.point));
  };
  fmt::print("{:>6}  {:>8}  {:>8}  {}\n", "point", "time", "memory", "settings");
  const SweepPlan plan = plan_sweep(file, data, show);
  fmt::print("\n{} points, {} of them invalid; about {} with {} at a time, up to {} of memory\n",
             plan.points.size(), invalid,
             duration_text(std::max(longest / options.threads, seconds / (jobs * options.threads))), jobs,
             megabytes(bytes * jobs));
  return invalid > 0 ? part_failed : done;
}

int sweep(const SweepCommandOptions& options) {
  catch_interrupts();
  const ScenarioFile file = options.scenario.read_file();
  file.sweep();
  if (!options.quiet) say_unused(file.unused(Sweeping::points));
  if (options.dry_run)
    return dry_run(options, file, options.jobs > 0 ? options.jobs : default_jobs(options.threads));
  const std::string folder = options.out.empty() ? default_folder(file) : options.out;
  SweepOptions sweep;
  sweep.threads = options.threads;
  sweep.jobs = options.jobs > 0 ? options.jobs : default_jobs(options.threads);
  sweep.resume = options.resume;
  sweep.fail_fast = options.fail_fast;
  sweep.started = now_as_text();
  sweep.interrupt = &interrupt_requested;
  if (const std::string keys = key_folder_path(); std::filesystem::is_directory(keys))
    sweep.keys = std::make_shared<KeyFolder>(keys, false);
  SweepOutcome outcome;
  {
    ProgressOfSweep progress;
    if (!options.quiet) sweep.told = [&](const SweepProgress& p) { progress(p); };
    outcome = run_sweep(file, folder, sweep);
  }
  say_failures(file, folder);
  if (!outcome.complete) {
    say(fmt::format("sotto: {}; {} of {} points done: the same command with --resume goes on\n",
                    interrupt_requested ? "interrupted" : "stopped at the first failure", outcome.counts.done,
                    outcome.counts.points));
    return interrupt_requested ? interrupted : part_failed;
  }
  if (!options.quiet) print_results(file, folder, outcome);
  return exit_code(options, outcome);
}

void add_sweep(const CommandLine& program) {
  auto options = std::make_shared<SweepCommandOptions>();
  const CommandLine command = program.add_command("sweep", "run every point of a scenario's [sweep]");
  options->scenario.add_to(command);
  command.add_option("--out", &options->out,
                     "output folder; runs/<name>-<hash of the resolved scenario> by default");
  command.add_option("--jobs", &options->jobs, "points at a time; as many as there are processors by default",
                     {.limits = Limits{1, 1024}});
  command.add_option("--threads", &options->threads, "threads of each point; 1 by default",
                     {.limits = Limits{1, 1024}});
  command.add_option("--resume", &options->resume, "go on with a sweep that was interrupted");
  command.add_option("--dry-run", &options->dry_run, "list the points, with an estimate of time and memory");
  command.add_option("--keep-going", &options->keep_going,
                     "a point that fails does not stop the others (the default)");
  command.add_option("--fail-fast", &options->fail_fast, "stop when a point fails",
                     {.excludes = "--keep-going"});
  command.add_option("--strict", &options->strict, "exit with 3 if a trial did not converge");
  command.add_option("--quiet", &options->quiet, "no progress, no table");
  command.set_action([options] { return sweep(*options); });
}

const CommandRegistration sweep_command({20, add_sweep});

}  // namespace

}  // namespace sotto
