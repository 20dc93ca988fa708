// SPDX-License-Identifier: MIT
// What base/ has: bytes, fixed point, random streams, hashes, compression.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/bytes.h"
#include "base/fixed_point.h"
#include "base/random_stream.h"
#include "base/sha256.h"

using namespace sotto;

TEST_CASE("bytes: what is written is read back") {
  Writer w;
  Matrix m(2, 3);
  m << 1, 2, 3, 4, 5, -0.0;
  w.put<std::uint8_t>(7);
  w.put(Int128{-5});
  w.text("hello");
  w.list(std::vector<double>{1.5, -2.5});
  w.matrix(m);
  w.matrix(Matrix(0, 4));
  const Bytes bytes = w.take();
  Reader r(bytes);
  CHECK(r.get<std::uint8_t>() == 7);
  CHECK((r.get<Int128>() == Int128{-5}));
  CHECK(r.text() == "hello");
  CHECK(r.list<double>() == std::vector<double>{1.5, -2.5});
  CHECK(r.matrix() == m);
  CHECK(r.matrix().cols() == 4);
  CHECK_NOTHROW(r.finish());
}

TEST_CASE("bytes: every truncation and every lying length is a FormatError") {
  Writer w;
  w.text("abc");
  w.list(std::vector<double>{1, 2});
  w.matrix(Matrix::Ones(3, 2));
  const Bytes bytes = w.take();
  const auto read = [](std::span<const std::uint8_t> part) {
    Reader r(part);
    r.text();
    r.list<double>();
    r.matrix();
    r.finish();
  };
  CHECK_NOTHROW(read(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(read({bytes.data(), size}), FormatError);
  for (const std::size_t at : {0, 11, 35, 43}) {  // the three length fields and the columns
    Bytes lying = bytes;
    for (std::size_t k = 0; k < 8; ++k) lying[at + k] = 0xff;
    CHECK_THROWS_AS(read(lying), FormatError);
  }
  Bytes longer = bytes;
  longer.push_back(0);
  CHECK_THROWS_AS(read(longer), FormatError);
}

TEST_CASE("sha256: the standard's example") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("random stream: pinned for ever, so that old results can be had again") {
  RandomStream r({1, 2, 3, "test"});
  CHECK(r.next() == 11182972349591565359ull);
  CHECK(r.next() == 11234575683057805892ull);
}

TEST_CASE("random stream: every part of the name counts") {
  std::set<std::uint64_t> firsts;
  for (const StreamName& name : {StreamName{1, 0, 0, "a"}, StreamName{2, 0, 0, "a"}, StreamName{1, 1, 0, "a"},
                                 StreamName{1, 0, 1, "a"}, StreamName{1, 0, 0, "b"}})
    firsts.insert(RandomStream(name).next());
  CHECK(firsts.size() == 5);
}

TEST_CASE("random stream: seek gives what would have come") {
  RandomStream a({1, 0, 0, "seek"});
  std::vector<std::uint64_t> words;
  for (int k = 0; k < 300; ++k) words.push_back(a.next());
  for (const std::uint64_t at : {0, 1, 63, 64, 65, 128, 200, 299}) {
    RandomStream b({1, 0, 0, "seek"});
    b.next();
    b.seek(at);
    CHECK(b.position() == at);
    CHECK(b.next() == words[at]);
  }
}

TEST_CASE("random stream: uniform, exponential and normal have their moments") {
  RandomStream r({5, 0, 0, "moments"});
  constexpr int n = 200000;
  double u = 0, e = 0, e2 = 0, g = 0, g2 = 0, g4 = 0;
  for (int k = 0; k < n; ++k) {
    const double x = r.uniform();
    REQUIRE(x >= 0);
    REQUIRE(x < 1);
    u += x;
    const double y = r.exponential(0.8);
    REQUIRE(y >= 0);
    e += y;
    e2 += y * y;
    const double z = r.normal();
    g += z;
    g2 += z * z;
    g4 += z * z * z * z;
  }
  CHECK(u / n == doctest::Approx(0.5).epsilon(0.005));
  CHECK(e / n == doctest::Approx(0.8).epsilon(0.01));
  CHECK(e2 / n == doctest::Approx(2 * 0.64).epsilon(0.02));
  CHECK(std::abs(g / n) < 0.01);
  CHECK(g2 / n == doctest::Approx(1).epsilon(0.015));
  CHECK(g4 / n == doctest::Approx(3).epsilon(0.05));
}

TEST_CASE("random stream: below() is unbiased, also where a modulo would not be") {
  RandomStream r({6, 0, 0, "below"});
  std::vector<int> counts(3, 0);
  const std::uint64_t bound = 3ull << 62;  // x mod bound would hit the lowest third twice as often
  for (int k = 0; k < 30000; ++k) ++counts[r.below(bound) >> 62];
  for (const int c : counts) CHECK(c == doctest::Approx(10000).epsilon(0.04));
  CHECK(r.below(1) == 0);
}

TEST_CASE("random stream: uniform_above stays in (low, high]") {
  RandomStream r({7, 0, 0, "above"});
  for (int k = 0; k < 10000; ++k) {
    const double x = r.uniform_above(0.25, 0.5);
    CHECK(x > 0.25);
    CHECK(x <= 0.5);
  }
  CHECK(r.uniform_above(0.5, 0.5) == 0.5);
}

TEST_CASE("portable_log is the logarithm to the last bits") {
  RandomStream r({8, 0, 0, "log"});
  for (int k = 0; k < 20000; ++k) {
    const double x = std::ldexp(r.uniform() + 1e-9, static_cast<int>(r.below(120)) - 60);
    CHECK(portable_log(x) == doctest::Approx(std::log(x)).epsilon(4e-16));
  }
  CHECK(portable_log(1.0) == 0.0);
}

TEST_CASE("portable_exp is the exponential to the last bits") {
  RandomStream r({8, 0, 0, "exp"});
  for (int k = 0; k < 20000; ++k) {
    const double x = 1400 * r.uniform() - 700;
    CHECK(std::abs(portable_exp(x) / std::exp(x) - 1) < 7e-16);
  }
  CHECK(portable_exp(0.0) == 1.0);
  CHECK(portable_exp(711.0) == std::numeric_limits<double>::infinity());
  CHECK(portable_exp(-747.0) == 0.0);
  CHECK(std::isnan(portable_exp(std::nan(""))));
}

TEST_CASE("portable_power is exact where exponents are whole, and else near the power") {
  RandomStream r({8, 0, 0, "power"});
  for (int k = 0; k < 20000; ++k) {
    const double x = 1 + static_cast<double>(r.below(1000));
    const double y = 20 * r.uniform() - 10;
    CHECK(std::abs(portable_power(x, y) / std::pow(x, y) - 1) < 2e-14);
    CHECK(portable_power(x, -1) == 1 / x);
  }
  CHECK(portable_power(3, 5) == 243);
  CHECK(portable_power(2, -3) == 0.125);
  CHECK(portable_power(7, 0) == 1);
  CHECK(portable_power(1, -1.5) == 1);
}

TEST_CASE("products are cut into blocks by constants, not by this machine's caches") {
  CHECK(Eigen::l1CacheSize() == CacheSizes::l1);
  CHECK(Eigen::l2CacheSize() == CacheSizes::l2);
  CHECK(Eigen::l3CacheSize() == CacheSizes::l3);
}

TEST_CASE("fixed point: ties go to even") {
  const FixedPoint grid(10, 64);
  const std::vector<double> x{0.05, 0.15, 0.25, -0.05, -0.15, 6.4, 0};
  CHECK(grid.quantize(x) == std::vector<std::int64_t>{0, 2, 2, 0, -2, 64, 0});
}

TEST_CASE("fixed point: a value out of range is an error, never a wrapped number") {
  const FixedPoint grid(1000, 64);
  CHECK_NOTHROW(grid.quantize(std::vector<double>{64, -64}));
  for (const double bad : {64.001, -64.001, 1e300, HUGE_VAL, std::nan("")}) {
    CHECK_THROWS_AS(grid.quantize(std::vector<double>{0, bad}), CryptoError);
    CHECK_THROWS_WITH_AS(grid.quantize(std::vector<double>{0, bad}), doctest::Contains("entry 1"),
                         CryptoError);
  }
  CHECK_THROWS_AS(FixedPoint(1e18, 64), CryptoError);
  CHECK_THROWS_AS(FixedPoint(1e-3, 1), CryptoError);
}

TEST_CASE("fixed point: value_bits bounds every value in range") {
  for (const double max_abs : {0.5, 1.0, 63.9, 64.0, 100.0})
    for (const double steps : {10.0, 1e4, 1e6}) {
      const FixedPoint grid(steps, max_abs);
      const auto largest = grid.quantize(std::vector<double>{max_abs})[0];
      CHECK(largest < (std::int64_t{1} << grid.value_bits()));
      CHECK(largest >= (std::int64_t{1} << (grid.value_bits() - 1)));
    }
}

TEST_CASE("bit_length") {
  CHECK(bit_length(0) == 0);
  CHECK(bit_length(1) == 1);
  CHECK(bit_length(255) == 8);
  CHECK(bit_length(256) == 9);
  CHECK(bit_length(UInt128{1} << 127) == 128);
}
