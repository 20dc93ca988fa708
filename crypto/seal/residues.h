// SPDX-License-Identifier: MIT
// Numbers modulo the primes of SEAL, outside SEAL: entries to residues and back, and what is added to finished ciphertexts.
// Tests: tests/crypto/seal_test.cpp
#pragma once

#include <span>
#include <vector>

#include "crypto/additive_scheme.h"
#include "crypto/seal/plan.h"

namespace sotto {

inline std::uint64_t residue_of(std::int64_t value, std::uint64_t t) {
  const std::uint64_t size =
      (value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)) % t;
  return value < 0 && size != 0 ? t - size : size;
}
inline std::uint64_t residue_of(Int128 value, std::uint64_t t) {
  if (value == static_cast<std::int64_t>(value)) return residue_of(static_cast<std::int64_t>(value), t);
  const auto size = static_cast<std::uint64_t>(static_cast<UInt128>(value < 0 ? -value : value) % t);
  return value < 0 && size != 0 ? t - size : size;
}

/// The number nearest to zero with these residues; it fits 127 bits.
Int128 centered(std::span<const std::uint64_t> residues, std::span<const std::uint64_t> moduli);

/// 128-bit numbers modulo one prime, by two multiplications (Barrett).
class PrimeReduction {
 public:
  explicit PrimeReduction(std::uint64_t prime);
  std::uint64_t operator()(UInt128 x) const;
  std::uint64_t prime() const { return prime_; }

 private:
  std::uint64_t prime_;
  std::uint64_t ratio_high_, ratio_low_;  ///< floor(2^128 / prime)
};

/// N numbers uniform in [-2^F, 2^F), modulo every prime of a fresh ciphertext.
std::vector<std::uint64_t> flood_words(const BfvPlan& plan, RandomStream& random);

/// Adds messages to c0 of fresh ciphertexts: round(q m / t), off by one at the most, modulo every prime. What SEAL does when it
/// encrypts or adds a plaintext, without its bitwise division, which takes longer than all the rest.
class PlainScaling {
 public:
  PlainScaling(const BfvPlan& plan, std::size_t modulus);
  /// `words`: N for each prime, coefficient c in place c of each; `coefficients`: modulo t, from coefficient 0.
  void add(std::span<const std::uint64_t> coefficients, std::span<std::uint64_t> words) const;

 private:
  std::size_t degree_;
  std::vector<std::uint64_t> primes_;
  std::vector<std::uint64_t> whole_;      ///< floor(q / t) modulo each prime
  std::vector<std::uint64_t> quotients_;  ///< floor(whole 2^64 / prime)
  std::uint64_t rest_;                    ///< floor((q mod t) 2^64 / t)
};

/// Words that `add_masks` draws from every stream for one ciphertext.
std::uint64_t mask_words_of(std::size_t degree, std::size_t primes);
/// Uniform numbers modulo each prime onto all coefficients of c0.
void add_masks(std::span<std::uint8_t> ciphertext, std::size_t degree, std::span<const std::uint64_t> primes,
               std::span<const PairMask> masks);

}  // namespace sotto
