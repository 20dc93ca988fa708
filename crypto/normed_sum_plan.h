// SPDX-License-Identifier: MIT
// The public numbers of a normalized secure sum (core/protocols/normed_secure_sum.h): how many bits everything has, and the
// constants of its Newton iteration for y = 1 / |s|. Everybody computes the same plan.
//
//   f   fractional bits of the output                        10, 20, 31 in Tsikhanovich et al. 2019
//   B   public: |s| >= 2^-B. Above, |s| <= M, because no party's own vector is longer than 1
//   h   headroom, log2(M) bits: Newton's iteration starts from y = 2^-h <= 1 / |s|. From above 1 / |s| it may end at - 1 / |s|
//   g   guard bits of the input, B + 7: with fewer the output alone would tell |s|, because |S| u_j is nearly an integer for
//       every j, S = 2^F s; F = f + g
//   W_y = f + log2(d) / 2 + 5 bits of y, at least f + 8: the residual of y is far below 2^-f / sqrt(d), the least that could be
//       seen in the output's norm
//   W_n = 2 B + W_y bits of n = |s|^2: the same relative precision where |s| = 2^-B
// Masks have 40 bits more than what they hide. Vectors are in Z_2^128 where that fits, else in Z_2^192; scalars in Z_2^256.
// Tests: tests/core/protocols/normed_secure_sum_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace sotto {

/// y <- y (c1 - c3 n y^2) / 2^constant_bits.
struct NewtonStep {
  std::uint64_t c1 = 0;
  std::uint64_t c3 = 0;
};

struct NormedSumPlan {
  std::size_t parties = 1;
  std::size_t entries = 1;  ///< d
  std::size_t drawers =
      1;  ///< who add up a mask: the dealer alone, or all parties; a truncation is wrong by so many units at most
  int output_bits = 20;      ///< f
  int norm_bound_bits = 10;  ///< B
  int input_bits = 0;        ///< F
  int inverse_bits = 0;      ///< W_y
  int square_bits = 0;       ///< W_n
  int headroom_bits = 0;     ///< h
  int constant_bits = 0;
  int vector_bits = 128;  ///< of the ring that vectors are in
  std::vector<NewtonStep> steps;

  static constexpr int hiding_bits = 40;

  /// CryptoError with the numbers where they fit no ring, and for no entries.
  static NormedSumPlan make(std::size_t parties, std::size_t entries, std::size_t drawers, int output_bits,
                            int norm_bound_bits);

  /// n = (opened >> square_shift) - rho.
  int square_shift() const { return 2 * input_bits - square_bits; }
  /// Of one drawer's mask of n, and of its part above the shift.
  int square_mask_bits() const { return 2 * (input_bits + headroom_bits) + 2 + hiding_bits; }
  int rho_bits() const { return square_mask_bits() - square_shift(); }
  /// The same for y in a step.
  int inverse_shift() const { return square_bits + 2 * inverse_bits + constant_bits; }
  int inverse_mask_bits() const { return inverse_shift() + inverse_bits + norm_bound_bits + 1 + hiding_bits; }
  int beta_bits() const { return inverse_mask_bits() - inverse_shift(); }
  /// t: every party adds uniform numbers below 2^t to the product before it is opened.
  int dither_bits() const { return input_bits + inverse_bits - output_bits; }
  /// Openings that follow on each other.
  std::size_t rounds() const { return steps.size() + 3; }

  /// How far an output entry may be from s_j / |s|, in units of 2^-f: M dithers and a rounding, M inputs on their grid, the residual
  /// of y. (If the rounding errors of all entries were aligned with s, their norm would add M sqrt(d) / 512.)
  double error_bound() const;
  /// Whether an output of this norm is s / |s| and noise: else |s| was below 2^-B.
  bool plausible_norm(double norm) const;

 private:
  double noise_squared() const;  ///< of the whole output, on average
};

}  // namespace sotto
