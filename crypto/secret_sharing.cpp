// SPDX-License-Identifier: MIT
#include "crypto/secret_sharing.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "crypto/ring.h"

namespace sotto {

namespace {

/// rint(x), |x| < 2^63.
std::int64_t nearest(double x) {
#ifdef __SSE2__
  return _mm_cvtsd_si64(_mm_set_sd(x));  // std::llrint is a call
#else
  return std::llrint(x);
#endif
}

template <class Word>
Word element_of(double scaled) {
  if constexpr (sizeof(Word) == sizeof(std::int64_t)) return static_cast<Word>(nearest(scaled));
  return static_cast<Word>(static_cast<Int128>(std::nearbyint(scaled)));
}

template <class Word>
double number_of(Word element) {
  using Signed = std::conditional_t<sizeof(Word) == 8, std::int64_t, Int128>;
  return static_cast<double>(static_cast<Signed>(element));
}

void check_size(std::size_t bytes, std::size_t count, std::size_t word) {
  if (bytes != count * word)
    throw CryptoError(
        fmt::format("{} bytes where {} elements of {} bytes were expected", bytes, count, word));
}

}  // namespace

template <class Word>
RingGrid<Word>::RingGrid(int fraction_bits, std::size_t parties, std::string_view remedy)
    : fraction_bits_(fraction_bits), remedy_(remedy) {
  constexpr std::size_t most_parties = 4'000'000;  // of whom rounding cannot carry a sum out of its range
  if (fraction_bits < 1 || fraction_bits > bits - 2 || parties < 1 || parties > most_parties)
    throw CryptoError(fmt::format("{} fractional bits in elements of {} bits for {} parties", fraction_bits,
                                  bits, parties));
  bound_ = std::ldexp(1.0 / static_cast<double>(parties), bits - 1 - fraction_bits);
}

template <class Word>
std::vector<Word> RingGrid<Word>::encode(std::span<const double> numbers) const {
  std::vector<Word> elements(numbers.size());
  const double unit = std::ldexp(1.0, fraction_bits_);
  const double below = bound_ * (1 - 0x1p-40);  // so that rounding cannot leave it
  bool good = true;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    good &= std::abs(numbers[k]) <= below;  // false for what is no number
    elements[k] = element_of<Word>(good ? numbers[k] * unit : 0.0);
  }
  if (good) return elements;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!(std::abs(numbers[k]) <= below))
      throw CryptoError(
          fmt::format("entry {} of a secure sum is {}, but with {} fractional bits in {} and that many "
                      "parties it must stay "
                      "below {:.6g}: {}",
                      k, numbers[k], fraction_bits_, bits, bound_, remedy_));
  return elements;
}

template <class Word>
void RingGrid<Word>::decode(std::span<const Word> elements, std::span<double> numbers) const {
  const double unit = std::ldexp(1.0, -fraction_bits_);
  for (std::size_t k = 0; k < elements.size(); ++k) numbers[k] = number_of(elements[k]) * unit;
}

template class RingGrid<std::uint64_t>;
template class RingGrid<UInt128>;

template <class Word>
void add_elements(std::span<Word> to, std::span<const std::uint8_t> from) {
  check_size(from.size(), to.size(), sizeof(Word));
  for (std::size_t k = 0; k < to.size(); ++k) {
    Word element;
    std::memcpy(&element, from.data() + k * sizeof(Word), sizeof(Word));
    to[k] += element;
  }
}

template <class Word>
std::vector<Word> read_elements(std::span<const std::uint8_t> bytes, std::size_t count) {
  check_size(bytes.size(), count, sizeof(Word));
  std::vector<Word> elements(count);
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

template <class Word>
Bytes write_elements(std::span<const Word> elements) {
  const auto* const raw = reinterpret_cast<const std::uint8_t*>(elements.data());
  return Bytes(raw, raw + elements.size_bytes());
}

template void add_elements<std::uint64_t>(std::span<std::uint64_t>, std::span<const std::uint8_t>);
template void add_elements<UInt128>(std::span<UInt128>, std::span<const std::uint8_t>);
template void add_elements<Ring192>(std::span<Ring192>, std::span<const std::uint8_t>);
template void add_elements<Ring256>(std::span<Ring256>, std::span<const std::uint8_t>);
template std::vector<std::uint64_t> read_elements(std::span<const std::uint8_t>, std::size_t);
template std::vector<UInt128> read_elements(std::span<const std::uint8_t>, std::size_t);
template std::vector<Ring192> read_elements(std::span<const std::uint8_t>, std::size_t);
template std::vector<Ring256> read_elements(std::span<const std::uint8_t>, std::size_t);
template Bytes write_elements(std::span<const std::uint64_t>);
template Bytes write_elements(std::span<const UInt128>);
template Bytes write_elements(std::span<const Ring192>);
template Bytes write_elements(std::span<const Ring256>);

}  // namespace sotto
