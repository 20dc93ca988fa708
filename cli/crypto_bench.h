// SPDX-License-Identifier: MIT
// What every scheme costs, measured: each operation and one whole exchange with one neighbor (a request, an answer, its
// decryption), per ciphertext and per matrix entry, and how many times cheaper than the textbook in the same run. Schemes
// take turns, so that a noisy machine is as noisy for all; figures are medians of processor time on one thread, and of time on
// the clock where the work is done in another process (SEAL in Node.js).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sotto {

struct CryptoBenchSettings {
  std::vector<std::size_t> key_bits{2048};
  int value_bits = 40;
  int factor_bits = 20;
  std::size_t entries = 0;  ///< of a message; 0: as many as fill some ciphertexts
  int repetitions = 5;
  std::uint64_t seed = 1;
};

struct CryptoBenchRow {
  std::string scheme;
  std::string keys;          ///< or SEAL's engine; empty where the scheme has no kinds
  std::size_t key_bits = 0;  ///< 0 where it has no keys
  std::string operation;     ///< keys, setup, encrypt, respond, decrypt, exchange
  double seconds = 0;        ///< per ciphertext (per word for plain); keys and setup: altogether
  double seconds_per_entry = 0;
  double ratio_to_textbook =
      0;  ///< of seconds_per_entry, the textbook's at the same key size over this; 0: none
  std::size_t table_bytes = 0;  ///< of the whole setup
};

/// `told`: what is being done, for people who wait.
std::vector<CryptoBenchRow> bench_crypto(const CryptoBenchSettings& settings,
                                         const std::function<void(const std::string&)>& told = {});

std::string crypto_bench_table(const std::vector<CryptoBenchRow>& rows);
std::string crypto_bench_json(const std::vector<CryptoBenchRow>& rows);

}  // namespace sotto
