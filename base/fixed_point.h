// SPDX-License-Identifier: MIT
// Real numbers as integers on a grid, exactly as they will be encrypted.
// I = rint(N_max U) with |I| < 2^value_bits; a number outside the range is a CryptoError, never wrapped.
// Ties go to even (the IEEE rounding mode), so the grid is the same on every machine.
// Tests: tests/base/base_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace sotto {

class FixedPoint {
 public:
  /// Values up to `max_abs` on a grid of `steps_per_unit` (N_max) points per unit.
  FixedPoint(double steps_per_unit, double max_abs);

  /// I = rint(N_max u) for every u; CryptoError names the first entry outside [-max_abs, max_abs] or NaN.
  std::vector<std::int64_t> quantize(std::span<const double> values) const;

  /// a: |I| < 2^a for every value in range.
  int value_bits() const { return value_bits_; }
  double steps_per_unit() const { return steps_per_unit_; }

 private:
  double steps_per_unit_;
  double max_abs_;
  int value_bits_;
};

/// Number of bits of |x|: 0 for 0, 1 for 1, 2 for 2 and 3.
int bit_length(UInt128 x);

}  // namespace sotto
