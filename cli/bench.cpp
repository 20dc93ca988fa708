#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "core/experiment/crypto_bench.h"

namespace sotto {

namespace {

struct BenchOptions {
  CryptoBenchSettings crypto;
  std::string json;
  bool quiet = false;
};

int bench(const BenchOptions& options) {
  for (const std::size_t bits : options.crypto.key_bits)
    if (bits < 128 || bits > 16384 || bits % 2 != 0)
      throw ScenarioError({fmt::format("--key-bits {}", bits), 0, 0}, "",
                          "must be even numbers from 128 to 16384");
  std::ofstream file;
  if (!options.json.empty()) {
    file.open(options.json);
    if (!file) throw RunError(options.json + ": cannot be written");
  }
  const auto rows = bench_crypto(options.crypto, [&](const std::string& what) {
    if (!options.quiet) say(what + "\n");
  });
  fmt::print("{}", crypto_bench_table(rows));
  if (options.json.empty()) return done;
  file << crypto_bench_json(rows) << std::flush;
  if (!file) throw RunError(options.json + ": cannot be written");
  return done;
}

}  // namespace

void add_bench(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "measure what things cost");
  CLI::App* crypto =
      command->add_subcommand("crypto", "every scheme, per operation and per exchange, against the textbook");
  command->require_subcommand(1);
  crypto->add_option("--key-bits", options->crypto.key_bits, "key sizes, 2048 by default (128 to 16384)")
      ->delimiter(',');
  crypto->add_option("--value-bits", options->crypto.value_bits, "a: bits of the values exchanged")
      ->check(CLI::Range(1, 60));
  crypto->add_option("--factor-bits", options->crypto.factor_bits, "gamma: bits of a factor")
      ->check(CLI::Range(1, 40));
  crypto
      ->add_option("--entries", options->crypto.entries,
                   "of a message; by default as many as fill some ciphertexts")
      ->check(CLI::Range(1, 1'000'000));
  crypto->add_option("--repetitions", options->crypto.repetitions, "figures are medians of so many")
      ->check(CLI::Range(1, 1000));
  crypto->add_option("--json", options->json, "write the figures to a file");
  crypto->add_flag("--quiet", options->quiet, "the table alone");
  crypto->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace sotto
