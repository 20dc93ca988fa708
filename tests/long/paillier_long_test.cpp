// SPDX-License-Identifier: MIT
// Paillier at length: the byte forms under a million broken inputs, a hundred thousand packed exchanges at the ends of their
// slots, and what the private exchanges reach on experiment 1.
#include <doctest/doctest.h>

#include <cmath>

#include "crypto/paillier/cryptosystem.h"
#include "crypto/paillier/numbers.h"
#include "crypto/paillier/packing.h"
#include "crypto/paillier/wire.h"
#include "tests/support/experiments.h"
#include "tests/support/mutate.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

PaillierPrivateKey key_of(PaillierKind kind, std::size_t bits, std::uint64_t seed) {
  RandomStream random({seed, 0, 0, "long paillier"});
  return generate_paillier_key(kind, bits, random);
}

std::string text(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Taken, or refused with a CryptoError; nothing else. Returns how many were taken.
template <class Parse>
int fuzz_bytes(const std::vector<std::string>& seeds, int inputs, std::uint64_t number, Parse parse) {
  RandomStream random({number, 0, 0, "fuzz"});
  int taken = 0;
  for (int k = 0; k < inputs; ++k) {
    const std::string input = mutate(seeds[random.below(seeds.size())], random, {}, seeds);
    try {
      parse(std::span(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()));
      ++taken;
    } catch (const CryptoError&) {
    }
  }
  return taken;
}

}  // namespace

TEST_CASE("byte forms: a million broken keys and ciphertexts: taken or a CryptoError, nothing else") {
  std::vector<PaillierPrivateKey> keys;
  std::vector<std::string> publics;
  std::vector<std::string> privates;
  for (const PaillierKind kind : {PaillierKind::standard, PaillierKind::djn, PaillierKind::subgroup}) {
    keys.push_back(key_of(kind, 128, keys.size()));
    publics.push_back(text(keys.back().shared.bytes()));
    privates.push_back(text(keys.back().bytes()));
  }
  const int good_publics = fuzz_bytes(publics, 400'000, 1, [](auto bytes) {
    const PaillierPublicKey key = PaillierPublicKey::from_bytes(bytes);
    if (!(PaillierPublicKey::from_bytes(key.bytes()) == key)) throw RunError("does not go round");
  });
  const int good_privates = fuzz_bytes(privates, 300'000, 2, [](auto bytes) {
    const PaillierPrivateKey key = PaillierPrivateKey::from_bytes(bytes);
    if (key.shared.n != key.p * key.q) throw RunError("n is not p q");
  });
  const PaillierSecret secret(keys[1], 1 << 22);
  const PaillierPublic anybody(keys[1].shared, 1 << 22);
  RandomStream random({3, 0, 0, "fuzz"});
  const std::vector<std::string> ciphertexts{
      text(write_ciphertexts(secret.encrypt(Numbers{5, -6}, random), keys[1].shared))};
  const int good_ciphertexts = fuzz_bytes(ciphertexts, 300'000, 4, [&](auto bytes) {
    const Numbers c = read_ciphertexts(bytes, keys[1].shared, 2);
    secret.decrypt(c);
  });
  MESSAGE("taken: ", good_publics, " public keys, ", good_privates, " private keys, ", good_ciphertexts,
          " ciphertexts");
  CHECK(good_publics > 1000);  // a mutation may leave a key valid: another n is another key
  CHECK(good_privates > 100);
  CHECK(good_ciphertexts > 1000);
}

TEST_CASE(
    "packed exchanges: 100,000 ciphertexts at and near the ends of their range, three kinds of key, without "
    "one "
    "wrong") {
  std::uint64_t done = 0;
  for (const PaillierKind kind : {PaillierKind::standard, PaillierKind::djn, PaillierKind::subgroup}) {
    const PaillierPrivateKey key = key_of(kind, 512, 9);
    const PaillierSecret secret(key, 1 << 24);
    const PaillierPublic anybody(key.shared, 1 << 24);
    RandomStream random({10, 0, 0, "packed"});
    for (const auto& [a, gamma] : {std::pair{40, 20}, {20, 13}, {60, 40}, {5, 3}, {62, 62}}) {
      const SlotPacking packing(key.shared.bits(), a + gamma + 2);
      const std::int64_t top = (std::int64_t{1} << a) - 1;
      const std::int64_t factor_top = static_cast<std::int64_t>((std::uint64_t{1} << gamma) - 1);
      const auto near_the_end = [&]() -> std::int64_t {
        const auto off = static_cast<std::int64_t>(random.below(3));
        switch (random.below(4)) {
          case 0:
            return top - off;
          case 1:
            return off - top;
          case 2:
            return off - 1;
          default:
            return static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(top) + 1)) - top;
        }
      };
      for (int k = 0; k < 840; ++k) {
        const std::size_t count = packing.slots() * 8;
        std::vector<Int128> mine(count);
        std::vector<Int128> addend(count);
        std::vector<Int128> expected(count);
        const std::int64_t factor = factor_top - static_cast<std::int64_t>(random.below(2));
        for (std::size_t e = 0; e < count; ++e) {
          mine[e] = near_the_end();
          addend[e] = Int128{factor} * near_the_end();
          expected[e] = factor * mine[e] + addend[e];
        }
        const Numbers reply =
            anybody.respond(secret.encrypt(packing.pack(mine), random),
                            Numbers{mpz_class(static_cast<long>(factor))}, packing.pack(addend), random);
        REQUIRE((packing.unpack(secret.decrypt(reply), count) == expected));
        done += reply.size();
      }
    }
  }
  CHECK(done >= 100'000);
}

TEST_CASE(
    "private exchanges on experiment 1: mean gap at most .3 % after 200 rounds, 20 trials, min_degree = 2") {
  for (const char* privacy : {"neighborhood-sum", "per-entry"}) {
    CAPTURE(privacy);
    Experiment e = read_experiment(scenario_file("ppdnmf-paillier.toml"), {{"trials", "20"},
                                                                           {"seed", "2031"},
                                                                           {"algorithm.stop", "never"},
                                                                           {"exchange.privacy", privacy},
                                                                           {"output.metrics_every", "201"}});
    e.methods.erase(e.methods.begin());  // plain: the same to the last bit, which another test shows
    const auto all = run_and_summarize(e);
    const Spread& gap = method(all, "plain").figure("gap_percent");
    MESSAGE(std::string(privacy), ": mean gap ", gap.mean, " %, worst ", gap.max, " %");
    CHECK(method(all, "plain").rounds.max == 200);
    CHECK(gap.mean <= 0.3);
  }
}
