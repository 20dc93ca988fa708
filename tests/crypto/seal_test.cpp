// SPDX-License-Identifier: MIT
// The schemes on SEAL, on every engine that is here: seeds, the ends of the range, noise as planned. Skipped where there is none.
#include <doctest/doctest.h>

#include <cmath>

#include "crypto/range_checks.h"
#include "crypto/schemes.h"
#include "crypto/seal/plan.h"
#include "crypto/seal/residues.h"
#include "crypto/seal/wire.h"
#include "tests/support/exchange_ranges.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Both ends of the range, and in between.
const char* no_engine = "skipped: neither native SEAL nor Node.js with node-seal is here";

}  // namespace

TEST_CASE("seal: the same seed, the same ciphertext; another seed, another") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& name : seal_engines()) {
    CAPTURE(name);
    const auto engine = seal_engine(from_word<SealChoice>(name));
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

TEST_CASE("seal: a hundred exchanges at the ends of the range decrypt without one wrong slot") {
  if (seal_engines().empty()) MESSAGE(no_engine);
  for (const std::string& engine : seal_engines())
    for (const bool per_entry : {false, true}) {
      const auto scheme = make_scheme("bfv", {{.seal_engine = from_word<SealChoice>(engine)}, 2});
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
    const auto engine = seal_engine(from_word<SealChoice>(name));
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
