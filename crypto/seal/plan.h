// SPDX-License-Identifier: MIT
// Which SEAL parameters an exchange gets, and why nothing decrypts wrongly: noise is bounded before the first key is made.
//
// Bounds are worst cases up to the flooding (SEAL's errors are centered binomial, |e| <= 21, secrets ternary):
//   after x f               f (21 + 2)           f a number, below t; N t/2 (21 + 2) for a factor per entry (a polynomial)
//   after + Enc_pk(0)       + 21 (2 N + 1) / P + (N + 1) / 2 + 4       P: the prime that SEAL reserves
//   b := log2 of that; the flood is uniform in [-2^F, 2^F), F = b + 40 + log2 N: what is under it is hidden up to 2^-40
// Dropping primes divides all that and rounds: an error of standard deviation sqrt((1 + 2 N / 3) / 12), of which 12 are
// allowed for. d replies are added up, so  q / (2 t) >= d (flood q / Q + 12 std + 1)  must hold for the primes that are kept, the fewest
// for which it does.
// Without a flood no prime is dropped either: `bfv-fast` saves that time as well.
// Numbers wider than one plaintext modulus can be are taken modulo several, in a ciphertext each.
// Tests: tests/crypto/seal_plan_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "crypto/additive_scheme.h"
#include "crypto/seal/engine.h"

namespace sotto {

enum class Flooding : std::uint8_t { none, full };

struct BfvPlan {
  Flooding flooding = Flooding::full;
  std::uint8_t set = 0;                     ///< of the table of parameter sets
  std::uint8_t plain_bits = 0;              ///< of each plaintext modulus
  std::uint8_t keep = 0;                    ///< primes of a reply
  std::uint8_t flood_bits = 0;              ///< F; 0: none
  std::vector<std::uint64_t> plain_moduli;  ///< t
  std::size_t degree = 0;                   ///< N
  std::vector<std::uint64_t> primes;        ///< as SealParameters
  double failure_log2 = 0;                  ///< of one ciphertext: at most 2^that decrypts wrongly

  SealParameters parameters(std::size_t modulus) const {
    return {false, degree, primes, plain_moduli[modulus]};
  }
  /// "N = 8192, q = 58 + 50 + 50 bits, ..."
  std::string text() const;

  /// For an owner with `senders` neighbors. CryptoError with the numbers if nothing fits.
  static BfvPlan make(const ExchangeRange& range, std::size_t senders, Flooding flooding);
  void save(Writer& w) const;
  /// What an owner announced, checked: the integers fit and the flood hides what this range can make. CryptoError if not.
  static BfvPlan load(Reader& r, const ExchangeRange& range, Flooding flooding);

 private:
  bool fits(const ExchangeRange& range, double senders);
  int required_flood(const ExchangeRange& range) const;
  double noise_bits(const ExchangeRange& range) const;
  void choose(std::uint8_t set_number, int bits, std::size_t moduli);
};

/// The largest primes below 2^bits that are 1 modulo 2 N, from the top: distinct, none of `others`.
std::vector<std::uint64_t> ntt_primes(std::size_t degree, int bits, std::size_t count,
                                      std::span<const std::uint64_t> others = {});

}  // namespace sotto
