// SPDX-License-Identifier: MIT
// sotto: parties on a graph factorize a matrix together without showing each other their data.
// Errors of commands become one line on stderr and an exit code here.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "core/experiment/versions.h"

int main(int argc, char** argv) {
  using namespace sotto;
  try {
    Program program("Sotto: privacy-preserving decentralized matrix factorization, simulated.",
                    fmt::format("sotto {} ({})", sotto_version(), sotto_commit()));
    auto commands = CommandRegistration::entries();
    std::sort(commands.begin(), commands.end(),
              [](const CommandEntry& a, const CommandEntry& b) { return a.place < b.place; });
    for (const CommandEntry& command : commands) command.add(program.commands());
    int code = done;
    if (const Action action = program.parse(argc, argv, code)) code = action();
    if (std::fflush(stdout) == 0) return code;
    say("sotto: cannot write to standard output\n");
    return failed;
  } catch (const ScenarioError& e) {
    say(fmt::format("sotto: {}\n", e.what()));
    return bad_input;
  } catch (const std::bad_alloc&) {
    say("sotto: out of memory\n");
    return failed;
  } catch (const std::exception& e) {
    say(fmt::format("sotto: {}\n", e.what()));
    return failed;
  }
}
