// SPDX-License-Identifier: MIT
#include "crypto/paillier/textbook.h"

#include "crypto/paillier/numbers.h"

namespace sotto {

namespace {

/// Limb products of mpz_powm modulo n^2: 6.4 s^2 a squaring, 8 s^2 a multiplication, windows of six.
std::uint64_t power_cost(std::size_t key_bits, std::size_t exponent_bits) {
  const std::uint64_t limbs = (key_bits + 63) / 64;
  return exponent_bits * limbs * limbs * 64 / 10 + (exponent_bits / 6 + 1) * 8 * limbs * limbs;
}

mpz_class one_plus(const mpz_class& m, const mpz_class& n) {
  mpz_class x;
  mpz_mod(x.get_mpz_t(), m.get_mpz_t(), n.get_mpz_t());  // a negative m is n - |m|
  return x * n + 1;
}

class TextbookPublic final : public PaillierPublicSide {
 public:
  explicit TextbookPublic(const PaillierPublicKey& key) : key_(key), n_squared_(key.n * key.n) {}

  const PaillierPublicKey& key() const override { return key_; }

  Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const override {
    Numbers c;
    for (const mpz_class& m : plaintexts)
      c.emplace_back(one_plus(m, key_.n) * power(random_unit(random, key_.n), key_.n, n_squared_) %
                     n_squared_);
    return c;
  }

  Numbers respond(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                  std::span<const mpz_class> addends, RandomStream& random) const override {
    check_ciphertexts(ciphertexts, key_);
    Numbers c = encrypt(addends, random);
    for (std::size_t k = 0; k < c.size(); ++k)
      c[k] = c[k] * power(ciphertexts[k], factors[factors.size() == 1 ? 0 : k], n_squared_) % n_squared_;
    return c;
  }

  Numbers respond_packed(std::span<const mpz_class> ciphertexts, std::span<const mpz_class> factors,
                         std::size_t slots, std::size_t width, std::span<const mpz_class> addends,
                         RandomStream& random) const override {
    check_ciphertexts(ciphertexts, key_);
    Numbers c = encrypt(addends, random);
    for (std::size_t e = 0; e < ciphertexts.size(); ++e) {
      const mpz_class exponent = factors[e] << (width * (e % slots));
      c[e / slots] = c[e / slots] * power(ciphertexts[e], exponent, n_squared_) % n_squared_;
    }
    return c;
  }

  std::uint64_t respond_cost(std::size_t factor_bits) const override {
    return power_cost(key_.bits(), key_.bits()) + power_cost(key_.bits(), factor_bits);
  }

 private:
  PaillierPublicKey key_;
  mpz_class n_squared_;
};

class TextbookSecret final : public PaillierSecretSide {
 public:
  explicit TextbookSecret(const PaillierPrivateKey& key)
      : key_(key), public_(key.shared), n_squared_(key.shared.n * key.shared.n) {
    const mpz_class& n = key_.shared.n;
    mpz_class phi_p = key_.p - 1;
    mpz_class phi_q = key_.q - 1;
    mpz_lcm(lambda_.get_mpz_t(), phi_p.get_mpz_t(), phi_q.get_mpz_t());
    mu_ = inverse((power(n + 1, lambda_, n_squared_) - 1) / n, n);
  }

  const PaillierPrivateKey& key() const override { return key_; }

  Numbers encrypt(std::span<const mpz_class> plaintexts, RandomStream& random) const override {
    return public_.encrypt(plaintexts, random);
  }

  Numbers decrypt(std::span<const mpz_class> ciphertexts) const override {
    check_ciphertexts(ciphertexts, key_.shared);
    const mpz_class& n = key_.shared.n;
    Numbers plaintexts;
    for (const mpz_class& c : ciphertexts) {
      const mpz_class x = power(c, lambda_, n_squared_);
      mpz_class m = (x - 1) / n * mu_ % n;  // L(x) mu
      if (m > n / 2) m -= n;
      plaintexts.push_back(std::move(m));
    }
    return plaintexts;
  }

  Numbers decrypt_sum(std::span<const Numbers> ciphertexts,
                      std::span<const mpz_class> weights) const override {
    Numbers product;
    for (std::size_t j = 0; j < ciphertexts.size(); ++j) {
      check_ciphertexts(ciphertexts[j], key_.shared);
      product.resize(ciphertexts[j].size(), 1);
      for (std::size_t k = 0; k < product.size(); ++k)
        product[k] =
            product[k] *
            (weights.empty() ? ciphertexts[j][k] : power(ciphertexts[j][k], weights[j], n_squared_)) %
            n_squared_;
    }
    return decrypt(product);
  }

  std::uint64_t encrypt_cost() const override { return power_cost(key_.shared.bits(), key_.shared.bits()); }
  std::uint64_t decrypt_cost() const override { return power_cost(key_.shared.bits(), key_.shared.bits()); }
  std::uint64_t combine_cost(std::size_t weight_bits) const override {
    return power_cost(key_.shared.bits(), weight_bits);
  }

 private:
  PaillierPrivateKey key_;
  TextbookPublic public_;
  mpz_class n_squared_, lambda_, mu_;
};

}  // namespace

std::unique_ptr<PaillierPublicSide> make_textbook_public(const PaillierPublicKey& key) {
  return std::make_unique<TextbookPublic>(key);
}

std::unique_ptr<PaillierSecretSide> make_textbook_secret(const PaillierPrivateKey& key) {
  return std::make_unique<TextbookSecret>(key);
}

}  // namespace sotto
