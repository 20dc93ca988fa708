// SPDX-License-Identifier: MIT
// Every scheme in the table keeps the same promises, with every kind of key: a newcomer is tested at once.
#include <doctest/doctest.h>

#include "base/random_stream.h"
#include "crypto/paillier/keys.h"
#include "crypto/schemes.h"
#include "tests/support/exchange_ranges.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

struct Variant {
  std::string scheme, keys;
  std::string engine = "auto";
  std::unique_ptr<AdditiveScheme> make() const {
    SchemeOptions options{PaillierKind::djn, 512, from_word<SealChoice>(engine)};
    if (find_scheme(scheme).has_key_kinds) options.keys = from_word<PaillierKind>(keys);
    return make_scheme(scheme, {options, 3, nullptr});
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const SchemeEntry& entry : schemes()) {
    if (entry.uses_seal) {
      for (const std::string& engine : seal_engines())
        all.push_back({std::string(entry.name), "djn", engine});
      continue;
    }
    if (!entry.has_key_kinds) {
      all.push_back({std::string(entry.name), "djn"});
      continue;
    }
    for (const char* keys : {"standard", "djn", "subgroup"}) all.push_back({std::string(entry.name), keys});
  }
  return all;
}

std::int64_t power(int bits) {
  return std::int64_t{1} << bits;
}

std::span<const std::uint8_t> view(const Bytes& b) {
  return b;
}

}  // namespace

TEST_CASE("scheme contract: one reply opens to factor * m + addend, at the ends of the range too") {
  for (const Variant& variant : variants()) {
    CAPTURE(variant.scheme);
    CAPTURE(variant.keys);
    const auto scheme = variant.make();
    for (const auto& [value_bits, factor_bits] : {std::pair{1, 1}, {24, 14}, {40, 20}, {44, 20}, {61, 40}}) {
      CAPTURE(value_bits);
      const ExchangeRange range = range_of(23, value_bits, factor_bits, Replies::each, 1);
      RandomStream random({1, 0, 0, variant.scheme});
      if (variant.scheme == "ckks" && range.slot_bits > 46) {
        CHECK_THROWS_AS(scheme->generate_keys(range, random), CryptoError);
        continue;
      }
      const auto owner = scheme->generate_keys(range, random);
      const auto responder = scheme->open_public_key(range, owner->public_key());
      const auto mine = extremes(value_bits, range.entries, random);
      const auto theirs = extremes(value_bits, range.entries, random);
      for (const std::int64_t factor : {power(factor_bits) - 1, std::int64_t{1}, std::int64_t{0}}) {
        std::vector<Int128> addend;
        for (const std::int64_t x : theirs) addend.push_back(Int128{factor} * x);
        const Bytes request = owner->encrypt(mine, random);
        const Bytes reply = responder->respond(request, std::vector{factor}, addend, {}, random);
        const auto opened =
            owner->decrypt_sum(std::vector{view(reply)}, std::vector<std::vector<std::int64_t>>{{1}});
        for (std::size_t e = 0; e < mine.size(); ++e)
          CHECK((opened[e] == Int128{factor} * (Int128{theirs[e]} + mine[e])));
      }
    }
  }
}

TEST_CASE(
    "scheme contract: sums of three replies, weighted, per entry, or masked, at the ends of the range") {
  constexpr std::size_t senders = 3;
  for (const Variant& variant : variants()) {
    CAPTURE(variant.scheme);
    CAPTURE(variant.keys);
    const auto scheme = variant.make();
    for (const auto& [replies, per_entry] : {std::pair{Replies::each, false},
                                             {Replies::each, true},
                                             {Replies::weighted, false},
                                             {Replies::summed, false},
                                             {Replies::shared, false},
                                             {Replies::shared, true}}) {
      const bool seal =
          find_scheme(variant.scheme).uses_seal;  // what a scheme never chooses is not asked of it
      if ((variant.scheme == "plain" || seal) && replies == Replies::weighted) continue;
      if (replies == Replies::shared && !variant.scheme.starts_with("bfv")) continue;
      CAPTURE(static_cast<int>(replies));
      CAPTURE(per_entry);
      const ExchangeRange range = range_of(19, 30, 12, replies, senders, per_entry);
      RandomStream random({2, 0, 0, variant.scheme});
      const auto owner = scheme->generate_keys(range, random);
      const auto mine = extremes(30, range.entries, random);
      const Bytes request = owner->encrypt(mine, random);
      std::vector<Int128> expected(range.entries, 0);
      std::vector<Bytes> answers;
      std::vector<std::vector<std::int64_t>> weights;
      std::vector<StreamKey> pair_keys;
      for (int pair = 0; pair < 3; ++pair) pair_keys.push_back(random.next_key());
      for (std::size_t j = 0; j < senders; ++j) {
        ExchangeRange its = range;
        its.place = j;
        its.party = j + 1;
        const auto responder = scheme->open_public_key(its, owner->public_key());
        const auto theirs = extremes(30, range.entries, random);
        std::vector<std::int64_t> factors(per_entry ? range.entries : 1);
        for (auto& f : factors) f = static_cast<std::int64_t>(random.below(power(12)));
        factors[0] = power(12) - 1;
        weights.emplace_back(per_entry ? range.entries : 1,
                             power(12) - 1 - (replies == Replies::summed ? 0 : static_cast<std::int64_t>(j)));
        std::vector<Int128> addend(range.entries);
        for (std::size_t e = 0; e < range.entries; ++e) {
          const Int128 f = factors[per_entry ? e : 0];
          addend[e] = f * theirs[e];
          expected[e] += Int128{weights[j][per_entry ? e : 0]} * (f * mine[e] + addend[e]);
        }
        // pair k joins the two senders other than k: one adds, the other subtracts
        std::vector<RandomStream> streams;
        std::vector<PairMask> masks;
        for (std::size_t pair = 0; pair < 3 && replies == Replies::summed; ++pair)
          if (pair != j) streams.emplace_back(pair_keys[pair]);
        for (std::size_t k = 0; k < streams.size(); ++k) {
          const std::size_t pair = k + (k >= j ? 1 : 0);
          masks.push_back({&streams[k], (pair + 1) % 3 == j});
        }
        answers.push_back(responder->respond(request, factors, addend, masks, random));
        for (const RandomStream& stream : streams) CHECK(stream.position() == responder->mask_words());
      }
      std::vector<std::span<const std::uint8_t>> replies_seen(answers.begin(), answers.end());
      if (replies == Replies::summed)  // under its masks a reply alone is noise
        CHECK_THROWS_AS(owner->decrypt_sum(std::vector{view(answers[1])},
                                           std::vector<std::vector<std::int64_t>>{weights[1]}),
                        CryptoError);
      const auto opened = owner->decrypt_sum(replies_seen, weights);
      for (std::size_t e = 0; e < range.entries; ++e) CHECK((opened[e] == expected[e]));
    }
  }
}

TEST_CASE("scheme contract: out of range, foreign or truncated is a CryptoError") {
  using Values = std::vector<std::int64_t>;
  for (const Variant& variant : variants()) {
    CAPTURE(variant.scheme);
    CAPTURE(variant.keys);
    const auto scheme = variant.make();
    const ExchangeRange range = range_of(3, 10, 5, Replies::each, 1);
    RandomStream random({1, 0, 0, variant.scheme});
    const auto owner = scheme->generate_keys(range, random);
    const auto responder = scheme->open_public_key(range, owner->public_key());
    const std::vector<Int128> zero(3, 0);
    const std::vector<std::vector<std::int64_t>> weight{{1}};
    const Bytes request = owner->encrypt(Values{1, -1023, 1023}, random);
    const std::uint64_t before = random.position();
    CHECK_THROWS_AS(owner->encrypt(Values{0, 0, 1024}, random), CryptoError);
    CHECK_THROWS_AS(owner->encrypt(Values{0, -1024, 0}, random), CryptoError);
    CHECK_THROWS_AS(owner->encrypt(Values{0, 0}, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, Values{32}, zero, {}, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, Values{-1}, zero, {}, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, Values{1, 1}, zero, {}, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, Values{1}, std::vector<Int128>(2, 0), {}, random),
                    CryptoError);
    CHECK_THROWS_AS(responder->respond({request.data(), request.size() - 1}, Values{1}, zero, {}, random),
                    CryptoError);
    CHECK_THROWS_AS(
        responder->respond(request, Values{1}, std::vector<Int128>(3, Int128{1} << 15), {}, random),
        CryptoError);
    RandomStream mask({1, 0, 0, "mask"});
    CHECK_THROWS_AS(
        responder->respond(request, Values{1}, zero, std::vector<PairMask>{{&mask, false}}, random),
        CryptoError);
    CHECK(random.position() ==
          before);  // refused before anything was drawn, so before anything was encrypted
    const Bytes reply = responder->respond(request, Values{31}, zero, {}, random);
    const auto opens = [&](std::span<const std::uint8_t> bytes) {
      owner->decrypt_sum(std::vector{bytes}, weight);
    };
    CHECK_THROWS_AS(opens({reply.data(), reply.size() - 1}), CryptoError);
    CHECK_THROWS_AS(opens({}), CryptoError);
    CHECK_THROWS_AS(owner->decrypt_sum(std::vector{view(reply)}, {}), CryptoError);
    CHECK_THROWS_AS(owner->decrypt_sum(std::vector{view(reply)}, std::vector<Values>{{32}}), CryptoError);
    ExchangeRange wide = range;
    wide.value_bits = 63;
    CHECK_THROWS_AS(scheme->generate_keys(wide, random), CryptoError);
    wide = range;
    wide.slot_bits = range.reply_bits() - 1;
    CHECK_THROWS_AS(scheme->open_public_key(wide, owner->public_key()), CryptoError);
  }
}

TEST_CASE("keys of other kinds and sizes from the same seed have nothing in common") {
  const ExchangeRange range = range_of(1, 10, 5, Replies::each, 1);
  std::vector<mpz_class> moduli;
  for (const char* keys : {"standard", "djn", "subgroup"})
    for (const std::size_t bits : {128, 256}) {
      RandomStream random({1, 0, 0, "same"});
      const auto owner =
          make_scheme("paillier", {{from_word<PaillierKind>(keys), bits}, 2})->generate_keys(range, random);
      moduli.push_back(PaillierPublicKey::from_bytes(owner->public_key()).n);
    }
  for (std::size_t a = 0; a < moduli.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) CHECK(gcd(moduli[a], moduli[b]) == 1);
}

TEST_CASE("schemes: an unknown name is an error") {
  CHECK_THROWS_AS(make_scheme("rot13"), UnknownWord);
}
