// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/say.h"
#include "cli/scenario_options.h"

namespace sotto {

namespace {

std::string describe_data(const Experiment& e) {
  const DataShape& shape = e.shape;
  std::string text = fmt::format("data: {} samples of {} features, {} more held out", shape.samples,
                                 shape.features, shape.held_out);
  if (!e.data) return text + "; drawn in each trial";
  const Samples& all = e.data->samples;
  if (all.sparse())
    text += fmt::format("; sparse, {} entries ({:.2g} %)", all.stored(),
                        100 * static_cast<double>(all.stored()) /
                            (static_cast<double>(all.rows()) * static_cast<double>(all.cols())));
  if (e.data->image.known())
    text += fmt::format("; pictures of {} x {} pixels", e.data->image.width, e.data->image.height);
  if (!e.data->words.empty())
    text += fmt::format("; features {} ... {}", e.data->words.front(), e.data->words.back());
  return text;
}

struct ValidateOptions {
  ScenarioOptions scenario;
  bool resolved = false;
};

int validate(const ValidateOptions& options) {
  const ScenarioFile file = options.scenario.read_file();
  const Experiment experiment = file.experiment();
  if (options.resolved) {
    fmt::print("{}", experiment.resolved);
    return done;
  }
  std::vector<std::string> names;
  for (const Method& m : experiment.methods) names.push_back(m.name);
  fmt::print("{}: valid; {} agents, {} trial{}, methods {}\n", options.scenario.path, experiment.agents(),
             experiment.trials(), experiment.trials() == 1 ? "" : "s", fmt::join(names, ", "));
  fmt::print("{}\n", describe_data(experiment));
  if (!file.axes().empty()) {
    std::vector<std::string> axes;
    for (const SweepAxis& axis : file.axes().axes()) axes.push_back(axis.path);
    fmt::print("sweep: {} points over {}; sotto sweep --dry-run checks each\n", file.axes().points(),
               fmt::join(axes, ", "));
  }
  say_unused(file.unused(Sweeping::no));
  if (!file.axes().empty()) {
    std::vector<UnusedSetting> axes = file.unused(Sweeping::points);
    std::erase_if(axes, [](const UnusedSetting& setting) { return !setting.path.starts_with("sweep."); });
    say_unused(axes);
  }
  return done;
}

void add_validate(const CommandLine& program) {
  auto options = std::make_shared<ValidateOptions>();
  const CommandLine command = program.add_command("validate", "check a scenario without running it");
  options->scenario.add_to(command);
  command.add_option("--resolved", &options->resolved, "print every setting with the value in force");
  command.set_action([options] { return validate(*options); });
}

const CommandRegistration validate_command({40, add_validate});

}  // namespace

}  // namespace sotto
