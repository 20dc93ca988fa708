// The subcommands of `sotto`, one file each: a command adds its options to the program, leaves behind what to do, and
// registers itself. Help, completion and man page come from what was registered.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

namespace sotto {

/// Set by the subcommand that was given; returns the exit code.
using Command = std::function<int()>;

struct CommandEntry {
  int place;  ///< in the list of commands: the smallest first
  void (*add)(CLI::App& app, Command& chosen);
};

/// A static one of these, in a command's file, adds it to the program.
class CommandRegistration {
 public:
  explicit CommandRegistration(const CommandEntry& entry) { entries().push_back(entry); }

  static std::vector<CommandEntry>& entries() {
    static std::vector<CommandEntry> all;
    return all;
  }
};

enum ExitCode { done = 0, failed = 1, bad_input = 2, not_converged = 3, part_failed = 4, interrupted = 130 };

}  // namespace sotto
