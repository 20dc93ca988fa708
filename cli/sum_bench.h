// SPDX-License-Identifier: MIT
// What secure sums cost, measured: SECSUM and NORMEDSECSUM among parties who all know each other, in one process, on two
// threads unless told. The offline phase, which needs no data, apart from the online phase (Tsikhanovich et al. 2019, table 3). Medians of time on the
// clock per call; keys and seeds, made once, are counted nowhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sotto {

struct SumBenchSettings {
  std::vector<std::size_t> parties{2, 3, 4, 5};
  std::vector<std::size_t> entries{100, 1000, 10000};
  int output_bits = 20;  ///< f of the normalized sum
  int norm_bound_bits = 10;
  std::vector<std::string> offline{"dealer"};
  int repetitions = 5;
  int threads = 2;
  std::uint64_t seed = 1;
};

struct SumBenchRow {
  std::string protocol;  ///< edge-masks, shares (SECSUM), normed
  std::size_t parties = 0;
  std::size_t d = 0;
  int fraction_bits = 0;
  std::string offline;  ///< normed: dealer, paillier, bfv; else none
  double online_seconds = 0;
  double offline_seconds = 0;
  std::uint64_t rounds = 0;  ///< messages that follow on each other, online
  std::uint64_t bytes = 0;   ///< of all parties' messages, online
  std::uint64_t offline_bytes = 0;
};

std::vector<SumBenchRow> bench_sums(const SumBenchSettings& settings,
                                    const std::function<void(const std::string&)>& told = {});

std::string sum_bench_table(const std::vector<SumBenchRow>& rows);
std::string sum_bench_json(const std::vector<SumBenchRow>& rows);

}  // namespace sotto
