// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <thread>

#include "cli/commands.h"
#include "cli/setting_rows.h"
#include "core/algorithms/kinds.h"
#include "core/experiment/settings.h"
#include "core/experiment/versions.h"
#include "crypto/paillier/square_ring.h"
#include "crypto/schemes.h"
#include "crypto/seal/engine.h"
#include "network/topology/generators.h"

namespace sotto {

namespace {

std::string names(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string seal_versions() {
  std::string text =
      has_native_seal() ? seal_engine(SealChoice::native)->version() + "; " : "not compiled in; ";
  try {
    return text + seal_engine(SealChoice::node)->version();
  } catch (const Error& e) {
    const std::string why = e.what();
    return text + "not in Node.js: " + why.substr(0, why.find('\n'));
  }
}

void print_versions() {
  fmt::print("sotto {} ({})\n", sotto_version(), sotto_commit());
  for (const auto& [name, version] : library_versions()) fmt::print("  {:<14} {}\n", name, version);
  fmt::print("threads     {}\nalgorithms  {}\nschemes     {}\ngenerators  {}\n",
             std::thread::hardware_concurrency(), names(names_of(algorithms())), names(names_of(schemes())),
             names(names_of(generators())));
  fmt::print("arithmetic  {} (modulo n^2, at 2048 bits)\n", best_kernel(2048).name);
  fmt::print("SEAL        {}\n", seal_versions());
}

void add_info(const CommandLine& program) {
  auto settings_only = std::make_shared<bool>(false);
  const CommandLine command = program.add_command("info", "versions, and what can be named in a scenario");
  command.add_option("--settings,--keys", settings_only.get(),
                     "every setting of a scenario file, as a table (--keys: the same)");
  command.set_action([settings_only]() -> int {
    if (*settings_only)
      fmt::print("{}", setting_rows(scenario_settings().all()));
    else
      print_versions();
    return done;
  });
}

const CommandRegistration info_command({90, add_info});

}  // namespace

}  // namespace sotto
