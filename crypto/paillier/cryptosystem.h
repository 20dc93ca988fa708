// SPDX-License-Identifier: MIT
// Paillier, fast: powers on the lanes of a kernel (square_ring.h), tables of powers of hs, the owner modulo p^2 and q^2.
//
// An owner draws ONE exponent for both of its moduli: two independent ones would leave <hs>, and the Jacobi symbol of the
// answer to such a ciphertext is the parity of the factor.
// Not constant-time: table look-ups by windows of exponents, GMP's divisions. Threading: both may be used by many threads
// at the same time; the table of powers is made on first use.
// Tests: tests/crypto/paillier_test.cpp
#pragma once

#include <mutex>
#include <optional>

#include "crypto/paillier/sides.h"
#include "crypto/paillier/square_ring.h"

namespace sotto {

/// Products of 64-bit limbs: what simulated time is charged in, whichever kernel runs.
struct PaillierCosts {
  static std::uint64_t multiply(std::size_t modulus_bits);  ///< modulo m^2, in base m
  static std::uint64_t power(std::size_t modulus_bits, std::size_t exponent_bits);
};

class PaillierPublic final : public PaillierPublicSide {
 public:
  /// `table_bytes`: how much memory powers of hs may take.
  PaillierPublic(const PaillierPublicKey& key, std::size_t table_bytes);
  PaillierPublic(PaillierPublicKey key, std::size_t table_bytes, const LaneKernel& kernel);

  const PaillierPublicKey& key() const override { return key_; }
  Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const override;
  Numbers respond(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                  std::span<const mpz_class> addends, RandomStream& random) const override;
  /// By Horner: acc <- acc^(2^width) c_k^(factor_k).
  Numbers respond_packed(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                         std::size_t slots, std::size_t width, std::span<const mpz_class> addends,
                         RandomStream& random) const override;

  /// 0 for standard keys, and where the memory is too small for any table.
  std::size_t table_bytes() const override;
  std::uint64_t table_cost() const override;
  std::uint64_t respond_cost(std::size_t factor_bits) const override;

 private:
  Elements randomizers(std::size_t count, RandomStream& random) const;
  Numbers with_addends(const Elements& x, std::span<const mpz_class> addends) const;
  const FixedBase& table() const;

  PaillierPublicKey key_;
  mpz_class n_squared_;
  SquareRing ring_;
  unsigned window_;  // 0: no table
  mutable std::mutex making_;
  mutable std::optional<FixedBase> table_;
};

class PaillierSecret final : public PaillierSecretSide {
 public:
  PaillierSecret(const PaillierPrivateKey& key, std::size_t table_bytes);
  PaillierSecret(PaillierPrivateKey key, std::size_t table_bytes, const LaneKernel& kernel);

  const PaillierPrivateKey& key() const override { return key_; }
  Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const override;
  Numbers decrypt(std::span<const mpz_class> ciphertexts) const override;
  Numbers decrypt_sum(std::span<const Numbers> ciphertexts,
                      std::span<const mpz_class> weights) const override;

  std::size_t table_bytes() const override;
  std::uint64_t encrypt_cost() const override;
  std::uint64_t decrypt_cost() const override;
  std::uint64_t combine_cost(std::size_t weight_bits) const override;

 private:
  Elements randomizers(std::size_t count, RandomStream& random) const;
  Numbers decrypt_elements(const Elements& x) const;
  std::size_t exponent_bits() const;

  PaillierPrivateKey key_;
  mpz_class n_squared_, p_squared_, q_squared_;
  SquareRing ring_;                  // p, q
  mpz_class q_squared_inverse_;      // modulo p^2
  mpz_class q_inverse_;              // modulo p
  mpz_class unblind_p_, unblind_q_;  // 1 / (exponent q) mod p, 1 / (exponent p) mod q
  unsigned window_ = 0;              // of the table
  std::optional<FixedBase> table_;   // djn, subgroup
};

}  // namespace sotto
