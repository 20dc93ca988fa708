// SPDX-License-Identifier: MIT
// What documents, man page and completion say of the program as a whole.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

#include "cli/command_line.h"

namespace sotto {

struct ExitFact {
  ExitCode code;
  const char* meaning;
};
inline constexpr ExitFact exit_facts[] = {
    {done, "done"},
    {failed, "failed while running"},
    {bad_input, "usage or scenario error: nothing was written"},
    {not_converged, "did not converge, with --strict"},
    {part_failed, "part of a sweep failed"},
    {interrupted, "interrupted, after what was running had been saved"},
};

struct EnvironmentFact {
  const char* name;
  const char* meaning;
};
inline constexpr EnvironmentFact environment_facts[] = {
    {"SOTTO_DATA", "a folder in which data files are looked for, after the scenario's own"},
    {"SOTTO_KEYS", "a folder in which seeded keys are kept between runs"},
    {"SOTTO_KERNEL",
     "avx512-ifma, avx2 or gmp: the arithmetic of encrypted runs; results do not depend on it"},
    {"SOTTO_SEAL_WORKER",
     "the script that runs SEAL in Node.js, instead of the one that came with the program"},
};

/// Visits "run", "keys generate": every command that does something.
inline void each_command(const CommandLine& program,
                         const std::function<void(const std::string& name, const CommandLine&)>& visit,
                         const std::string& before = "") {
  for (const CommandLine& command : program.commands()) {
    const std::string name = before + command.name();
    if (command.commands().empty()) visit(name, command);
    each_command(command, visit, name + " ");
  }
}

/// The words without dashes that a command takes, each behind a blank.
inline std::string words_of(const CommandLine& command) {
  std::string words;
  for (const OptionFacts& o : command.options())
    if (o.name.empty()) words += " " + o.value;
  return words;
}

}  // namespace sotto
