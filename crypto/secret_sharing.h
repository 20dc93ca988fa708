// SPDX-License-Identifier: MIT
// Real numbers as elements of Z_2^64 or Z_2^128, and how they are shared: x becomes rint(2^f x) modulo 2^w, negative numbers
// from the top. Sums are exact and wrap around; nothing is ever wrong by it, because every party's number is checked against
// 2^(w-1) / parties before it is shared, so that no sum of all parties can leave the range.
// An additive sharing of x is any numbers that add up to x modulo 2^w, all but one of them uniform: all but one of them
// say nothing of x. Here the uniform ones come from a MaskGenerator that two parties share (prg.h).
// Ties go to even: the same elements on every machine.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace sotto {

template <class Word>
class RingGrid {
 public:
  static constexpr int bits = 8 * sizeof(Word);

  /// CryptoError unless 1 <= fraction_bits <= w - 2 and there are between one party and a million. `remedy`: what an error
  /// says to do about a number out of range.
  RingGrid(int fraction_bits, std::size_t parties, std::string_view remedy = "scale the data");

  /// CryptoError names the first number that is out of range or no number.
  std::vector<Word> encode(std::span<const double> numbers) const;
  /// The nearest double of every element.
  void decode(std::span<const Word> elements, std::span<double> numbers) const;
  /// What one party's numbers must stay below.
  double bound() const { return bound_; }

 private:
  int fraction_bits_;
  std::string_view remedy_;
  double bound_;
};

extern template class RingGrid<std::uint64_t>;
extern template class RingGrid<UInt128>;

/// to_k <- to_k + from_k, elements as they come over the wire. CryptoError unless there are as many.
template <class Word>
void add_elements(std::span<Word> to, std::span<const std::uint8_t> from);
template <class Word>
std::vector<Word> read_elements(std::span<const std::uint8_t> bytes, std::size_t count);
template <class Word>
Bytes write_elements(std::span<const Word> elements);

}  // namespace sotto
