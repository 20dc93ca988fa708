// Every scheme in the table keeps the same promises: a newcomer is tested at once.
#include <doctest/doctest.h>

#include "base/random_stream.h"
#include "crypto/schemes.h"

using namespace sotto;

namespace {

std::int64_t power(int bits) {
  return std::int64_t{1} << bits;
}

/// Values at and near both ends of the range, and in between.
std::vector<std::int64_t> extremes(int bits, std::size_t entries, RandomStream& random) {
  std::vector<std::int64_t> v(entries);
  for (auto& x : v) x = static_cast<std::int64_t>(random.below(2 * power(bits) - 1)) - power(bits) + 1;
  v[0] = power(bits) - 1;
  v[1] = -v[0];
  v[2] = 0;
  v[3] = -1;
  return v;
}

}  // namespace

TEST_CASE("scheme contract: respond gives factor * m + addend, at the ends of the range too") {
  for (const SchemeEntry& entry : schemes()) {
    CAPTURE(entry.name);
    const auto scheme = make_scheme(entry.name);
    for (const auto& [value_bits, factor_bits] : {std::pair{1, 1}, {24, 14}, {40, 20}, {44, 20}, {61, 40}}) {
      CAPTURE(value_bits);
      const ExchangeRange range{40, value_bits, factor_bits};
      RandomStream random({1, 0, 0, entry.name});
      const auto owner = scheme->generate_keys(range, random);
      const auto responder = scheme->open_public_key(range, owner->public_key());
      const auto mine = extremes(value_bits, range.entries, random);
      const auto theirs = extremes(value_bits, range.entries, random);
      for (const std::int64_t factor : {power(factor_bits) - 1, std::int64_t{1}, std::int64_t{0}}) {
        std::vector<std::int64_t> negated;
        std::vector<Int128> addend;
        for (std::size_t e = 0; e < mine.size(); ++e) {
          negated.push_back(-mine[e]);
          addend.push_back(Int128{factor} * theirs[e]);
        }
        const Bytes request = owner->encrypt(negated, random);
        const auto reply = owner->decrypt(responder->respond(request, factor, addend, random));
        for (std::size_t e = 0; e < mine.size(); ++e)
          CHECK((reply[e] == Int128{factor} * (Int128{theirs[e]} - mine[e])));
      }
    }
  }
}

TEST_CASE("scheme contract: out of range, foreign or truncated is a CryptoError") {
  for (const SchemeEntry& entry : schemes()) {
    CAPTURE(entry.name);
    const auto scheme = make_scheme(entry.name);
    const ExchangeRange range{3, 10, 5};
    RandomStream random({1, 0, 0, entry.name});
    const auto owner = scheme->generate_keys(range, random);
    const auto responder = scheme->open_public_key(range, owner->public_key());
    const std::vector<std::int64_t> good{1, -1023, 1023};
    const std::vector<Int128> zero(3, 0);
    const Bytes request = owner->encrypt(good, random);
    CHECK_THROWS_AS(owner->encrypt(std::vector<std::int64_t>{0, 0, 1024}, random), CryptoError);
    CHECK_THROWS_AS(owner->encrypt(std::vector<std::int64_t>{0, -1024, 0}, random), CryptoError);
    CHECK_THROWS_AS(owner->encrypt(std::vector<std::int64_t>{0, 0}, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, 32, zero, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, -1, zero, random), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, 1, std::vector<Int128>(2, 0), random), CryptoError);
    CHECK_THROWS_AS(responder->respond({request.data(), request.size() - 1}, 1, zero, random), CryptoError);
    const Bytes reply = responder->respond(request, 31, zero, random);
    CHECK_THROWS_AS(owner->decrypt({reply.data(), reply.size() - 1}), CryptoError);
    CHECK_THROWS_AS(owner->decrypt({}), CryptoError);
    CHECK_THROWS_AS(responder->respond(request, 1, std::vector<Int128>(3, Int128{1} << 40), random),
                    CryptoError);
    CHECK_THROWS_AS(scheme->generate_keys({3, 62, 63}, random), CryptoError);
  }
}

TEST_CASE("schemes: an unknown name is an error") {
  CHECK_THROWS_AS(make_scheme("rot13"), CryptoError);
}
