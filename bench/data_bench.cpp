// SPDX-License-Identifier: MIT
// A large docword file: 10^6 documents, 10^4 words, 10^7 entries. Bars (see bench/check.py): it loads at 100 MB/s or more,
// and needs at most three times its sparse size in memory while it does.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/random_stream.h"
#include "core/data/formats.h"

namespace {

using namespace sotto;

constexpr std::uint64_t documents = 1'000'000;
constexpr std::uint64_t words = 10'000;
constexpr std::uint64_t entries = 10'000'000;

/// Ten words a document, in order, as UCI's files have them; or document numbers scattered.
std::string write_file(bool in_order) {
  std::string path = (std::filesystem::temp_directory_path() / "sotto-docword-XXXXXX").string();
  std::FILE* file = ::fdopen(::mkstemp(path.data()), "wb");
  if (file == nullptr) throw RunError("no temporary file");
  RandomStream random({1, 0, 0, "docword"});
  fmt::print(file, "{}\n{}\n{}\n", documents, words, entries);
  constexpr std::uint64_t each = entries / documents;
  for (std::uint64_t k = 0; k < documents; ++k) {
    const std::uint64_t d = in_order ? k : k * 7919 % documents;
    for (std::uint64_t e = 0; e < each; ++e)
      fmt::print(file, "{} {} {}\n", d + 1, e * (words / each) + random.below(words / each) + 1,
                 1 + random.below(20));
  }
  std::fclose(file);
  return path;
}

double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  return 0;
}

void load_docword(benchmark::State& state) {
  const std::string path = write_file(state.range(0) == 1);
  for (auto _ : state) {
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak is measured from here
    const double before = status_bytes("VmRSS");
    const auto started = std::chrono::steady_clock::now();
    FileSource source(path, "docword");
    const FileData data = read_data(source, "docword", {});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double sparse =
        12.0 * static_cast<double>(data.samples.stored()) + 4.0 * static_cast<double>(documents + 1);
    state.counters["MB_per_second"] = static_cast<double>(source.size()) / 1e6 / seconds;
    state.counters["memory_over_sparse"] = (status_bytes("VmHWM") - before) / sparse;
  }
  std::filesystem::remove(path);
}
BENCHMARK(load_docword)
    ->Arg(1)
    ->Arg(0)
    ->Iterations(1)
    ->Repetitions(5)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

}  // namespace
