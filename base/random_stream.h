// SPDX-License-Identifier: MIT
// Everything random in Sotto. A stream is AES-256-CTR under a key derived from (seed, run, agent, purpose),
// so that what one agent draws never depends on another, on threads or on scheduling. No std:: distributions:
// they differ between libraries. The logarithm inside `exponential` and `normal` is our own, built from
// + - * / alone, so the numbers are the same on every machine.
// Seeded streams are for simulation: whoever knows the seed knows every draw.
// Threading: a stream belongs to one thread at a time.
// Tests: tests/base/base_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace sotto {

/// What a stream is for; part of its key. One name, one stream.
struct StreamName {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;    ///< the trial, or `every_run`
  std::uint64_t agent = 0;  ///< or `everyone`
  std::string_view purpose;

  static constexpr std::uint64_t everyone = ~std::uint64_t{0};
  static constexpr std::uint64_t every_run = ~std::uint64_t{0};
};

using StreamKey = std::array<std::uint8_t, 32>;

class RandomStream {
 public:
  explicit RandomStream(const StreamName& name);
  /// Under a key that somebody agreed on or drew: whoever has the key has the stream.
  explicit RandomStream(const StreamKey& key);
  RandomStream(RandomStream&&) noexcept;
  RandomStream& operator=(RandomStream&&) noexcept;
  ~RandomStream();

  std::uint64_t next();
  /// 32 bytes of the stream, as a key for another.
  StreamKey next_key();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in (low, high].
  double uniform_above(double low, double high) { return high - (high - low) * uniform(); }
  /// Uniform in {0, ..., bound - 1}, by rejection: no modulo bias. bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  double exponential(double mean);
  double normal();

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
  }

  /// Words drawn so far: with the name, the whole state of the stream.
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position);

 private:
  static constexpr std::size_t words_per_refill = 64;
  void refill();

  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
  std::uint64_t position_ = 0;
  std::array<std::uint64_t, words_per_refill> words_;
};

/// From the system's entropy: different every time.
StreamKey system_stream_key();

/// Natural logarithm from + - * / only: the same bits on every IEEE machine. x > 0, normal.
double portable_log(double x);

/// e^x likewise.
double portable_exp(double x);

/// x^y likewise, without rounding where y is a whole number and x^|y| needs none. x > 0, normal.
double portable_power(double x, double y);

}  // namespace sotto
