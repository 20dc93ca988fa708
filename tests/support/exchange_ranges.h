// SPDX-License-Identifier: MIT
// Ranges and values of exchanges, and seeds, for tests of schemes.
#pragma once

#include <vector>

#include "crypto/additive_scheme.h"

namespace sotto::testing {

inline ExchangeRange range_of(std::size_t entries, int value_bits, int factor_bits,
                              Replies replies = Replies::each, std::size_t senders = 1,
                              bool per_entry = false) {
  ExchangeRange range{entries, value_bits, factor_bits, per_entry, replies, 0};
  range.slot_bits = range.slot_bits_for(senders);
  range.senders = senders;
  return range;
}

/// Most of them at the ends of the range, others in between, and 0 and -1; at least four.
inline std::vector<std::int64_t> extremes(int bits, std::size_t entries, RandomStream& random) {
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  std::vector<std::int64_t> values(entries);
  for (auto& x : values)
    x = random.below(3) == 0
            ? static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most
        : random.below(2) == 0 ? most
                               : -most;
  values.at(0) = most;
  values.at(1) = -most;
  values.at(2) = 0;
  values.at(3) = -1;
  return values;
}

inline StreamKey seed(std::uint64_t number) {
  return RandomStream({number, 0, 0, "seal test"}).next_key();
}

}  // namespace sotto::testing
