// SPDX-License-Identifier: MIT
// The command line as a command sees it: what it takes, and what it does. command_line.cpp alone knows the library that
// parses (CLI11): its header takes longer to compile than any command.
// Tests: tests/cli/bad_input.sh, tests/cli/completion.sh
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace sotto {

enum ExitCode { done = 0, failed = 1, bad_input = 2, not_converged = 3, part_failed = 4, interrupted = 130 };

/// What a command does; returns the exit code.
using Action = std::function<int()>;

/// Where the value of an option goes. A bool is a flag; the entries of a list stand between commas.
using OptionValue =
    std::variant<bool*, int*, std::int64_t*, std::uint64_t*, std::string*, std::optional<std::uint64_t>*,
                 std::optional<std::string>*, std::vector<std::uint64_t>*, std::vector<std::string>*>;

struct Limits {
  int smallest;
  int largest;
};

struct OptionRules {
  std::optional<Limits> limits{};      ///< of a number
  std::vector<std::string> allowed{};  ///< words; empty: any
  bool required = false;
  std::string repeated_as{};  ///< a list given one at a time, each as this says: SETTING=VALUE
  std::string needs{};        ///< another option, without which this one is refused
  std::string excludes{};     ///< another option, with which this one is refused
};

/// What help, completion and the man page say of an option.
struct OptionFacts {
  std::string name;   ///< "--set"; empty: a word without dashes
  std::string value;  ///< what it takes; empty: nothing
  std::string help;
};

/// A command, or a group of commands, of a program. A copy means the same command.
class CommandLine {
 public:
  CommandLine(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}

  /// A command of this one, which then does nothing by itself.
  CommandLine add_command(const std::string& name, const std::string& help) const;

  /// `name`: --option, or the NAME of a word without dashes, which must then be there. The value is written while the
  /// program parses its line.
  void add_option(const std::string& name, OptionValue value, const std::string& help,
                  const OptionRules& rules = {}) const;
  void set_action(Action action) const;

  std::string name() const;
  std::string help() const;
  std::vector<CommandLine> commands() const;
  std::vector<OptionFacts> options() const;

 private:
  CLI::App* app_;
  Action* chosen_;
};

class Program {
 public:
  Program(const std::string& help, const std::string& version);
  ~Program();

  CommandLine commands() { return {*app_, chosen_}; }

  /// What the line asks for. Empty where help was printed, or what is wrong with the line: the program then ends with
  /// `code`.
  Action parse(int argc, char** argv, int& code);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

}  // namespace sotto
