#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/crypto_bench.h"
#include "cli/say.h"
#include "cli/sum_bench.h"
#include "core/protocols/sum_options.h"

namespace sotto {

namespace {

struct BenchOptions {
  CryptoBenchSettings crypto;
  SumBenchSettings sums;
  std::string json;
  bool quiet = false;
};

/// Measures, prints the table and, where it was asked for, writes the figures: the file is opened before anything is measured.
template <class Measure, class Table, class Json>
int bench(const BenchOptions& options, Measure measure, Table table, Json json) {
  std::ofstream file;
  if (!options.json.empty()) {
    file.open(options.json);
    if (!file) throw RunError(options.json + ": cannot be written");
  }
  const auto rows = measure([&](const std::string& what) {
    if (!options.quiet) say(what + "\n");
  });
  fmt::print("{}", table(rows));
  if (options.json.empty()) return done;
  file << json(rows) << std::flush;
  if (!file) throw RunError(options.json + ": cannot be written");
  return done;
}

int crypto_bench(const BenchOptions& options) {
  for (const std::size_t bits : options.crypto.key_bits)
    if (bits < 128 || bits > 16384 || bits % 2 != 0)
      throw ScenarioError({fmt::format("--key-bits {}", bits), 0, 0}, "",
                          "must be even numbers from 128 to 16384");
  return bench(
      options, [&](const auto& told) { return bench_crypto(options.crypto, told); }, crypto_bench_table,
      crypto_bench_json);
}

int sum_bench(const BenchOptions& options) {
  return bench(
      options, [&](const auto& told) { return bench_sums(options.sums, told); }, sum_bench_table,
      sum_bench_json);
}

void add_sums(CLI::App& command, const std::shared_ptr<BenchOptions>& options, Command& chosen) {
  CLI::App* sums = command.add_subcommand(
      "sums", "secure sums and normalized secure sums: online and offline time, rounds, bytes");
  sums->add_option("--parties", options->sums.parties, "how many, 2,3,4,5 by default")
      ->delimiter(',')
      ->check(CLI::Range(2, 64));
  sums->add_option("--entries", options->sums.entries, "d, 100,1000,10000 by default")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000));
  sums->add_option("--output-bits", options->sums.output_bits, "f of the normalized sum")
      ->check(CLI::Range(4, 31));
  sums->add_option("--norm-bound-bits", options->sums.norm_bound_bits, "B: its norm is at least 2^-B")
      ->check(CLI::Range(1, 20));
  sums->add_option("--offline", options->sums.offline, "dealer,paillier,bfv; dealer by default")
      ->delimiter(',')
      ->check(CLI::IsMember(words_of<OfflinePhase>()));
  sums->add_option("--repetitions", options->sums.repetitions,
                   "figures are medians of so many; 1 without a dealer")
      ->check(CLI::Range(1, 1000));
  sums->add_option("--threads", options->sums.threads, "2 by default")->check(CLI::Range(1, 256));
  sums->add_option("--json", options->json, "write the figures to a file");
  sums->add_flag("--quiet", options->quiet, "the table alone");
  sums->callback([options, &chosen] { chosen = [options] { return sum_bench(*options); }; });
}

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
  crypto->callback([options, &chosen] { chosen = [options] { return crypto_bench(*options); }; });
  add_sums(*command, options, chosen);
}

const CommandRegistration registration({80, add_bench});

}  // namespace

}  // namespace sotto
