// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "crypto/prg.h"
#include "crypto/sealed_message.h"
#include "crypto/secret_sharing.h"

using namespace sotto;

namespace {

StreamKey key_of(std::uint64_t seed) {
  return RandomStream({seed, 0, 0, "a key"}).next_key();
}

}  // namespace

TEST_CASE_TEMPLATE("ring grid: numbers go in and come out on the grid, negative ones too", Word,
                   std::uint64_t, UInt128) {
  const RingGrid<Word> grid(20, 3);
  RandomStream random({1, 0, 0, "numbers"});
  std::vector<double> numbers{0.0, 1.0, -1.0, 0x1p-20, -0x1p-20, 0x1.8p-20, 0x1p-21, 1e6, -1e6};
  for (int k = 0; k < 1000; ++k) numbers.push_back(2000 * random.uniform() - 1000);
  const auto elements = grid.encode(numbers);
  std::vector<double> back(numbers.size());
  grid.decode(elements, back);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    CHECK(back[k] == std::nearbyint(numbers[k] * 0x1p20) * 0x1p-20);
}

TEST_CASE_TEMPLATE("ring grid: the largest numbers of all parties add up without leaving the range", Word,
                   std::uint64_t, UInt128) {
  for (const std::size_t parties : {1U, 2U, 3U, 7U, 1000U, 1000000U}) {
    const RingGrid<Word> grid(10, parties);
    const double most = grid.bound() * (1 - 0x1p-39);
    for (const double x : {most, -most}) {
      const Word element = grid.encode(std::span(&x, 1))[0];
      const Word sum = element * static_cast<Word>(parties);
      double back = 0;
      grid.decode(std::span(&sum, 1), std::span(&back, 1));
      CHECK(back == doctest::Approx(x * static_cast<double>(parties)).epsilon(1e-12));
    }
  }
}

TEST_CASE_TEMPLATE("ring grid: out of range is an error that says what to do, and so is what is no number",
                   Word, std::uint64_t, UInt128) {
  const RingGrid<Word> grid(40, 4);
  for (const double x : {grid.bound(), -grid.bound(), 1e300, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> numbers{0.5, x, 0.25};
    CHECK_THROWS_WITH_AS(grid.encode(numbers), doctest::Contains("entry 1 of a secure sum is"), CryptoError);
    CHECK_THROWS_WITH_AS(grid.encode(numbers), doctest::Contains("scale the data"), CryptoError);
  }
  CHECK_THROWS_AS(RingGrid<Word>(0, 2), CryptoError);
  CHECK_THROWS_AS(RingGrid<Word>(RingGrid<Word>::bits - 1, 2), CryptoError);
  CHECK_THROWS_AS(RingGrid<Word>(40, 0), CryptoError);
}

TEST_CASE_TEMPLATE("elements over the wire: the same back, another number of them is refused", Word,
                   std::uint64_t, UInt128) {
  const std::vector<Word> elements{1, 2, static_cast<Word>(-3)};
  const Bytes bytes = write_elements<Word>(elements);
  CHECK((read_elements<Word>(bytes, 3) == elements));
  std::vector<Word> sum = elements;
  add_elements<Word>(sum, bytes);
  CHECK((sum[2] == static_cast<Word>(-6)));
  CHECK_THROWS_AS(read_elements<Word>(bytes, 2), CryptoError);
  CHECK_THROWS_AS(add_elements<Word>(sum, std::span(bytes).first(bytes.size() - 1)), CryptoError);
}

TEST_CASE_TEMPLATE("masks: two who share a key cancel each other, on any length", Word, std::uint64_t,
                   UInt128) {
  MaskGenerator one(key_of(1));
  MaskGenerator other(key_of(1));
  std::uint64_t call = 0;
  for (const std::size_t length : {0U, 1U, 511U, 512U, 513U, 1024U, 1025U, 10001U}) {
    std::vector<Word> words(length, 5);
    one.apply(call, MaskSign::add, std::span(words));
    if (length > 0) CHECK((words.front() != 5));
    if (length > 0) CHECK((words.back() != 5));
    other.apply(call, MaskSign::subtract, std::span(words));
    CHECK((words == std::vector<Word>(length, 5)));
    ++call;
  }
}

TEST_CASE("masks: the keystream of AES-128-CTR, counter = call and block") {
  // AES-128 of the all-zero block under the all-zero key (FIPS 197 tools give 66e94bd4ef8a2c3b884cfa59ca342b2e)
  MaskGenerator zero(StreamKey{});
  std::vector<std::uint64_t> words(2);
  zero.apply(0, MaskSign::add, std::span(words));
  const Bytes bytes = write_elements<std::uint64_t>(words);
  CHECK(bytes == Bytes{0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b, 0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34,
                       0x2b, 0x2e});
}

TEST_CASE("masks: calls and keys have nothing in common, and no call is answered twice") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 4; ++key) {
    MaskGenerator masks(key_of(key));
    for (const std::uint64_t call : {0U, 1U, 2U, 100U}) {
      std::vector<std::uint64_t> words(5000);
      masks.apply(call, MaskSign::add, std::span(words));
      seen.insert(words.begin(), words.end());
    }
  }
  CHECK(seen.size() == 4 * 4 * 5000);
  MaskGenerator masks(key_of(9));
  std::vector<std::uint64_t> words(1);
  masks.apply(7, MaskSign::add, std::span(words));
  CHECK_THROWS_WITH_AS(masks.apply(7, MaskSign::add, std::span(words)), doctest::Contains("was used before"),
                       CryptoError);
  CHECK_THROWS_AS(masks.apply(3, MaskSign::subtract, std::span(words)), CryptoError);
  masks.apply(8, MaskSign::add, std::span(words));
}

TEST_CASE("sealed messages: opened in order, and nothing else is") {
  MessageSeal sender(key_of(1));
  MessageSeal receiver(key_of(1));
  const Bytes text{1, 2, 3, 4, 5};
  const Bytes first = sender.seal(text);
  const Bytes second = sender.seal(text);
  CHECK(first.size() == text.size() + MessageSeal::overhead);
  CHECK(first != second);  // another nonce
  CHECK(receiver.open(first) == text);
  CHECK(receiver.open(second) == text);
  const auto refused = [&](const Bytes& sealed, std::uint64_t number, std::uint64_t key) {
    MessageSeal who(key_of(key));
    who.go_on_at(number);
    CHECK_THROWS_AS(who.open(sealed), CryptoError);
  };
  refused(first, 1, 1);   // out of order
  refused(second, 0, 1);  // the same
  refused(first, 0, 2);   // another key
  for (std::size_t k = 0; k < first.size(); ++k) {
    Bytes changed = first;
    changed[k] ^= 1;
    refused(changed, 0, 1);
  }
  refused(Bytes(first.begin(), first.end() - 1), 0, 1);
  refused({}, 0, 1);
  MessageSeal late(key_of(1));
  late.go_on_at(1);
  CHECK(late.open(second) == text);
}
