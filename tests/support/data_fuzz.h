// SPDX-License-Identifier: MIT
// Mutated data files: each loads, or is refused with a ScenarioError that names it, in bounded memory; nothing else happens.
#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "tests/support/data_files.h"
#include "tests/support/mutate.h"

namespace sotto::testing {

/// Address space may grow by so much and no more: what a lying header must not get. Not where a sanitizer maps terabytes.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    ::getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit now = before_;
    now.rlim_cur = pages * 4096 + bytes;
    ::setrlimit(RLIMIT_AS, &now);
#else
    static_cast<void>(bytes);
#endif
  }
  ~MemoryLimit() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    ::setrlimit(RLIMIT_AS, &before_);
#endif
  }
  MemoryLimit(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

struct FuzzCount {
  int loaded = 0;
  int refused = 0;
};

/// `inputs` mutations of one format's files.
inline FuzzCount fuzz_format(const std::vector<DataFile>& seeds, int inputs, std::uint64_t seed) {
  constexpr std::array<std::string_view, 14> tokens{
      "'shape': (",  "99999999999,", "%%MatrixMarket", "general",  "P5\n", ",",   "\n",
      "2147483647 ", "1 1 1\n",      "coordinate",     "1000000 ", "(",    "<f8", "\0\0\x08\3"};
  std::vector<std::string> others;
  for (const DataFile& f : seeds) others.push_back(f.bytes);
  RandomStream random({seed, 0, 0, "fuzz"});
  FuzzCount count;
  const MemoryLimit limit(rlim_t{256} << 20);
  for (int k = 0; k < inputs; ++k) {
    const DataFile& from = seeds[static_cast<std::size_t>(k) % seeds.size()];
    const DataFile broken{from.name, mutate(from.bytes, random, tokens, others)};
    try {
      const FileData data = load(broken, {k % 3 == 0, {}});
      bool finite = true;
      data.samples.each([&](Index, Index, double v) { finite = finite && std::isfinite(v); });
      if (!finite) FAIL("numbers that are not finite from " << broken.bytes);
      ++count.loaded;
    } catch (const ScenarioError& e) {
      if (std::string(e.what()).find(from.name) == std::string::npos) FAIL("no file in: " << e.what());
      ++count.refused;
    }
  }
  return count;
}

}  // namespace sotto::testing
