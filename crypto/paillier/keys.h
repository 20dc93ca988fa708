// SPDX-License-Identifier: MIT
// Paillier keys of three kinds, n = p q and g = n + 1 in all of them. They differ in how a ciphertext is made random, and
// so in what they rest on and what they cost:
//
//   standard   r^n, r uniform modulo n                                   decisional composite residuosity
//   djn        hs^r, hs = h^n, h = -x^2 mod n, p = q = 3 mod 4           the same (Damgard, Jurik, Nielsen 2010): exponents
//              (|n| + 64)-bit r                                            are long enough to be uniform in <hs>
//   subgroup   hs^r, hs = h^n, h = -y^(2 p' q'), P = 2 a p' + 1,          that and: elements of the subgroup of order 2 a b
//              Q = 2 b q' + 1, (|a b| + 64)-bit r                          look like any others (Ma, Han, Lei 2021), and
//                                                                          a b resists discrete logarithms
//
// Generation: primes with at least 40 rounds of Miller-Rabin, gcd(p - 1, q - 1) = 2, gcd(n, phi(n)) = 1. Keys below
// 2048 bits protect nothing; they exist because papers sweep them, and results are labeled.
// Not constant-time: generation, GMP's division and inversion. A seeded key is known to whoever knows the seed.
// Tests: tests/crypto/scheme_contract_test.cpp
#pragma once

#include <gmpxx.h>

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/random_stream.h"
#include "base/words.h"

namespace sotto {

enum class PaillierKind : std::uint8_t { standard = 0, djn = 1, subgroup = 2 };
template <>
struct Words<PaillierKind> {
  static constexpr std::string_view setting = "exchange.keys";
  static constexpr Word<PaillierKind> all[] = {
      {PaillierKind::standard, "standard"}, {PaillierKind::djn, "djn"}, {PaillierKind::subgroup, "subgroup"}};
};

struct PaillierPublicKey {
  PaillierKind kind = PaillierKind::standard;
  mpz_class n;
  mpz_class hs;                       ///< generates the randomizers; 0 for standard
  std::uint32_t randomizer_bits = 0;  ///< of exponents of hs that hide from the key's owner too

  std::size_t bits() const;
  /// The first bytes of SHA-256 of n: marks ciphertexts, so that a foreign one is refused.
  std::uint64_t fingerprint() const;

  /// Versioned. Reading checks ranges (hs invertible, exponents long enough) and is a CryptoError for anything else.
  Bytes bytes() const;
  static PaillierPublicKey from_bytes(std::span<const std::uint8_t> bytes);
  /// Only g = n + 1 is taken.
  static PaillierPublicKey from_numbers(const mpz_class& n, const mpz_class& g);

  bool operator==(const PaillierPublicKey&) const = default;
};

struct PaillierPrivateKey {
  PaillierPublicKey shared;
  mpz_class p, q;
  mpz_class a, b;  ///< subgroup: the primes of the small subgroup; else 0

  /// c^exponent modulo p^2 is free of its randomizer.
  mpz_class exponent_p() const { return a == 0 ? mpz_class(p - 1) : mpz_class(2 * a); }
  mpz_class exponent_q() const { return b == 0 ? mpz_class(q - 1) : mpz_class(2 * b); }

  /// Versioned. Reading checks that p and q (and a, b) are primes, n = p q, gcd(n, phi) = 1, and that hs is what it should
  /// be; a CryptoError says what is wrong.
  Bytes bytes() const;
  static PaillierPrivateKey from_bytes(std::span<const std::uint8_t> bytes);
  /// A standard key of somebody else's making; p and q may differ in length by a bit.
  static PaillierPrivateKey from_primes(const mpz_class& p, const mpz_class& q);

  bool operator==(const PaillierPrivateKey&) const = default;
};

inline constexpr std::size_t secure_paillier_bits = 2048;

/// `bits` even, from 64.
PaillierPrivateKey generate_paillier_key(PaillierKind kind, std::size_t bits, RandomStream& random);
/// |a b| for a subgroup key of that many bits: four times the security level, less for toys.
std::size_t subgroup_order_bits(std::size_t key_bits);

}  // namespace sotto
