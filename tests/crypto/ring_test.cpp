// SPDX-License-Identifier: MIT
// Rings of 192 and 256 bits against GMP, and the numbers of a normalized sum.
#include <doctest/doctest.h>
#include <gmpxx.h>

#include <cmath>

#include "base/random_stream.h"
#include "crypto/normed_sum_plan.h"
#include "crypto/ring.h"
#include "tests/support/repetitions.h"

using namespace sotto;

namespace {

template <std::size_t N>
mpz_class number(const WideWord<N>& x) {
  mpz_class n;
  mpz_import(n.get_mpz_t(), N, -1, 8, 0, 0, x.words().data());
  return n;
}

template <std::size_t N>
WideWord<N> draw(RandomStream& random) {
  std::array<std::uint64_t, N> words{};
  // often all ones or zeros: carries that run through
  for (std::uint64_t& w : words)
    w = random.below(4) == 0 ? (random.below(2) == 0 ? 0 : ~std::uint64_t{0}) : random.next();
  return WideWord<N>::of_words(words);
}

template <std::size_t N>
void compare_with_gmp() {
  RandomStream random({1, 0, 0, "ring"});
  const mpz_class modulus = mpz_class(1) << static_cast<unsigned>(64 * N);
  const auto reduced = [&](const mpz_class& x) {
    mpz_class r;
    mpz_mod(r.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t());
    return r;
  };
  for (int k = 0; k < testing::repetitions(2000, 200); ++k) {
    const auto a = draw<N>(random);
    const auto b = draw<N>(random);
    const int bits = static_cast<int>(random.below(64 * N));
    CHECK(number(a + b) == reduced(number(a) + number(b)));
    CHECK(number(a - b) == reduced(number(a) - number(b)));
    CHECK(number(-a) == reduced(-number(a)));
    CHECK(number(a * b) == reduced(number(a) * number(b)));
    CHECK(number(a << bits) == reduced(number(a) << static_cast<unsigned>(bits)));
    CHECK(number(a >> bits) == number(a) >> static_cast<unsigned>(bits));
    const auto x = static_cast<std::int64_t>(random.next());
    CHECK(number(ring_element<WideWord<N>>(x)) == reduced(mpz_class(static_cast<long>(x))));
  }
}

}  // namespace

TEST_CASE("elements of 192 and 256 bits add, subtract, multiply and shift as GMP's numbers do") {
  compare_with_gmp<3>();
  compare_with_gmp<4>();
  const Ring256 wide = (Ring256(7) << 200) + (Ring256(5) << 130) + Ring256(3);
  CHECK(narrow<Ring128>(wide) == 3);
  CHECK(narrow<Ring192>(wide) == (Ring192(5) << 130) + Ring192(3));
  CHECK(widen(narrow<Ring192>(wide)) == (Ring256(5) << 130) + Ring256(3));
  CHECK(ring_element<Ring128>(-1) == ~Ring128{0});
}

TEST_CASE("Newton's steps bring every norm in the range to 1, whatever B and f, and never beyond") {
  for (const int B : {1, 4, 10, 11, 12, 13, 14, 16})
    for (const int f : {10, 20, 31}) {
      if (f == 31 && B > 10) continue;  // fits no ring
      const NormedSumPlan plan = NormedSumPlan::make(5, 1000, 1, f, B);
      const double unit = std::ldexp(1.0, plan.constant_bits);
      for (int k = 0; k <= 2000; ++k) {
        // y |s|, from y = 2^-h, for |s| from 2^-B to M
        const double norm = std::exp2(-B + (B + std::log2(5)) * k / 2000.0);
        double x = std::ldexp(norm, -plan.headroom_bits);
        for (const NewtonStep& step : plan.steps)
          x *= (static_cast<double>(step.c1) - static_cast<double>(step.c3) * x * x) / unit;
        CHECK(x <= 1 + 1e-15);
        CHECK(1 - x <= std::ldexp(1.0, -plan.inverse_bits));
      }
      CHECK(plan.steps.size() <= static_cast<std::size_t>(B) + 9);
    }
}

TEST_CASE("numbers that fit no ring are refused with what to lower") {
  CHECK_THROWS_WITH_AS(NormedSumPlan::make(3, 1000, 1, 31, 16), doctest::Contains("norm_bound_bits"),
                       CryptoError);
  CHECK_THROWS_WITH_AS(NormedSumPlan::make(3, 0, 1, 20, 10), doctest::Contains("without entries"),
                       CryptoError);
  CHECK(NormedSumPlan::make(1, 1000, 1, 20, 15).vector_bits == 128);
  CHECK(NormedSumPlan::make(1, 1000, 1, 21, 15).vector_bits == 192);  // f + B + log2(M) <= 35 fits 128
  CHECK(NormedSumPlan::make(8, 1000, 1, 20, 12).vector_bits == 128);
  CHECK(NormedSumPlan::make(8, 1000, 1, 20, 13).vector_bits == 192);
  CHECK(NormedSumPlan::make(1, 10000, 1, 20, 10).steps.size() <= 12);
  CHECK(NormedSumPlan::make(5, 10000, 1, 20, 10).steps.size() <= 14);
}
