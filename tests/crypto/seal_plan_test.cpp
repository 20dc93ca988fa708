// SPDX-License-Identifier: MIT
// What is decided before SEAL is asked: parameters that fit, residues and back, keys that ask for too little.
#include <doctest/doctest.h>

#include <cmath>

#include "crypto/seal/plan.h"
#include "crypto/seal/residues.h"
#include "tests/support/exchange_ranges.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("seal: numbers wider than one modulus come back from their residues") {
  const std::vector<std::uint64_t> moduli = ntt_primes(8192, 43, 3);
  CHECK(moduli[0] > moduli[1]);
  for (const std::uint64_t t : moduli) CHECK(t % 16384 == 1);
  RandomStream random({1, 0, 0, "residues"});
  for (int k = 0; k < 1000; ++k) {
    const std::size_t count = 1 + random.below(3);
    const int bits = static_cast<int>(random.below(static_cast<std::uint64_t>(42 * count)));
    Int128 value =
        static_cast<Int128>((static_cast<UInt128>(random.next()) << 64 | random.next()) >> (127 - bits));
    if (random.below(2) == 0) value = -value;
    std::vector<std::uint64_t> residues;
    for (std::size_t m = 0; m < count; ++m) residues.push_back(residue_of(value, moduli[m]));
    CHECK((centered(residues, std::span(moduli).first(count)) == value));
  }
  for (const std::uint64_t p : {moduli[0], std::uint64_t{114689}, (std::uint64_t{1} << 60) - 93}) {
    const PrimeReduction reduce(p);
    for (int k = 0; k < 1000; ++k) {
      const UInt128 x = static_cast<UInt128>(random.next()) << 64 | random.next();
      CHECK(reduce(x) == static_cast<std::uint64_t>(x % p));
    }
    CHECK(reduce(~UInt128{0}) == static_cast<std::uint64_t>(~UInt128{0} % p));
    CHECK(reduce(0) == 0);
    CHECK(reduce(p) == 0);
  }
}

TEST_CASE("seal: parameters for every range that an exchange can have, and none below what hides") {
  for (const Flooding flooding : {Flooding::full, Flooding::none})
    for (const bool per_entry : {false, true})
      for (int value_bits = 1; value_bits <= 62; value_bits += 5)
        for (int factor_bits = 1; factor_bits <= 60; factor_bits += 7) {
          const ExchangeRange range = range_of(100, value_bits, factor_bits, Replies::each, 1, per_entry);
          if (range.slot_bits > ExchangeRange::max_slot_bits) continue;
          const BfvPlan plan = BfvPlan::make(range, 1, flooding);
          double product = 0;
          for (const std::uint64_t t : plan.plain_moduli) product += std::log2(static_cast<double>(t));
          CHECK(product > range.slot_bits + 1);
          CHECK(plan.failure_log2 < -40);
          CHECK((plan.flood_bits > 0) == (flooding == Flooding::full));
          if (flooding == Flooding::full && !per_entry)
            CHECK(plan.flood_bits >= std::min(factor_bits, static_cast<int>(plan.plain_bits)) + 4 + 40 + 13);
          Writer w;
          plan.save(w);
          const Bytes bytes = w.take();
          Reader r(bytes);
          CHECK(BfvPlan::load(r, range, flooding).text() == plan.text());
        }
}

TEST_CASE("keys of different parameters from one seed have nothing in common") {
  ExchangeRange common;
  common.entries = 100;
  common.value_bits = common.factor_bits = 62;
  common.slot_bits = common.reply_bits();
  ExchangeRange each = common;
  each.factor_per_entry = true;
  const BfvPlan a = BfvPlan::make(common, 1, Flooding::full);
  const BfvPlan b = BfvPlan::make(each, 1, Flooding::full);
  REQUIRE(a.primes != b.primes);
  CHECK(a.primes.back() ==
        b.primes.back());  // the one that SEAL reserves: a division modulo it would give the secret
  StreamKey seed{};
  CHECK(a.parameters(0).key_seed(seed) != b.parameters(0).key_seed(seed));
  CHECK(a.parameters(0).key_seed(seed) != a.parameters(1).key_seed(seed));
  CHECK(a.parameters(0).key_seed(seed) == a.parameters(0).key_seed(seed));
  CHECK(a.parameters(0).key_seed(seed) != seed);
}

TEST_CASE("guard: a key that asks for less flood than hides, or for another exchange, is refused") {
  const ExchangeRange range = range_of(100, 20, 15);
  const BfvPlan plan = BfvPlan::make(range, 1, Flooding::full);
  const auto load = [&](BfvPlan p, const ExchangeRange& its) {
    Writer w;
    p.save(w);
    const Bytes bytes = w.take();
    Reader r(bytes);
    return BfvPlan::load(r, its, Flooding::full);
  };
  CHECK_NOTHROW(load(plan, range));
  for (const int less : {0, 1, plan.flood_bits - 1}) {
    BfvPlan weak = plan;
    weak.flood_bits = static_cast<std::uint8_t>(less);
    CHECK_THROWS_WITH_AS(load(weak, range), doctest::Contains("hide too little"), CryptoError);
  }
  BfvPlan none_kept = plan;
  none_kept.keep = 0;
  CHECK_THROWS_AS(load(none_kept, range), CryptoError);
  CHECK_THROWS_AS(load(plan, range_of(100, 40, 15)), CryptoError);
}
