// SPDX-License-Identifier: MIT
// Large whole numbers beyond what gmpxx has: random ones, primes, bytes.
// Tests: tests/crypto/paillier_kernel_test.cpp
#pragma once

#include <gmpxx.h>

#include <span>

#include "base/bytes.h"
#include "base/random_stream.h"

namespace sotto {

inline std::size_t bit_count(const mpz_class& x) {
  return mpz_sgn(x.get_mpz_t()) == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2);
}

/// Uniform in [0, 2^bits).
mpz_class random_bits(RandomStream& random, std::size_t bits);
/// Uniform in [0, bound), by rejection: no modulo bias. bound >= 1.
mpz_class random_below(RandomStream& random, const mpz_class& bound);
/// Uniform in [1, n) and without a factor in common with n.
mpz_class random_unit(RandomStream& random, const mpz_class& n);

/// Baillie-PSW and 40 rounds of Miller-Rabin.
bool is_prime(const mpz_class& x);
/// A prime of exactly `bits` bits whose two highest are set, so that a product of two has all its bits; 3 modulo 4 on request.
mpz_class random_prime(RandomStream& random, std::size_t bits, bool three_modulo_four = false);

mpz_class inverse(const mpz_class& x, const mpz_class& modulus);  ///< CryptoError if there is none
mpz_class power(const mpz_class& base, const mpz_class& exponent, const mpz_class& modulus);
mpz_class greatest_common_divisor(const mpz_class& a, const mpz_class& b);

/// Little-endian in exactly `size` bytes; the number must fit.
void put_number(Writer& w, const mpz_class& x, std::size_t size);
mpz_class number_from(std::span<const std::uint8_t> bytes);
/// A length and the bytes, shortest form. Reading refuses any other with a CryptoError.
void put_number(Writer& w, const mpz_class& x);
mpz_class get_number(Reader& r);

}  // namespace sotto
