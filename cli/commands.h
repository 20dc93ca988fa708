// SPDX-License-Identifier: MIT
// The subcommands of `sotto`, one file each: a command adds itself with its options to the program, and registers that.
// Help, completion and man page come from what was registered.
#pragma once

#include <vector>

#include "cli/command_line.h"

namespace sotto {

struct CommandEntry {
  int place;  ///< in the list of commands: the smallest first
  void (*add)(const CommandLine& program);
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

}  // namespace sotto
