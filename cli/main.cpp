// sotto: parties on a graph factorize a matrix together without showing each other their data.
// The only place that catches: errors become one line on stderr and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "core/experiment/versions.h"

int main(int argc, char** argv) {
  CLI::App app{"Sotto: privacy-preserving decentralized matrix factorization, simulated."};
  app.set_version_flag("--version",
                       fmt::format("sotto {} ({})", sotto::sotto_version(), sotto::sotto_commit()));
  app.require_subcommand(1);
  sotto::Command chosen;
  auto commands = sotto::CommandRegistration::entries();
  std::sort(commands.begin(), commands.end(),
            [](const sotto::CommandEntry& a, const sotto::CommandEntry& b) { return a.place < b.place; });
  for (const sotto::CommandEntry& command : commands) command.add(app, chosen);
  try {
    const auto called = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(called).empty()) {
      sotto::say(fmt::format("sotto: there is no command '{}': see sotto --help\n", argv[1]));
      return sotto::bad_input;
    }
    app.parse(argc, argv);
    const int code = chosen();
    if (std::fflush(stdout) == 0) return code;
    sotto::say("sotto: cannot write to standard output\n");
    return sotto::failed;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? sotto::done : sotto::bad_input;
  } catch (const sotto::ScenarioError& e) {
    sotto::say(fmt::format("sotto: {}\n", e.what()));
    return sotto::bad_input;
  } catch (const std::bad_alloc&) {
    sotto::say("sotto: out of memory\n");
    return sotto::failed;
  } catch (const std::exception& e) {
    sotto::say(fmt::format("sotto: {}\n", e.what()));
    return sotto::failed;
  }
}
