// SPDX-License-Identifier: MIT
#include "crypto/additive_scheme.h"

#include <fmt/format.h>

#include "base/fixed_point.h"

namespace sotto {

int ExchangeRange::slot_bits_for(std::size_t count) const {
  if (replies == Replies::each || replies == Replies::shared) return reply_bits();
  const int log_senders = count <= 1 ? 0 : bit_length(count - 1);  // ceil(log2 d)
  return reply_bits() + log_senders + (replies == Replies::weighted ? factor_bits : 0);
}

void ExchangeRange::check() const {
  if (value_bits < 1 || value_bits > 62 || factor_bits < 1 || factor_bits > 62)
    throw CryptoError(fmt::format("values of {} bits times factors of {} bits: both must have 1 to 62",
                                  value_bits, factor_bits));
  if (slot_bits < reply_bits() || slot_bits > max_slot_bits)
    throw CryptoError(
        fmt::format("a slot of {} bits: values of {} bits times factors of {} bits need {} to {}", slot_bits,
                    value_bits, factor_bits, reply_bits(), max_slot_bits));
}

Bytes Responder::add(std::span<const std::span<const std::uint8_t>>, std::span<const Int128>, RandomStream&) {
  throw CryptoError("this scheme has no sums of many parties under one key");
}

}  // namespace sotto
