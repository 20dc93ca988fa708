#include <fmt/format.h>

#include <thread>

#include "cli/commands.h"
#include "core/algorithms/algorithms.h"
#include "core/experiment/keys.h"
#include "core/experiment/versions.h"
#include "crypto/paillier/square_ring.h"
#include "crypto/schemes.h"
#include "crypto/seal/engine.h"
#include "network/topology/generators.h"

namespace sotto {

namespace {

template <class Entries>
std::string names(const Entries& entries) {
  std::string text;
  for (const auto& entry : entries) text += (text.empty() ? "" : ", ") + std::string(entry.name);
  return text;
}

/// The README's list of keys, so that it cannot differ from the program's.
void print_keys() {
  const Scenario defaults;
  fmt::print("| key | allowed | default | meaning |\n|---|---|---|---|\n");
  for (const Key& key : keys()) {
    const auto value = key.write(defaults);
    const std::string text = key.path == "name" || !value ? "" : "`" + toml_text(*value) + "`";
    fmt::print("| `{}` | {} | {} | {} |\n", key.path, key.allowed, text, key.help);
  }
}

std::string seal_versions() {
  std::string text = has_native_seal() ? seal_engine("native")->version() + "; " : "not compiled in; ";
  try {
    return text + seal_engine("node")->version();
  } catch (const Error& e) {
    const std::string why = e.what();
    return text + "not in Node.js: " + why.substr(0, why.find('\n'));
  }
}

}  // namespace

void add_info(CLI::App& app, Command& chosen) {
  auto keys_only = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("info", "versions, and what can be named in a scenario");
  command->add_flag("--keys", *keys_only, "every key of a scenario file, as a table");
  command->callback([keys_only, &chosen] {
    chosen = [keys_only]() -> int {
      if (*keys_only) {
        print_keys();
        return done;
      }
      fmt::print("sotto {} ({})\n", sotto_version(), sotto_commit());
      for (const auto& [name, version] : library_versions()) fmt::print("  {:<14} {}\n", name, version);
      fmt::print("threads     {}\nalgorithms  {}\nschemes     {}\ngenerators  {}\n",
                 std::thread::hardware_concurrency(), names(algorithms()), names(schemes()),
                 names(generators()));
      fmt::print("arithmetic  {} (modulo n^2, at 2048 bits)\n", best_kernel(2048).name);
      fmt::print("SEAL        {}\n", seal_versions());
      return done;
    };
  });
}

}  // namespace sotto
