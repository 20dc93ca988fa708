// sotto: parties on a graph factorise a matrix together without showing each other their data.
// The only place that catches: errors become one line on stderr and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "base/error.h"
#include "cli/commands.h"
#include "core/experiment/versions.h"

int main(int argc, char** argv) {
  CLI::App app{"Sotto: privacy-preserving decentralised matrix factorisation, simulated."};
  app.set_version_flag("--version", "sotto " + sotto::sotto_version());
  app.require_subcommand(1);
  sotto::Command chosen;
  sotto::add_run(app, chosen);
  sotto::add_validate(app, chosen);
  sotto::add_topo(app, chosen);
  sotto::add_info(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? sotto::done : sotto::bad_input;
  } catch (const sotto::ScenarioError& e) {
    fmt::print(stderr, "sotto: {}\n", e.what());
    return sotto::bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sotto: out of memory\n");
    return sotto::failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "sotto: {}\n", e.what());
    return sotto::failed;
  }
}
