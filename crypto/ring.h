// SPDX-License-Identifier: MIT
// Integers modulo 2^192 and 2^256, for protocols whose numbers outgrow 128 bits: everything wraps around, as UInt128 does.
// Little-endian words without padding: elements go over the wire as they lie. No branch depends on a value.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace sotto {

template <std::size_t N>
class WideWord {
 public:
  constexpr WideWord() = default;
  constexpr WideWord(UInt128 x)  // NOLINT: a number is an element
      : words_{static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)} {}
  static constexpr WideWord of_signed(std::int64_t x) {
    WideWord w;
    w.words_.fill(x < 0 ? ~std::uint64_t{0} : 0);
    w.words_[0] = static_cast<std::uint64_t>(x);
    return w;
  }
  /// The same number modulo 2^64N, of an element of more or fewer words.
  template <std::size_t K>
  static constexpr WideWord of_words(const std::array<std::uint64_t, K>& words) {
    WideWord w;
    for (std::size_t k = 0; k < std::min(N, K); ++k) w.words_[k] = words[k];
    return w;
  }

  constexpr const std::array<std::uint64_t, N>& words() const { return words_; }
  constexpr explicit operator std::uint64_t() const { return words_[0]; }
  constexpr explicit operator UInt128() const { return UInt128{words_[1]} << 64 | words_[0]; }

  constexpr WideWord& operator+=(const WideWord& o) {
    UInt128 sum = 0;
    for (std::size_t k = 0; k < N; ++k) {
      sum = (sum >> 64) + words_[k] + o.words_[k];
      words_[k] = static_cast<std::uint64_t>(sum);
    }
    return *this;
  }
  constexpr WideWord& operator-=(const WideWord& o) {
    std::uint64_t borrow = 0;
    for (std::size_t k = 0; k < N; ++k) {
      const UInt128 difference = UInt128{words_[k]} - o.words_[k] - borrow;
      words_[k] = static_cast<std::uint64_t>(difference);
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    return *this;
  }
  friend constexpr WideWord operator+(WideWord a, const WideWord& b) { return a += b; }
  friend constexpr WideWord operator-(WideWord a, const WideWord& b) { return a -= b; }
  friend constexpr WideWord operator-(const WideWord& a) { return WideWord() -= a; }
  friend constexpr WideWord operator*(const WideWord& a, const WideWord& b) {
    WideWord product;
    for (std::size_t i = 0; i < N; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < N; ++j) {
        const UInt128 t = UInt128{a.words_[i]} * b.words_[j] + product.words_[i + j] + carry;
        product.words_[i + j] = static_cast<std::uint64_t>(t);
        carry = static_cast<std::uint64_t>(t >> 64);
      }
    }
    return product;
  }
  /// bits < 64 N.
  friend constexpr WideWord operator<<(const WideWord& a, int bits) {
    WideWord r;
    const auto words = static_cast<std::size_t>(bits) / 64;
    const int rest = bits % 64;
    for (std::size_t k = words; k < N; ++k) {
      r.words_[k] = a.words_[k - words] << rest;
      if (rest > 0 && k > words) r.words_[k] |= a.words_[k - words - 1] >> (64 - rest);
    }
    return r;
  }
  friend constexpr WideWord operator>>(const WideWord& a, int bits) {
    WideWord r;
    const auto words = static_cast<std::size_t>(bits) / 64;
    const int rest = bits % 64;
    for (std::size_t k = 0; k + words < N; ++k) {
      r.words_[k] = a.words_[k + words] >> rest;
      if (rest > 0 && k + words + 1 < N) r.words_[k] |= a.words_[k + words + 1] << (64 - rest);
    }
    return r;
  }
  friend constexpr bool operator==(const WideWord&, const WideWord&) = default;

 private:
  std::array<std::uint64_t, N> words_{};
};

using Ring128 = UInt128;
using Ring192 = WideWord<3>;
using Ring256 = WideWord<4>;

template <class Word>
inline constexpr int ring_bits = 8 * sizeof(Word);

constexpr Ring128 ring_of_signed(std::int64_t x, Ring128) {
  return static_cast<Ring128>(static_cast<Int128>(x));
}
template <std::size_t N>
constexpr WideWord<N> ring_of_signed(std::int64_t x, WideWord<N>) {
  return WideWord<N>::of_signed(x);
}
/// x modulo 2^w, a negative one from the top.
template <class Word>
constexpr Word ring_element(std::int64_t x) {
  return ring_of_signed(x, Word());
}

/// A number below 2^128 or 2^192 as it is.
constexpr Ring256 widen(Ring128 x) {
  return x;
}
constexpr Ring256 widen(const Ring192& x) {
  return Ring256::of_words(x.words());
}
/// Modulo a smaller power of two: shares stay shares.
template <class Word>
constexpr Word narrow(const Ring256& x) {
  if constexpr (sizeof(Word) == sizeof(Ring128))
    return static_cast<Ring128>(x);
  else
    return Word::of_words(x.words());
}

static_assert(sizeof(Ring192) == 24 && sizeof(Ring256) == 32);

}  // namespace sotto
