// SEAL's two engines and the schemes on them: parameters that fit, seeds, sharing, and what one engine makes the other opens.
#include <doctest/doctest.h>

#include <cmath>

#include "crypto/range_checks.h"
#include "crypto/schemes.h"
#include "crypto/seal/plan.h"
#include "crypto/seal/residues.h"
#include "crypto/seal/wire.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

ExchangeRange range_of(std::size_t entries, int value_bits, int factor_bits, Replies replies = Replies::each,
                       std::size_t senders = 1, bool per_entry = false) {
  ExchangeRange range{entries, value_bits, factor_bits, per_entry, replies, 0};
  range.slot_bits = range.slot_bits_for(senders);
  range.senders = senders;
  return range;
}

StreamKey seed(std::uint64_t number) {
  return RandomStream({number, 0, 0, "seal test"}).next_key();
}

/// Both ends of the range, and in between.
std::vector<std::int64_t> extremes(int bits, std::size_t entries, RandomStream& random) {
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  std::vector<std::int64_t> values(entries);
  for (auto& v : values)
    v = random.below(3) == 0
            ? static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most
        : random.below(2) == 0 ? most
                               : -most;
  return values;
}

const char* no_engine = "skipped: neither native SEAL nor Node.js with node-seal is here";

}  // namespace

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
            CHECK(plan.flood_bits >=
                  std::min(factor_bits, static_cast<int>(plan.plain_bits) - 1) + 4 + 40 + 13);
          Writer w;
          plan.save(w);
          const Bytes bytes = w.take();
          Reader r(bytes);
          CHECK(BfvPlan::load(r, range, flooding).text() == plan.text());
        }
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

TEST_CASE("seal: the same seed, the same ciphertext; another seed, another") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& name : seal_engines()) {
    CAPTURE(name);
    const auto engine = seal_engine(name);
    const BfvPlan plan = BfvPlan::make(range_of(10, 20, 15), 1, Flooding::full);
    const auto key = engine->generate(plan.parameters(0), seed(1), 0);
    CHECK(engine->generate(plan.parameters(0), seed(1), 5)->public_key() == key->public_key());
    CHECK(engine->generate(plan.parameters(0), seed(2), 0)->public_key() != key->public_key());
    const SealPlain plain{SealPlain::Kind::coefficients, {1, 2, 3}, 1};
    const Bytes request = key->encrypt(plain, seed(3));
    CHECK(key->encrypt(plain, seed(3)) == request);
    CHECK(key->encrypt(plain, seed(4)) != request);
    CHECK(key->expanded(request).size() == ciphertext_size(plan.degree, plan.primes.size() - 1));
    CHECK(request.size() < 0.51 * static_cast<double>(key->expanded(request).size()));  // c1 is a seed
    const auto shared = engine->open(plan.parameters(0), key->public_key(), 1);
    SealResponse response;
    response.factor.words.assign(1, 7);
    response.addend = plain;
    CHECK(shared->respond(request, response, seed(5)) == shared->respond(request, response, seed(5)));
    CHECK(shared->respond(request, response, seed(5)) != shared->respond(request, response, seed(6)));
    CHECK_THROWS_AS(shared->respond(std::span(request).first(100), response, seed(5)), CryptoError);
    CHECK_THROWS_AS(engine->open(plan.parameters(0), request, 1), CryptoError);
    SealParameters weak = plan.parameters(0);
    weak.degree = 1024;  // far too small for these primes
    CHECK_THROWS_AS(engine->generate(weak, seed(1), 0), CryptoError);
  }
}

TEST_CASE("seal: what one engine makes, the other opens") {
  if (seal_engines().size() < 2) {
    MESSAGE("skipped: needs native SEAL and Node.js with node-seal");
    return;
  }
  for (const bool turned : {false, true}) {
    const auto ours = seal_engine(turned ? "node" : "native");
    const auto theirs = seal_engine(turned ? "native" : "node");
    const BfvPlan plan = BfvPlan::make(range_of(10, 20, 15), 1, Flooding::full);
    const auto key = ours->generate(plan.parameters(0), seed(1), 0);
    const auto shared = theirs->open(plan.parameters(0), key->public_key(), 1);
    const Bytes request = key->encrypt({SealPlain::Kind::slots, {1, 2, 3}, 1}, seed(3));
    RandomStream flood({9, 0, 0, "flood"});
    const Bytes reply = shared->respond(
        request, {{SealPlain::Kind::slots, {10, 20, 30}, 1}, {SealPlain::Kind::slots, {5, 6, 7}, 1}, {}, 1},
        seed(5));
    const auto opened =
        key->decrypt(std::vector<std::span<const std::uint8_t>>{reply}, SealPlain::Kind::slots);
    CHECK(opened[0] == 15);
    CHECK(opened[1] == 46);
    CHECK(opened[2] == 97);
    CHECK(opened[3] == 0);
  }
}

TEST_CASE("seal: a hundred exchanges at the ends of the range decrypt without one wrong slot") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& engine : seal_engines())
    for (const bool per_entry : {false, true}) {
      const auto scheme = make_scheme("bfv", {"", 0, 2, nullptr, engine});
      const ExchangeRange range = range_of(8192, 24, 16, Replies::each, 1, per_entry);
      RandomStream random({1, 0, 0, "extremes"});
      const auto owner = scheme->generate_keys(range, random);
      const auto responder = scheme->open_public_key(range, owner->public_key());
      std::size_t wrong = 0;
      for (int k = 0; k < (engine == "node" ? 20 : 100); ++k) {
        const auto mine = extremes(24, range.entries, random);
        const auto theirs = extremes(24, range.entries, random);
        std::vector<std::int64_t> factors(per_entry ? range.entries : 1, 65535);
        std::vector<Int128> addend;
        for (const std::int64_t x : theirs) addend.push_back(Int128{65535} * x);
        const Bytes reply = responder->respond(owner->encrypt(mine, random), factors, addend, {}, random);
        const auto opened = owner->decrypt_sum(std::vector<std::span<const std::uint8_t>>{reply},
                                               std::vector<std::vector<std::int64_t>>{{1}});
        for (std::size_t e = 0; e < range.entries; ++e)
          wrong += opened[e] != Int128{65535} * (mine[e] + theirs[e]);
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("seal: what is planned is what is measured: noise stays within its bound, to a few bits") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& name : seal_engines()) {
    const auto engine = seal_engine(name);
    const ExchangeRange range = range_of(100, 20, 15);
    const BfvPlan plan = BfvPlan::make(range, 1, Flooding::full);
    const auto key = engine->generate(plan.parameters(0), seed(1), 0);
    const auto shared = engine->open(plan.parameters(0), key->public_key(), 1);
    const Bytes request = key->encrypt({SealPlain::Kind::coefficients, {1, 2, 3}, 1}, seed(3));
    RandomStream random({9, 0, 0, "flood"});
    SealResponse response{
        {SealPlain::Kind::coefficients, {32767}, 1}, {SealPlain::Kind::coefficients, {5}, 1}, {}, 0};
    response.onto = flood_words(plan, random);
    double bits = 0;
    for (std::size_t k = 0; k + 1 < plan.primes.size(); ++k)
      bits += std::log2(static_cast<double>(plan.primes[k]));
    const double left = bits - 1 - plan.plain_bits - plan.flood_bits;  // all primes kept
    const int measured = key->noise_budget(shared->respond(request, response, seed(5)));
    CHECK(measured >= std::floor(left));
    CHECK(measured <= left + 2);  // the flood is there, as large as it says
    response.onto.clear();
    CHECK(key->noise_budget(shared->respond(request, response, seed(5))) > left + 40);
    response.onto = flood_words(plan, random);
    response.drop = plan.primes.size() - 1 - plan.keep;
    CHECK(key->noise_budget(shared->respond(request, response, seed(5))) >= 1);
  }
}
