// SPDX-License-Identifier: MIT
// Paillier: known answers, keys and their byte forms, and the rules that are not negotiable, each with the attack that its
// absence allows.
#include <doctest/doctest.h>

#include <set>

#include "crypto/paillier/cryptosystem.h"
#include "crypto/paillier/numbers.h"
#include "crypto/paillier/packing.h"
#include "crypto/paillier/textbook.h"
#include "crypto/paillier/wire.h"
#include "crypto/schemes.h"

using namespace sotto;

namespace {

constexpr std::array kinds{PaillierKind::standard, PaillierKind::djn, PaillierKind::subgroup};
constexpr std::size_t memory = 1 << 26;

RandomStream stream(std::uint64_t n) {
  return RandomStream({n, 0, 0, "paillier test"});
}

PaillierPrivateKey key_of(PaillierKind kind, std::size_t bits, std::uint64_t seed = 1) {
  RandomStream random = stream(seed);
  return generate_paillier_key(kind, bits, random);
}

/// Every plaintext near an edge, and some in between.
Numbers plaintexts_of(const mpz_class& n, RandomStream& random) {
  const mpz_class half = n / 2;
  Numbers m{0, 1, -1, half, -half, half - 1};
  for (int k = 0; k < 5; ++k) m.emplace_back(random_below(random, n) - half);
  return m;
}

int jacobi(const mpz_class& c, const mpz_class& n) {
  return mpz_jacobi(c.get_mpz_t(), n.get_mpz_t());
}

/// What an owner can do with the answer to its own ciphertext: find the factor for which the rest is nothing but the addend.
/// Returns 0 if no factor below `bound` fits.
unsigned brute_force(const mpz_class& request, const mpz_class& reply, const mpz_class& n, unsigned bound) {
  const mpz_class square = n * n;
  const mpz_class divisor = inverse(request, square);
  mpz_class rest = reply;
  for (unsigned g = 1; g < bound; ++g) {
    rest = rest * divisor % square;
    if (rest % n == 1) return g;  // (1 + a n): no randomizer left
  }
  return 0;
}

}  // namespace

TEST_CASE("paillier: known answers") {
  // computed with Python's integers: n = p q, c = (1 + 42 n) 2^n mod n^2
  const PaillierPrivateKey key =
      PaillierPrivateKey::from_primes(mpz_class("13835058055282176067"), mpz_class("16140901064495858491"));
  const mpz_class n = key.shared.n;
  CHECK(n == mpz_class("223310303291866077510265249691778934897"));
  const mpz_class c("11125251303680941124176199468335490239978111261517342206464122089900205842581");
  const PaillierSecret secret(key, memory);
  CHECK(secret.decrypt(Numbers{c}) == Numbers{42});
  CHECK(make_textbook_secret(key)->decrypt(Numbers{c}) == Numbers{42});
  CHECK(secret.decrypt(Numbers{c * c % (n * n), power(c, 1000, n * n)}) == Numbers{84, 42000});
  CHECK(secret.decrypt(Numbers{1}) == Numbers{0});
  CHECK(secret.decrypt(Numbers{1 + n}) == Numbers{1});
  CHECK(secret.decrypt(Numbers{1 + (n - 1) * n}) == Numbers{-1});
}

TEST_CASE("paillier: whatever encrypts, whoever decrypts: owner, anybody, textbook, on every kernel") {
  for (const PaillierKind kind : kinds) {
    CAPTURE(word_of(kind));
    for (const std::size_t bits : {64, 128, 256, 1024}) {
      CAPTURE(bits);
      const PaillierPrivateKey key = key_of(kind, bits);
      CHECK(key.shared.bits() == bits);
      CHECK(greatest_common_divisor(key.p - 1, key.q - 1) == 2);
      RandomStream random = stream(2);
      const Numbers m = plaintexts_of(key.shared.n, random);
      const auto textbook = make_textbook_secret(key);
      for (const LaneKernel* kernel : kernels()) {
        if (!fits(*kernel, bits)) continue;
        for (const std::size_t tables : {std::size_t{0}, memory}) {
          const PaillierSecret secret(key, tables, *kernel);
          const PaillierPublic anybody(key.shared, tables, *kernel);
          CHECK((secret.table_bytes() > 0) == (tables > 0 && kind != PaillierKind::standard));
          CHECK(secret.decrypt(secret.encrypt(m, random)) == m);
          CHECK(secret.decrypt(anybody.encrypt(m, random)) == m);
          CHECK(textbook->decrypt(anybody.encrypt(m, random)) == m);
          CHECK(textbook->decrypt(secret.encrypt(m, random)) == m);
          if (kind != PaillierKind::subgroup)
            CHECK(secret.decrypt(make_textbook_public(key.shared)->encrypt(m, random)) == m);
          else
            CHECK_THROWS_WITH_AS(secret.decrypt(make_textbook_public(key.shared)->encrypt(m, random)),
                                 doctest::Contains("not made random the way"), CryptoError);
        }
      }
    }
  }
}

TEST_CASE("paillier: the kernels give the same ciphertexts from the same random numbers") {
  for (const PaillierKind kind : kinds) {
    const PaillierPrivateKey key = key_of(kind, 512);
    Numbers first;
    Numbers owners;
    for (const LaneKernel* kernel : kernels()) {
      const PaillierPublic anybody(key.shared, memory, *kernel);
      const PaillierSecret secret(key, memory, *kernel);
      RandomStream random = stream(3);
      const Numbers m{1, -2, 3};
      const Numbers c = anybody.respond(anybody.encrypt(m, random), Numbers{5}, Numbers{7, 8, 9}, random);
      const Numbers own = secret.encrypt(m, random);
      if (first.empty()) first = c;
      if (owners.empty()) owners = own;
      CHECK(c == first);
      CHECK(own == owners);
      // what is charged and reported does not depend on the machine either
      const PaillierPublic portable(key.shared, memory, gmp_kernel);
      const PaillierSecret portable_secret(key, memory, gmp_kernel);
      CHECK(anybody.table_bytes() == portable.table_bytes());
      CHECK(anybody.respond_cost(20) == portable.respond_cost(20));
      CHECK(secret.table_bytes() == portable_secret.table_bytes());
      CHECK(secret.encrypt_cost() == portable_secret.encrypt_cost());
    }
  }
}

TEST_CASE("paillier: respond is factor * m + addend, alone, packed, and combined before one decryption") {
  for (const PaillierKind kind : kinds) {
    CAPTURE(word_of(kind));
    const PaillierPrivateKey key = key_of(kind, 256);
    const auto textbook_secret = make_textbook_secret(key);
    const auto textbook_public = make_textbook_public(key.shared);
    const PaillierSecret fast_secret(key, memory);
    const PaillierPublic fast_public(key.shared, memory);
    for (const bool fast : {true, false}) {
      if (!fast && kind == PaillierKind::subgroup) continue;  // a textbook randomizer leaves the subgroup
      const PaillierPublicSide& anybody =
          fast ? static_cast<const PaillierPublicSide&>(fast_public) : *textbook_public;
      const PaillierSecretSide& secret =
          fast ? static_cast<const PaillierSecretSide&>(fast_secret) : *textbook_secret;
      RandomStream random = stream(4);
      const Numbers m{3, -4, 5, 1000000, -7};
      const Numbers c = secret.encrypt(m, random);
      CHECK(secret.decrypt(anybody.respond(c, Numbers{11}, Numbers{1, 2, 3, 4, 5}, random)) ==
            Numbers{34, -42, 58, 11000004, -72});
      CHECK(secret.decrypt(anybody.respond(c, Numbers{1, 2, 3, 0, 5}, Numbers(5, 0), random)) ==
            Numbers{3, -8, 15, 0, -35});
      // slots of 40 bits, two to a ciphertext
      const mpz_class slot = mpz_class(1) << 40;
      CHECK(secret.decrypt(
                anybody.respond_packed(c, Numbers{1, 2, 3, 4, 5}, 2, 40, Numbers{10, 20, 30}, random)) ==
            Numbers{3 - 8 * slot + 10, 15 + 4000000 * slot + 20, -35 + 30});
      const std::vector<Numbers> replies{secret.encrypt(Numbers{1, 2}, random),
                                         secret.encrypt(Numbers{-3, 5}, random)};
      CHECK(secret.decrypt_sum(replies, Numbers{10, 100}) == Numbers{-290, 520});
      CHECK(secret.decrypt_sum(replies, {}) == Numbers{-2, 7});
    }
  }
}

TEST_CASE("paillier: malformed, zero, too large and non-invertible ciphertexts are refused") {
  for (const PaillierKind kind : kinds) {
    const PaillierPrivateKey key = key_of(kind, 256);
    const PaillierSecret secret(key, memory);
    const PaillierPublic anybody(key.shared, memory);
    const auto textbook = make_textbook_secret(key);
    RandomStream random = stream(5);
    const mpz_class& n = key.shared.n;
    const mpz_class good = secret.encrypt(Numbers{1}, random)[0];
    for (const mpz_class& bad : Numbers{0, -1, n * n, n * n + 5, n, key.p, key.q * key.q * 3, n * (n - 1)}) {
      const Numbers c{good, bad};
      CHECK_THROWS_AS(secret.decrypt(c), CryptoError);
      CHECK_THROWS_AS(textbook->decrypt(c), CryptoError);
      CHECK_THROWS_AS(secret.decrypt_sum(std::vector<Numbers>{c, c}, {}), CryptoError);
      CHECK_THROWS_AS(anybody.respond(c, Numbers{1}, Numbers{0, 0}, random), CryptoError);
      CHECK_THROWS_AS(anybody.respond_packed(c, Numbers{1, 1}, 2, 8, Numbers{0}, random), CryptoError);
    }
    // bytes
    const PaillierPrivateKey other = key_of(kind, 256, 9);
    const Bytes bytes = write_ciphertexts(Numbers{good, good}, key.shared);
    CHECK(read_ciphertexts(bytes, key.shared, 2) == Numbers{good, good});
    CHECK_THROWS_AS(read_ciphertexts(bytes, key.shared, 1), CryptoError);
    CHECK_THROWS_WITH_AS(read_ciphertexts(bytes, other.shared, 2), doctest::Contains("another key"),
                         CryptoError);
    for (const std::size_t length : {std::size_t{0}, std::size_t{4}, bytes.size() - 1})
      CHECK_THROWS_AS(read_ciphertexts({bytes.data(), length}, key.shared, 2), CryptoError);
    Bytes newer = bytes;
    newer[3] = 2;
    CHECK_THROWS_WITH_AS(read_ciphertexts(newer, key.shared, 2), doctest::Contains("version 1"), CryptoError);
  }
}

TEST_CASE("paillier keys: byte forms go round, and every defect is refused") {
  for (const PaillierKind kind : kinds) {
    CAPTURE(word_of(kind));
    const PaillierPrivateKey key = key_of(kind, 256);
    CHECK(PaillierPublicKey::from_bytes(key.shared.bytes()) == key.shared);
    CHECK(PaillierPrivateKey::from_bytes(key.bytes()) == key);
    const Bytes bytes = key.bytes();
    for (std::size_t length = 0; length < bytes.size(); length += 7)
      CHECK_THROWS_AS(PaillierPrivateKey::from_bytes({bytes.data(), length}), CryptoError);
    Bytes longer = key.shared.bytes();
    longer.push_back(0);
    CHECK_THROWS_AS(PaillierPublicKey::from_bytes(longer), CryptoError);
    const auto refused = [&](auto change, const char* why) {
      PaillierPrivateKey bad = key;
      change(bad);
      CHECK_THROWS_WITH_AS(PaillierPrivateKey::from_bytes(bad.bytes()), doctest::Contains(why), CryptoError);
    };
    refused([](PaillierPrivateKey& k) { k.p += 2; }, "n is not p q");
    refused(
        [](PaillierPrivateKey& k) {
          k.q += 2;  // n = p q, but q is not a prime
          k.shared.n = k.p * k.q;
        },
        "");
    refused([](PaillierPrivateKey& k) { k.shared.n += 1; }, "");
    if (kind == PaillierKind::standard) {
      refused([](PaillierPrivateKey& k) { k.shared.hs = 4; }, "no generator");
      refused([](PaillierPrivateKey& k) { k.a = 3; }, "only a subgroup key");
    } else {
      refused([](PaillierPrivateKey& k) { k.shared.hs = 0; }, "not a unit");
      refused([](PaillierPrivateKey& k) { k.shared.hs = k.p; }, "not a unit");
      refused(
          [](PaillierPrivateKey& k) {
            k.shared.hs = k.shared.hs * (1 + k.shared.n) % (k.shared.n * k.shared.n);
          },
          "right order");
      // exponents too short to hide a factor from the owner
      refused([](PaillierPrivateKey& k) { k.shared.randomizer_bits -= 1; }, "are needed");
    }
    if (kind == PaillierKind::subgroup) refused([](PaillierPrivateKey& k) { k.a = 9; }, "a b must have");
  }
  const mpz_class p = key_of(PaillierKind::standard, 128).p;
  CHECK_THROWS_WITH_AS(PaillierPrivateKey::from_primes(p, p), doctest::Contains("the same"), CryptoError);
  CHECK_THROWS_AS(PaillierPrivateKey::from_primes(p, 1), CryptoError);
  CHECK_THROWS_WITH_AS(PaillierPublicKey::from_numbers(p * p, p), doctest::Contains("g other than n + 1"),
                       CryptoError);
  CHECK(PaillierPublicKey::from_numbers(p * p, p * p + 1).n == p * p);
  RandomStream random = stream(6);
  CHECK_THROWS_AS(generate_paillier_key(PaillierKind::djn, 62, random), CryptoError);
  CHECK_THROWS_AS(generate_paillier_key(PaillierKind::djn, 129, random), CryptoError);
}

TEST_CASE(
    "paillier keys: a generator that hides nothing, a subgroup too small and numbers without end are "
    "refused") {
  PaillierPrivateKey djn = key_of(PaillierKind::djn, 256);
  djn.shared.hs = djn.shared.n * djn.shared.n - 1;
  CHECK_THROWS_WITH_AS(PaillierPrivateKey::from_bytes(djn.bytes()), doctest::Contains("1 or -1"),
                       CryptoError);
  CHECK_THROWS_WITH_AS(PaillierPublicKey::from_bytes(djn.shared.bytes()), doctest::Contains("1 or -1"),
                       CryptoError);
  PaillierPrivateKey subgroup = key_of(PaillierKind::subgroup, 256);
  subgroup.a = 3;
  subgroup.b = 5;
  CHECK_THROWS_WITH_AS(PaillierPrivateKey::from_bytes(subgroup.bytes()),
                       doctest::Contains("a b must have 64 bits"), CryptoError);
  subgroup.a = mpz_class(1) << 1'000'000;  // would take minutes to test for primality
  CHECK_THROWS_WITH_AS(PaillierPrivateKey::from_bytes(subgroup.bytes()), doctest::Contains("too long"),
                       CryptoError);
}

TEST_CASE("paillier keys: the same stream gives the same key, every kind has its form") {
  for (const PaillierKind kind : kinds) {
    CHECK(key_of(kind, 256, 7) == key_of(kind, 256, 7));
    CHECK(!(key_of(kind, 256, 7) == key_of(kind, 256, 8)));
  }
  const PaillierPrivateKey djn = key_of(PaillierKind::djn, 256);
  CHECK(djn.p % 4 == 3);
  CHECK(djn.q % 4 == 3);
  CHECK(djn.shared.randomizer_bits == 256 + 64);
  const PaillierPrivateKey subgroup = key_of(PaillierKind::subgroup, 1024);
  CHECK(is_prime((subgroup.p - 1) / (2 * subgroup.a)));
  CHECK(is_prime((subgroup.q - 1) / (2 * subgroup.b)));
  CHECK(bit_count(subgroup.a * subgroup.b) == subgroup_order_bits(1024));
  CHECK(subgroup.shared.randomizer_bits == subgroup_order_bits(1024) + 64);
  CHECK(subgroup_order_bits(2048) == 448);
  CHECK(subgroup_order_bits(3072) == 512);
}

TEST_CASE("rule: a reply is re-randomized; without it the owner finds g by trying them all") {
  for (const PaillierKind kind : kinds) {
    CAPTURE(word_of(kind));
    const PaillierPrivateKey key = key_of(kind, 256);
    const PaillierSecret secret(key, memory);
    const PaillierPublic anybody(key.shared, memory);
    const mpz_class& n = key.shared.n;
    RandomStream random = stream(7);
    const Numbers request = secret.encrypt(Numbers{-1234}, random);
    for (const unsigned g : {1U, 2U, 777U, 4095U}) {
      // as it must not be: the request to the power g, times (1 + a n)
      const mpz_class bare = power(request[0], g, n * n) * (1 + 99 * n) % (n * n);
      CHECK(secret.decrypt(Numbers{bare}) == Numbers{99 - 1234 * static_cast<long>(g)});
      CHECK(brute_force(request[0], bare, n, 5000) == g);
      const Numbers reply = anybody.respond(request, Numbers{g}, Numbers{99}, random);
      CHECK(secret.decrypt(reply) == Numbers{99 - 1234 * static_cast<long>(g)});
      CHECK(brute_force(request[0], reply[0], n, 5000) == 0);
      const Numbers packed = anybody.respond_packed(request, Numbers{g}, 1, 60, Numbers{99}, random);
      CHECK(brute_force(request[0], packed[0], n, 5000) == 0);
    }
    // fresh every time
    std::set<std::string> seen;
    for (int k = 0; k < 20; ++k)
      seen.insert(anybody.respond(request, Numbers{3}, Numbers{4}, random)[0].get_str());
    CHECK(seen.size() == 20);
  }
}

TEST_CASE(
    "rule: one exponent for both of the owner's moduli; two leave <hs>, and Jacobi symbols tell g's parity") {
  for (const PaillierKind kind : {PaillierKind::djn, PaillierKind::subgroup}) {
    CAPTURE(word_of(kind));
    const PaillierPrivateKey key = key_of(kind, 256);
    const mpz_class& n = key.shared.n;
    RandomStream random = stream(8);
    for (const std::size_t tables : {std::size_t{0}, memory}) {
      const PaillierSecret secret(key, tables);
      int minus = 0;
      for (const mpz_class& c : secret.encrypt(Numbers(64, 5), random)) minus += jacobi(c, n) == -1 ? 1 : 0;
      CHECK(minus == 0);
    }
    // the attack on two exponents: such a request has symbol -1 every other time, and then its answer's is (-1)^g
    const PaillierPublic anybody(key.shared, memory);
    const mpz_class p2 = key.p * key.p;
    const mpz_class q2 = key.q * key.q;
    mpz_class request;
    do {
      const mpz_class left = power(key.shared.hs, random_below(random, key.exponent_p()), p2);
      const mpz_class right = power(key.shared.hs, random_below(random, key.exponent_q()), q2);
      mpz_class steps = (left - right) * inverse(q2, p2);
      mpz_mod(steps.get_mpz_t(), steps.get_mpz_t(), p2.get_mpz_t());
      request = right + q2 * steps;
    } while (jacobi(request, n) == 1);
    for (const unsigned g : {6U, 7U, 100U, 101U})
      CHECK(jacobi(anybody.respond(Numbers{request}, Numbers{g}, Numbers{3}, random)[0], n) ==
            (g % 2 == 0 ? 1 : -1));
  }
}

TEST_CASE("packing: values go round, nothing outside the slots is taken, a key without room is refused") {
  for (const auto& [bits, width] :
       {std::pair{128, 126}, {128, 60}, {256, 62}, {256, 64}, {2048, 62}, {2048, 126}, {129, 2}}) {
    CAPTURE(bits);
    CAPTURE(width);
    const SlotPacking packing(static_cast<std::size_t>(bits), width);
    CHECK(packing.slots() == static_cast<std::size_t>((bits - 2) / width));
    const Int128 half = Int128{1} << (width - 1);
    std::vector<Int128> values;
    for (std::size_t k = 0; k < 2 * packing.slots() + 1; ++k)
      values.push_back(std::array<Int128, 4>{-half, half - 1, 0, -1}[k % 4]);
    const auto packed = packing.pack(values);
    for (const mpz_class& x : packed) CHECK(abs(x) < mpz_class(1) << (bits - 2));
    CHECK((packing.unpack(packed, values.size()) == values));
    std::vector<mpz_class> outside = packed;
    outside[0] = mpz_class(1) << (width * static_cast<int>(packing.slots()));
    CHECK_THROWS_AS(packing.unpack(outside, values.size()), CryptoError);
    outside[0] = -outside[0];
    CHECK_THROWS_AS(packing.unpack(outside, values.size()), CryptoError);
    CHECK_THROWS_AS(packing.unpack(packed, values.size() + packing.slots()), CryptoError);
    CHECK_THROWS_AS(packing.pack(std::vector<Int128>{half}), CryptoError);
    CHECK_THROWS_AS(packing.pack(std::vector<Int128>{-half - 1}), CryptoError);
  }
  CHECK_THROWS_WITH_AS(SlotPacking(64, 63), doctest::Contains("no room for one slot of 63 bits"),
                       CryptoError);
}

TEST_CASE("paillier: a sum that many parties make under one key, at the ends of its range") {
  ExchangeRange range;
  range.entries = 9;
  range.value_bits = 58;
  range.factor_bits = 1;
  range.slot_bits = 65;
  const Int128 most = (Int128{1} << 58) - 1;
  for (const char* keys : {"standard", "djn", "subgroup"}) {
    const auto scheme = make_scheme("paillier", {{from_word<PaillierKind>(keys), 256}, 5});
    RandomStream seeds({1, 0, 0, "sum keys"});
    const auto owner = scheme->generate_keys(range, seeds);
    const auto other = scheme->generate_keys(range, seeds);
    const auto party = scheme->open_public_key(range, owner->public_key());
    const auto stranger = scheme->open_public_key(range, other->public_key());
    RandomStream random({2, 0, 0, "sum"});
    // five leaves and a parent: all at one end, all at the other, and mixed
    for (const int sign : {1, -1, 0}) {
      std::vector<Bytes> leaves;
      std::vector<Int128> expected(9, 0);
      const auto numbers = [&] {
        std::vector<Int128> x(9);
        for (std::size_t e = 0; e < 9; ++e) {
          x[e] = sign != 0 ? sign * most : static_cast<Int128>(random.below(1000)) - 500;
          expected[e] += x[e];
        }
        return x;
      };
      for (int k = 0; k < 5; ++k) leaves.push_back(party->add({}, numbers(), random));
      const std::vector<std::span<const std::uint8_t>> requests(leaves.begin(), leaves.end());
      const Bytes sum = party->add(requests, numbers(), random);
      const std::span<const std::uint8_t> reply(sum);
      const std::vector<std::int64_t> once{1};
      CHECK((owner->decrypt_sum(std::span(&reply, 1), std::span(&once, 1)) == expected));
      // random again: the same sum twice is another ciphertext
      const std::vector<Int128> nothing(9, 0);
      CHECK(party->add(std::span(&reply, 1), nothing, random) !=
            party->add(std::span(&reply, 1), nothing, random));
      CHECK_THROWS_AS(stranger->add(requests, nothing, random), CryptoError);
    }
    const std::vector<Int128> too_large(9, most + 1);
    CHECK_THROWS_AS(party->add({}, too_large, random), CryptoError);
    CHECK_THROWS_AS(party->add({}, std::vector<Int128>(8, 0), random), CryptoError);
  }
}
