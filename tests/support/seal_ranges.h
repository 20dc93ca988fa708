// Ranges and seeds for tests of SEAL.
#pragma once

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

inline StreamKey seed(std::uint64_t number) {
  return RandomStream({number, 0, 0, "seal test"}).next_key();
}

}  // namespace sotto::testing
