// SPDX-License-Identifier: MIT
#include "crypto/paillier/cryptosystem.h"

#include <fmt/format.h>

#include "crypto/paillier/numbers.h"

namespace sotto {

namespace {

constexpr unsigned widest_window = 8;

/// Of a table of powers modulo squares, at 64 bits a limb: what kernels need differs by a few percent, and neither windows
/// nor what is reported may depend on the machine.
std::size_t table_size(std::size_t modulus_bits, std::size_t moduli, std::size_t exponent_bits,
                       unsigned window) {
  const std::size_t residue = 2 * ((modulus_bits + 63) / 64) * sizeof(std::uint64_t);
  return (exponent_bits + window - 1) / window * (std::size_t{1} << window) * moduli * residue;
}

/// The widest window whose table fits; 0 if none does.
unsigned window_within(std::size_t modulus_bits, std::size_t moduli, std::size_t exponent_bits,
                       std::size_t bytes) {
  for (unsigned window = widest_window; window >= 2; --window)
    if (table_size(modulus_bits, moduli, exponent_bits, window) <= bytes) return window;
  return 0;
}

/// c (1 + m n) = c + n (c m mod n)
void add_plaintext(mpz_class& c, const mpz_class& m, const mpz_class& n, const mpz_class& n_squared) {
  mpz_class product = c * m;
  mpz_mod(product.get_mpz_t(), product.get_mpz_t(), n.get_mpz_t());
  c += product * n;
  if (c >= n_squared) c -= n_squared;
}

Numbers random_exponents(RandomStream& random, std::size_t count, std::size_t bits) {
  Numbers exponents(count);
  for (mpz_class& e : exponents) e = random_bits(random, bits);
  return exponents;
}

}  // namespace

std::uint64_t PaillierCosts::multiply(std::size_t modulus_bits) {
  const std::uint64_t limbs = (modulus_bits + 63) / 64;
  return 5 * limbs * limbs;
}

std::uint64_t PaillierCosts::power(std::size_t modulus_bits, std::size_t exponent_bits) {
  const std::uint64_t products = multiply(modulus_bits);
  return exponent_bits * products * 7 / 10 + (exponent_bits / 5 + 30) * products;  // squarings are 3.5 to 5
}

void check_ciphertexts(std::span<const mpz_class> ciphertexts, const PaillierPublicKey& key) {
  const mpz_class& n = key.n;
  const mpz_class n_squared = n * n;
  mpz_class product = 1;  // a factor in common with any of them is one in common with their product
  mpz_class residue;
  for (const mpz_class& c : ciphertexts) {
    if (c < 1 || c >= n_squared) throw CryptoError("a ciphertext is not between 1 and n^2");
    mpz_mod(residue.get_mpz_t(), c.get_mpz_t(), n.get_mpz_t());
    product *= residue;
    product %= n;
  }
  if (greatest_common_divisor(product, n) != 1) throw CryptoError("a ciphertext shares a factor with n");
}

PaillierPublic::PaillierPublic(const PaillierPublicKey& key, std::size_t table_bytes)
    : PaillierPublic(key, table_bytes, best_kernel(key.bits())) {}

PaillierPublic::PaillierPublic(PaillierPublicKey key, std::size_t table_bytes, const LaneKernel& kernel)
    : key_(std::move(key)),
      n_squared_(key_.n * key_.n),
      ring_({key_.n}, kernel),
      window_(key_.kind == PaillierKind::standard
                  ? 0
                  : window_within(key_.bits(), 1, key_.randomizer_bits, table_bytes)) {}

const FixedBase& PaillierPublic::table() const {
  const std::lock_guard lock(making_);
  if (!table_) table_.emplace(ring_, key_.hs, key_.randomizer_bits, window_);
  return *table_;
}

std::size_t PaillierPublic::table_bytes() const {
  return window_ == 0 ? 0 : table_size(key_.bits(), 1, key_.randomizer_bits, window_);
}

Elements PaillierPublic::randomizers(std::size_t count, RandomStream& random) const {
  if (key_.kind == PaillierKind::standard) {
    Numbers r(count);
    for (mpz_class& x : r) x = random_unit(random, key_.n);
    return ring_.powers(ring_.elements(r), std::span(&key_.n, 1));
  }
  const Numbers exponents = random_exponents(random, count, key_.randomizer_bits);
  if (window_ != 0) return table().powers(exponents);
  return ring_.powers(ring_.elements(Numbers(count, key_.hs)), exponents);
}

Numbers PaillierPublic::with_addends(const Elements& x, std::span<const mpz_class> addends) const {
  Numbers c = ring_.residues(x);
  if (addends.size() != c.size())
    throw CryptoError(fmt::format("{} addends for {} ciphertexts", addends.size(), c.size()));
  for (std::size_t k = 0; k < c.size(); ++k) add_plaintext(c[k], addends[k], key_.n, n_squared_);
  return c;
}

Numbers PaillierPublic::encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const {
  return with_addends(randomizers(plaintexts.size(), random), plaintexts);
}

Numbers PaillierPublic::respond(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                                std::span<const mpz_class> addends, RandomStream& random) const {
  check_ciphertexts(ciphertexts, key_);
  Elements x = ring_.powers(ring_.elements(ciphertexts), factors);
  ring_.multiply(x, randomizers(ciphertexts.size(), random));
  return with_addends(x, addends);
}

Numbers PaillierPublic::respond_packed(std::span<const mpz_class> ciphertexts,
                                       std::span<const mpz_class> factors, std::size_t slots,
                                       std::size_t width, std::span<const mpz_class> addends,
                                       RandomStream& random) const {
  check_ciphertexts(ciphertexts, key_);
  const std::size_t blocks = (ciphertexts.size() + slots - 1) / slots;
  Numbers padded(ciphertexts.begin(), ciphertexts.end());
  Numbers exponents(factors.begin(), factors.end());
  padded.resize(blocks * slots, 1);  // encrypts 0, in the addend's company
  exponents.resize(blocks * slots, 1);
  const Elements scaled = ring_.powers(ring_.elements(padded), exponents);
  Elements sum = ring_.pick(scaled, slots - 1, slots);
  for (std::size_t k = slots - 1; k-- > 0;) {
    for (std::size_t bit = 0; bit < width; ++bit) ring_.square(sum);
    ring_.multiply(sum, ring_.pick(scaled, k, slots));
  }
  ring_.multiply(sum, randomizers(blocks, random));
  return with_addends(sum, addends);
}

std::uint64_t PaillierPublic::table_cost() const {
  if (window_ == 0) return 0;
  const std::size_t positions = (key_.randomizer_bits + window_ - 1) / window_;
  return positions * (std::size_t{1} << window_) * PaillierCosts::multiply(key_.bits());
}

std::uint64_t PaillierPublic::respond_cost(std::size_t factor_bits) const {
  const std::uint64_t scale = PaillierCosts::power(key_.bits(), factor_bits);
  if (key_.kind == PaillierKind::standard) return scale + PaillierCosts::power(key_.bits(), key_.bits());
  if (window_ == 0) return scale + PaillierCosts::power(key_.bits(), key_.randomizer_bits);
  return scale + (key_.randomizer_bits + window_ - 1) / window_ * PaillierCosts::multiply(key_.bits());
}

PaillierSecret::PaillierSecret(const PaillierPrivateKey& key, std::size_t table_bytes)
    : PaillierSecret(key, table_bytes, best_kernel(std::max(bit_count(key.p), bit_count(key.q)))) {}

PaillierSecret::PaillierSecret(PaillierPrivateKey key, std::size_t table_bytes, const LaneKernel& kernel)
    : key_(std::move(key)),
      n_squared_(key_.shared.n * key_.shared.n),
      p_squared_(key_.p * key_.p),
      q_squared_(key_.q * key_.q),
      ring_({key_.p, key_.q}, kernel),
      q_squared_inverse_(inverse(q_squared_, p_squared_)),
      q_inverse_(inverse(key_.q, key_.p)),
      unblind_p_(inverse(key_.exponent_p() * key_.q, key_.p)),
      unblind_q_(inverse(key_.exponent_q() * key_.p, key_.q)) {
  if (key_.shared.kind == PaillierKind::standard) return;
  window_ = window_within(key_.shared.bits() / 2, 2, exponent_bits(), table_bytes);
  if (window_ != 0) table_.emplace(ring_, key_.shared.hs, exponent_bits(), window_);
}

/// standard: s^p mod p^2 with s uniform modulo p is r^n mod p^2 with uniform r. Otherwise hs^r with one r, modulo both orders.
Elements PaillierSecret::randomizers(std::size_t count, RandomStream& random) const {
  if (key_.shared.kind == PaillierKind::standard) {
    Numbers s(count);
    for (mpz_class& x : s) {
      const mpz_class modulo_p = 1 + random_below(random, key_.p - 1);
      const mpz_class modulo_q = 1 + random_below(random, key_.q - 1);
      const mpz_class steps = (modulo_p - modulo_q) * q_inverse_;
      mpz_mod(x.get_mpz_t(), steps.get_mpz_t(), key_.p.get_mpz_t());
      x = x * key_.q + modulo_q;
    }
    const Numbers exponents{key_.p, key_.q};
    return ring_.powers(ring_.elements(s), exponents);
  }
  const Numbers orders{key_.exponent_p(), key_.exponent_q()};
  Numbers exponents;
  for (const mpz_class& r : random_exponents(random, count, key_.shared.randomizer_bits))
    for (const mpz_class& order : orders) exponents.emplace_back(r % order);
  if (table_) return table_->powers(exponents);
  return ring_.powers(ring_.elements(Numbers(count, key_.shared.hs)), exponents);
}

Numbers PaillierSecret::encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const {
  const Numbers residues = ring_.residues(randomizers(plaintexts.size(), random));
  Numbers c(plaintexts.size());
  mpz_class t;
  for (std::size_t k = 0; k < c.size(); ++k) {
    t = (residues[2 * k] - residues[2 * k + 1]) * q_squared_inverse_;
    mpz_mod(t.get_mpz_t(), t.get_mpz_t(), p_squared_.get_mpz_t());
    c[k] = residues[2 * k + 1] + q_squared_ * t;
    add_plaintext(c[k], plaintexts[k], key_.shared.n, n_squared_);
  }
  return c;
}

Numbers PaillierSecret::decrypt(std::span<const mpz_class> ciphertexts) const {
  check_ciphertexts(ciphertexts, key_.shared);
  return decrypt_elements(ring_.elements(ciphertexts));
}

/// c^e mod p^2 = 1 + (m e q mod p) p, e the exponent that ends the randomizer; the same modulo q^2; both to m modulo n.
Numbers PaillierSecret::decrypt_elements(const Elements& x) const {
  const Numbers exponents{key_.exponent_p(), key_.exponent_q()};
  const Numbers residues = ring_.residues(ring_.powers(x, exponents));
  const mpz_class half = key_.shared.n / 2;
  Numbers plaintexts(x.items());
  mpz_class digit_p;
  mpz_class digit_q;
  mpz_class low;
  for (std::size_t k = 0; k < plaintexts.size(); ++k) {
    mpz_fdiv_qr(digit_p.get_mpz_t(), low.get_mpz_t(), residues[2 * k].get_mpz_t(), key_.p.get_mpz_t());
    const bool clean = low == 1;
    mpz_fdiv_qr(digit_q.get_mpz_t(), low.get_mpz_t(), residues[2 * k + 1].get_mpz_t(), key_.q.get_mpz_t());
    if (!clean || low != 1) throw CryptoError("a ciphertext was not made random the way this key asks for");
    digit_p = digit_p * unblind_p_ % key_.p;
    digit_q = digit_q * unblind_q_ % key_.q;
    low = (digit_p - digit_q) * q_inverse_;
    mpz_mod(low.get_mpz_t(), low.get_mpz_t(), key_.p.get_mpz_t());
    plaintexts[k] = digit_q + key_.q * low;
    if (plaintexts[k] > half) plaintexts[k] -= key_.shared.n;
  }
  return plaintexts;
}

Numbers PaillierSecret::decrypt_sum(std::span<const Numbers> ciphertexts,
                                    std::span<const mpz_class> weights) const {
  std::optional<Elements> product;
  for (std::size_t j = 0; j < ciphertexts.size(); ++j) {
    check_ciphertexts(ciphertexts[j], key_.shared);
    Elements x = ring_.elements(ciphertexts[j]);
    if (!weights.empty()) x = ring_.powers(x, weights.subspan(j, 1));
    if (product)
      ring_.multiply(*product, x);
    else
      product.emplace(std::move(x));
  }
  return product ? decrypt_elements(*product) : Numbers{};
}

std::size_t PaillierSecret::exponent_bits() const {
  return std::max(bit_count(key_.exponent_p()), bit_count(key_.exponent_q()));
}

std::size_t PaillierSecret::table_bytes() const {
  return table_ ? table_size(key_.shared.bits() / 2, 2, exponent_bits(), window_) : 0;
}

std::uint64_t PaillierSecret::encrypt_cost() const {
  const std::size_t half = key_.shared.bits() / 2;
  const std::size_t bits = bit_count(key_.exponent_p());
  if (!table_) return 2 * PaillierCosts::power(half, bits);
  return 2 * PaillierCosts::multiply(half) * ((bits + window_ - 1) / window_);
}

std::uint64_t PaillierSecret::decrypt_cost() const {
  return 2 * PaillierCosts::power(key_.shared.bits() / 2, bit_count(key_.exponent_p()));
}

std::uint64_t PaillierSecret::combine_cost(std::size_t weight_bits) const {
  const std::size_t half = key_.shared.bits() / 2;
  return 2 *
         (PaillierCosts::multiply(half) + (weight_bits == 0 ? 0 : PaillierCosts::power(half, weight_bits)));
}

}  // namespace sotto
