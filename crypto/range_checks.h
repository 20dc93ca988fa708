// SPDX-License-Identifier: MIT
// What every scheme refuses before it computes anything: values, factors, weights and addends out of their range.
#pragma once

#include <fmt/format.h>

#include "base/fixed_point.h"
#include "crypto/additive_scheme.h"

namespace sotto {

inline void check_values(const ExchangeRange& range, std::span<const std::int64_t> values) {
  if (values.size() != range.entries)
    throw CryptoError(
        fmt::format("{} values, but the exchange has {} entries", values.size(), range.entries));
  const std::int64_t bound = std::int64_t{1} << range.value_bits;
  for (const std::int64_t v : values)
    if (v <= -bound || v >= bound)
      throw CryptoError(fmt::format("the value {} does not fit {} bits", v, range.value_bits));
}

inline void check_factor(const ExchangeRange& range, std::int64_t factor) {
  if (factor < 0 || bit_length(static_cast<UInt128>(factor)) > range.factor_bits)
    throw CryptoError(fmt::format("the factor {} does not fit {} bits", factor, range.factor_bits));
}

inline void check_response(const ExchangeRange& range, std::span<const std::int64_t> factors,
                           std::span<const Int128> addend, std::span<const PairMask> masks) {
  const std::size_t wanted = range.factor_per_entry ? range.entries : 1;
  if (factors.size() != wanted || addend.size() != range.entries)
    throw CryptoError(fmt::format("{} factors and {} addends for {} entries", factors.size(), addend.size(),
                                  range.entries));
  for (const std::int64_t factor : factors) check_factor(range, factor);
  const Int128 bound = Int128{1} << (range.value_bits + range.factor_bits);
  for (const Int128 a : addend)
    if (a <= -bound || a >= bound)
      throw CryptoError(fmt::format("an addend does not fit {} bits", range.value_bits + range.factor_bits));
  if (!masks.empty() && range.replies != Replies::summed) throw CryptoError("masks cancel in a sum only");
}

/// Of a sum that many parties make under one key.
inline void check_addend(const ExchangeRange& range, std::span<const Int128> addend) {
  if (addend.size() != range.entries || range.factor_per_entry)
    throw CryptoError(fmt::format("{} addends for a sum of {} entries", addend.size(), range.entries));
  const Int128 bound = Int128{1} << range.value_bits;
  for (const Int128 a : addend)
    if (a <= -bound || a >= bound)
      throw CryptoError(fmt::format("an addend does not fit {} bits", range.value_bits));
}

inline void check_weights(const ExchangeRange& range, std::size_t replies,
                          std::span<const std::vector<std::int64_t>> weights) {
  if (weights.size() != replies)
    throw CryptoError(fmt::format("{} weights for {} replies", weights.size(), replies));
  for (const auto& w : weights) {
    const bool apart = range.replies == Replies::each || range.replies == Replies::shared;
    if (w.size() != 1 && (w.size() != range.entries || !apart))
      throw CryptoError(fmt::format("{} weights for a reply of {} entries", w.size(), range.entries));
    for (const std::int64_t x : w) check_factor(range, x);
    if (range.replies == Replies::summed && w != weights[0])
      throw CryptoError("replies that are summed have the same weight");
  }
}

/// `value` if it lies within its slot.
inline Int128 in_slot(const ExchangeRange& range, Int128 value) {
  const Int128 bound = Int128{1} << (range.slot_bits - 1);
  if (value < -bound || value >= bound)
    throw CryptoError(fmt::format("a reply does not fit {} bits", range.slot_bits));
  return value;
}

}  // namespace sotto
