// SPDX-License-Identifier: MIT
#include "crypto/paillier/numbers.h"

#include <vector>

namespace sotto {

mpz_class random_bits(RandomStream& random, std::size_t bits) {
  std::vector<std::uint64_t> words((bits + 63) / 64);
  for (std::uint64_t& word : words) word = random.next();
  if (bits % 64 != 0) words.back() >>= 64 - bits % 64;
  mpz_class x;
  mpz_import(x.get_mpz_t(), words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
  return x;
}

mpz_class random_below(RandomStream& random, const mpz_class& bound) {
  for (;;) {
    mpz_class x = random_bits(random, bit_count(bound));
    if (x < bound) return x;
  }
}

mpz_class random_unit(RandomStream& random, const mpz_class& n) {
  for (;;) {
    mpz_class x = random_below(random, n);
    if (greatest_common_divisor(x, n) == 1) return x;
  }
}

bool is_prime(const mpz_class& x) {
  return mpz_probab_prime_p(x.get_mpz_t(), 24 + 40) != 0;  // GMP takes 24 off for Baillie-PSW
}

mpz_class random_prime(RandomStream& random, std::size_t bits, bool three_modulo_four) {
  for (;;) {
    mpz_class x = random_bits(random, bits);
    mpz_setbit(x.get_mpz_t(), bits - 1);
    mpz_setbit(x.get_mpz_t(), bits - 2);
    mpz_setbit(x.get_mpz_t(), 0);
    if (three_modulo_four) mpz_setbit(x.get_mpz_t(), 1);
    if (is_prime(x)) return x;
  }
}

mpz_class inverse(const mpz_class& x, const mpz_class& modulus) {
  mpz_class y;
  if (mpz_invert(y.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t()) == 0)
    throw CryptoError("a number has no inverse: it shares a factor with the modulus");
  return y;
}

mpz_class power(const mpz_class& base, const mpz_class& exponent, const mpz_class& modulus) {
  mpz_class y;
  mpz_powm(y.get_mpz_t(), base.get_mpz_t(), exponent.get_mpz_t(), modulus.get_mpz_t());
  return y;
}

mpz_class greatest_common_divisor(const mpz_class& a, const mpz_class& b) {
  mpz_class g;
  mpz_gcd(g.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return g;
}

void put_number(Writer& w, const mpz_class& x, std::size_t size) {
  Bytes bytes(size, 0);
  if (x < 0 || (bit_count(x) + 7) / 8 > size) throw CryptoError("a number does not fit its bytes");
  mpz_export(bytes.data(), nullptr, -1, 1, 0, 0, x.get_mpz_t());
  w.raw(bytes);
}

mpz_class number_from(std::span<const std::uint8_t> bytes) {
  mpz_class x;
  mpz_import(x.get_mpz_t(), bytes.size(), -1, 1, 0, 0, bytes.data());
  return x;
}

void put_number(Writer& w, const mpz_class& x) {
  const std::size_t size = (bit_count(x) + 7) / 8;
  w.put(static_cast<std::uint32_t>(size));
  put_number(w, x, size);
}

mpz_class get_number(Reader& r) {
  constexpr std::uint32_t longest = 1 << 13;  // more than a number of any key has
  const auto size = r.get<std::uint32_t>();
  if (size > longest) throw CryptoError("a number is too long");
  const auto bytes = r.raw(size);
  if (!bytes.empty() && bytes.back() == 0) throw CryptoError("a number is not in its shortest form");
  return number_from(bytes);
}

}  // namespace sotto
