// SPDX-License-Identifier: MIT
// Arithmetic modulo m^2: every kernel that this machine can run against GMP, on random and on edge values.
#include <doctest/doctest.h>

#include "crypto/paillier/numbers.h"
#include "crypto/paillier/square_ring.h"

using namespace sotto;

namespace {

/// Odd, of exactly that many bits: random ones, and those whose limbs are all ones or nearly all zeros.
std::vector<mpz_class> moduli_of(std::size_t bits, RandomStream& random) {
  std::vector<mpz_class> all;
  for (int k = 0; k < 2; ++k) {
    mpz_class m = random_bits(random, bits);
    mpz_setbit(m.get_mpz_t(), bits - 1);
    mpz_setbit(m.get_mpz_t(), 0);
    all.push_back(m);
  }
  all.emplace_back((mpz_class(1) << bits) - 1);
  all.emplace_back((mpz_class(1) << (bits - 1)) + 1);
  return all;
}

std::vector<mpz_class> values_below(const mpz_class& m, std::size_t count, RandomStream& random) {
  const mpz_class square = m * m;
  std::vector<mpz_class> values{0, 1, m, m - 1, m + 1, square - 1, square - m, square / 2};
  while (values.size() < count) values.push_back(random_below(random, square));
  return values;
}

}  // namespace

TEST_CASE("kernels: products, squares and powers are GMP's, for lengths around every limb") {
  RandomStream random({1, 0, 0, "kernels"});
  REQUIRE(kernels().back() == &gmp_kernel);
  for (const std::size_t bits :
       {32, 46, 47, 63, 64, 65, 98, 99, 128, 255, 256, 512, 777, 1024, 1030, 1536, 2048, 2346, 3072}) {
    CAPTURE(bits);
    for (const mpz_class& m : moduli_of(bits, random)) {
      const mpz_class square = m * m;
      const auto a = values_below(m, 19, random);
      auto b = values_below(m, 19, random);
      std::reverse(b.begin(), b.end());
      const mpz_class e = random_bits(random, 77);
      for (const LaneKernel* kernel : kernels()) {
        if (!fits(*kernel, bits)) continue;
        CAPTURE(kernel->name);
        const SquareRing ring({m}, *kernel);
        Elements x = ring.elements(a);
        const Elements y = ring.elements(b);
        CHECK(ring.residues(x) == a);
        ring.multiply(x, y);
        const auto product = ring.residues(x);
        ring.square(x);
        const auto squared = ring.residues(x);
        const auto powers = ring.residues(ring.powers(y, std::span(&e, 1)));
        bool same = true;
        for (std::size_t k = 0; k < a.size(); ++k)
          same = same && product[k] == a[k] * b[k] % square &&
                 squared[k] == product[k] * product[k] % square && powers[k] == power(b[k], e, square);
        CHECK(same);
      }
    }
  }
}

TEST_CASE("kernels: a long chain of products stays within its digits") {
  RandomStream random({2, 0, 0, "kernels"});
  for (const std::size_t bits : {128, 1024, 2048}) {
    const mpz_class m = (mpz_class(1) << bits) - 1;
    const mpz_class square = m * m;
    for (const LaneKernel* kernel : kernels()) {
      if (!fits(*kernel, bits)) continue;
      const SquareRing ring({m}, *kernel);
      std::vector<mpz_class> value{square - 1, square - 2, random_below(random, square)};
      Elements x = ring.elements(value);
      const Elements y = ring.elements(value);
      const auto factor = value;
      for (int k = 0; k < 300; ++k) {
        ring.multiply(x, y);
        ring.square(x);
        for (std::size_t i = 0; i < value.size(); ++i) {
          value[i] = value[i] * factor[i] % square;
          value[i] = value[i] * value[i] % square;
        }
      }
      CHECK(ring.residues(x) == value);
    }
  }
}

TEST_CASE("kernels: two moduli side by side, exponents of every shape, runs of products") {
  RandomStream random({3, 0, 0, "kernels"});
  for (const LaneKernel* kernel : kernels()) {
    CAPTURE(kernel->name);
    const std::vector<mpz_class> moduli{moduli_of(257, random)[0], moduli_of(256, random)[1]};
    const SquareRing ring(moduli, *kernel);
    std::vector<mpz_class> values;
    for (int k = 0; k < 7; ++k) values.push_back(random_bits(random, 1000));
    const Elements x = ring.elements(values);
    const std::vector<mpz_class> by_modulus{random_bits(random, 200), 3};
    std::vector<mpz_class> by_lane;
    for (int k = 0; k < 14; ++k) by_lane.push_back(random_bits(random, k == 5 ? 1 : 100));
    by_lane[6] = 0;
    const auto first = ring.residues(ring.powers(x, by_modulus));
    const auto second = ring.residues(ring.powers(x, by_lane));
    const auto runs = ring.residues(ring.run_products(ring.pick(x, 1, 1), 3));
    const auto picked = ring.residues(ring.pick(x, 1, 3));
    for (std::size_t lane = 0; lane < 14; ++lane) {
      const mpz_class square = moduli[lane % 2] * moduli[lane % 2];
      const mpz_class value = values[lane / 2] % square;
      CHECK(first[lane] == power(value, by_modulus[lane % 2], square));
      CHECK(second[lane] == power(value, by_lane[lane], square));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const mpz_class square = moduli[k] * moduli[k];
      CHECK(runs[k] == values[1] * values[2] % square * values[3] % square);
      CHECK(picked[2 + k] == values[4] % square);
    }
    CHECK_THROWS_AS(ring.powers(x, std::vector<mpz_class>(3, 1)), RunError);
  }
}

TEST_CASE(
    "fixed base: powers from the table are GMP's, for few exponents and many, and too long ones are "
    "refused") {
  RandomStream random({4, 0, 0, "kernels"});
  for (const LaneKernel* kernel : kernels()) {
    CAPTURE(kernel->name);
    for (const std::size_t moduli : {1, 2}) {
      std::vector<mpz_class> m;
      for (std::size_t k = 0; k < moduli; ++k) m.push_back(moduli_of(300, random)[k]);
      const SquareRing ring(m, *kernel);
      const mpz_class base = random_bits(random, 590);
      for (const unsigned window : {2U, 5U, 8U}) {
        const FixedBase table(ring, base, 203, window);
        CHECK(table.bytes() == FixedBase::bytes_for(ring, 203, window));
        for (const std::size_t items : {1, 2, 3, 5, 8, 11}) {
          std::vector<mpz_class> exponents;
          for (std::size_t k = 0; k < items * moduli; ++k) exponents.push_back(random_bits(random, 203));
          exponents[0] = (mpz_class(1) << 203) - 1;
          exponents.back() = 0;
          const auto powers = ring.residues(table.powers(exponents));
          bool same = powers.size() == exponents.size();
          for (std::size_t k = 0; same && k < powers.size(); ++k)
            same = powers[k] == power(base, exponents[k], m[k % moduli] * m[k % moduli]);
          CHECK(same);
        }
        CHECK_THROWS_AS(table.powers(std::vector<mpz_class>(moduli, mpz_class(1) << 203)), RunError);
      }
    }
  }
}
