// SPDX-License-Identifier: MIT
// The two sides of a Paillier key, many plaintexts at a time. Two implementations: cryptosystem.h (fast) and textbook.h (as
// the paper has it, and what the fast one is measured against).
//
// Who learns what: a ciphertext shows nothing to whoever lacks the key, under the assumption of its kind (keys.h). What
// `respond` returns shows its owner factor * m + addend and nothing else of factor and addend, because it carries a fresh
// randomizer that is (statistically) uniform where the owner can look: r^n with uniform r, or hs^r with an exponent of at
// least 64 bits more than the group's order. Without it the owner divides its own ciphertext out and tries every factor.
#pragma once

#include <gmpxx.h>

#include <span>
#include <vector>

#include "base/random_stream.h"
#include "crypto/paillier/keys.h"

namespace sotto {

using Numbers = std::vector<mpz_class>;

/// What anybody can do.
class PaillierPublicSide {
 public:
  virtual ~PaillierPublicSide() = default;
  virtual const PaillierPublicKey& key() const = 0;

  /// Of plaintexts modulo n.
  virtual Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const = 0;
  /// c_k^factor (1 + addend_k n) times a fresh randomizer. `factors`: one for all, or one per ciphertext.
  virtual Numbers respond(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                          std::span<const mpz_class> addends, RandomStream& random) const = 0;
  /// One answer to `slots` ciphertexts at a time: the product of c_k^(factor_k 2^(width k)), (1 + addend n) and a fresh
  /// randomizer.
  virtual Numbers respond_packed(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                                 std::size_t slots, std::size_t width, std::span<const mpz_class> addends,
                                 RandomStream& random) const = 0;

  virtual std::size_t table_bytes() const { return 0; }
  // in products of 64-bit limbs: what simulated time is charged in
  virtual std::uint64_t table_cost() const { return 0; }
  virtual std::uint64_t respond_cost(std::size_t factor_bits) const = 0;  ///< a ciphertext
};

/// What the owner can do.
class PaillierSecretSide {
 public:
  virtual ~PaillierSecretSide() = default;
  virtual const PaillierPrivateKey& key() const = 0;

  virtual Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const = 0;
  /// Plaintexts in (-n/2, n/2). CryptoError for what is no ciphertext of this key.
  virtual Numbers decrypt(std::span<const mpz_class> ciphertexts) const = 0;
  /// The plaintexts of prod_j c_jk^(weight_j): one decryption a column k. No weights: all 1.
  virtual Numbers decrypt_sum(std::span<const Numbers> ciphertexts,
                              std::span<const mpz_class> weights) const = 0;

  virtual std::size_t table_bytes() const { return 0; }
  virtual std::uint64_t encrypt_cost() const = 0;
  virtual std::uint64_t decrypt_cost() const = 0;
  /// Of raising one more ciphertext to a weight (0 bits: none) and multiplying it in.
  virtual std::uint64_t combine_cost(std::size_t weight_bits) const = 0;
};

/// CryptoError unless each ciphertext is in [1, n^2) and shares no factor with n.
void check_ciphertexts(std::span<const mpz_class> ciphertexts, const PaillierPublicKey& key);

}  // namespace sotto
