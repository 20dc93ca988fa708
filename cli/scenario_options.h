// SPDX-License-Identifier: MIT
// What every command that reads a scenario has in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/experiment/experiment.h"

namespace sotto {

/// What --set said, in order.
inline std::vector<Assignment> assignments(const std::vector<std::string>& sets) {
  std::vector<Assignment> settings;
  for (const std::string& text : sets) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw ScenarioError({"--set " + text, 0, 0}, "", "must be SETTING=VALUE, as in algorithm.rank=7");
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

struct ScenarioOptions {
  std::string path;
  std::vector<std::string> sets;
  std::optional<std::string> seed, trials;

  void add_to(const CommandLine& command) {
    command.add_option("SCENARIO", &path, "scenario file (TOML)");
    command.add_option("--set", &sets, "override a setting: --set algorithm.rank=7 (repeatable)",
                       {.repeated_as = "SETTING=VALUE"});
    command.add_option("--seed", &seed, "the same as --set seed=...");
    command.add_option("--trials", &trials, "the same as --set trials=...");
  }

  ScenarioFile read_file() const {
    std::vector<Assignment> settings = assignments(sets);
    if (seed) settings.emplace_back("seed", *seed);
    if (trials) settings.emplace_back("trials", *trials);
    return ScenarioFile::read(path, settings);
  }
  Experiment read() const { return read_file().experiment(); }
};

}  // namespace sotto
