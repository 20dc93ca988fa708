// The subcommands of `sotto`, one file each. Each adds its options to the program and leaves behind what to
// do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace sotto {

/// Set by the subcommand that was given; returns the exit code.
using Command = std::function<int()>;

void add_run(CLI::App& app, Command& chosen);
void add_sweep(CLI::App& app, Command& chosen);
void add_compare(CLI::App& app, Command& chosen);
void add_validate(CLI::App& app, Command& chosen);
void add_topo(CLI::App& app, Command& chosen);
void add_retime(CLI::App& app, Command& chosen);
void add_keys(CLI::App& app, Command& chosen);
void add_bench(CLI::App& app, Command& chosen);
void add_info(CLI::App& app, Command& chosen);
void add_completion(CLI::App& app, Command& chosen);

enum ExitCode { done = 0, failed = 1, bad_input = 2, not_converged = 3, part_failed = 4, interrupted = 130 };

}  // namespace sotto
