// SPDX-License-Identifier: MIT
#include "base/fixed_point.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto {

FixedPoint::FixedPoint(double steps_per_unit, double max_abs)
    : steps_per_unit_(steps_per_unit), max_abs_(max_abs) {
  const double largest = std::nearbyint(steps_per_unit * max_abs);
  if (!(largest >= 1 && largest < 0x1p62))
    throw CryptoError(fmt::format("{} steps per unit up to {} do not fit 62 bits", steps_per_unit, max_abs));
  value_bits_ = bit_length(static_cast<UInt128>(largest));
}

std::vector<std::int64_t> FixedPoint::quantize(std::span<const double> values) const {
  std::vector<std::int64_t> out(values.size());
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (!(std::abs(values[e]) <= max_abs_))
      throw CryptoError(
          fmt::format("entry {} is {}, outside the range of exchange.max_abs = {}", e, values[e], max_abs_));
    out[e] = static_cast<std::int64_t>(std::nearbyint(steps_per_unit_ * values[e]));
  }
  return out;
}

int bit_length(UInt128 x) {
  int bits = 0;
  for (; x != 0; x >>= 1) ++bits;
  return bits;
}

}  // namespace sotto
