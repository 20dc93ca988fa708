// SPDX-License-Identifier: MIT
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

void add_crypto(const CommandLine& bench, const std::shared_ptr<BenchOptions>& options) {
  const CommandLine command =
      bench.add_command("crypto", "every scheme, per operation and per exchange, against the textbook");
  CryptoBenchSettings& crypto = options->crypto;
  command.add_option("--key-bits", &crypto.key_bits, "key sizes, 2048 by default (128 to 16384)");
  command.add_option("--value-bits", &crypto.value_bits, "a: bits of the values exchanged",
                     {.limits = Limits{1, 60}});
  command.add_option("--factor-bits", &crypto.factor_bits, "gamma: bits of a factor",
                     {.limits = Limits{1, 40}});
  command.add_option("--entries", &crypto.entries,
                     "of a message; by default as many as fill some ciphertexts",
                     {.limits = Limits{1, 1'000'000}});
  command.add_option("--repetitions", &crypto.repetitions, "figures are medians of so many",
                     {.limits = Limits{1, 1000}});
  command.add_option("--json", &options->json, "write the figures to a file");
  command.add_option("--quiet", &options->quiet, "the table alone");
  command.set_action([options] { return crypto_bench(*options); });
}

void add_sums(const CommandLine& bench, const std::shared_ptr<BenchOptions>& options) {
  const CommandLine command = bench.add_command(
      "sums", "secure sums and normalized secure sums: online and offline time, rounds, bytes");
  SumBenchSettings& sums = options->sums;
  command.add_option("--parties", &sums.parties, "how many, 2,3,4,5 by default", {.limits = Limits{2, 64}});
  command.add_option("--entries", &sums.entries, "d, 100,1000,10000 by default",
                     {.limits = Limits{1, 1'000'000}});
  command.add_option("--output-bits", &sums.output_bits, "f of the normalized sum",
                     {.limits = Limits{4, 31}});
  command.add_option("--norm-bound-bits", &sums.norm_bound_bits, "B: its norm is at least 2^-B",
                     {.limits = Limits{1, 20}});
  command.add_option("--offline", &sums.offline, "dealer,paillier,bfv; dealer by default",
                     {.allowed = words_of<OfflinePhase>()});
  command.add_option("--repetitions", &sums.repetitions, "figures are medians of so many; 1 without a dealer",
                     {.limits = Limits{1, 1000}});
  command.add_option("--threads", &sums.threads, "2 by default", {.limits = Limits{1, 256}});
  command.add_option("--json", &options->json, "write the figures to a file");
  command.add_option("--quiet", &options->quiet, "the table alone");
  command.set_action([options] { return sum_bench(*options); });
}

void add_bench(const CommandLine& program) {
  const CommandLine bench = program.add_command("bench", "measure what things cost");
  auto options = std::make_shared<BenchOptions>();
  add_crypto(bench, options);
  add_sums(bench, options);
}

const CommandRegistration bench_command({80, add_bench});

}  // namespace

}  // namespace sotto
