// SPDX-License-Identifier: MIT
#include "crypto/normed_sum_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace sotto {

namespace {

/// What a step makes of x = y |s| in [low, 1].
struct Interval {
  double low;
  double high;
};

Interval image(const NewtonStep& step, double unit, double low) {
  const auto c1 = static_cast<double>(step.c1);
  const auto c3 = static_cast<double>(step.c3);
  const auto next = [&](double x) { return x * (c1 - c3 * x * x) / unit; };
  Interval to{std::min(next(low), next(1)), std::max(next(low), next(1))};
  const double peak = std::sqrt(c1 / (3 * c3));
  if (low < peak && peak < 1) to.high = std::max(to.high, next(peak));
  return to;
}

/// Scaled Newton: alpha is best for x in [low, 1] as long as that interval is wide, and never lets x above 1.
std::vector<NewtonStep> newton_steps(int range_bits, int residual_bits, int constant_bits) {
  constexpr std::size_t most = 100;
  constexpr double narrow_enough = 2e-3;
  const double unit = std::ldexp(1.0, constant_bits);
  std::vector<NewtonStep> steps;
  double low = std::ldexp(1.0, -range_bits);
  while (1 - low > std::ldexp(1.0, -residual_bits)) {
    if (steps.size() == most) throw CryptoError("Newton's iteration for a normalized sum does not converge");
    const double alpha = 1 - low < narrow_enough ? 1 : std::sqrt(3 / (1 + low + low * low));
    NewtonStep step{static_cast<std::uint64_t>(1.5 * alpha * unit),
                    static_cast<std::uint64_t>(0.5 * alpha * alpha * alpha * unit)};
    // constants on their grid: neither end may fall behind the other, and nothing may pass 1
    for (;;) {
      const auto behind = [&] {
        const auto c1 = static_cast<double>(step.c1);
        const auto c3 = static_cast<double>(step.c3);
        return c1 - c3 < low * (c1 - c3 * low * low);
      };
      while (behind()) --step.c3;
      const double high = image(step, unit, low).high;
      if (high <= 1) break;
      step.c1 = std::min(step.c1 - 1, static_cast<std::uint64_t>(static_cast<double>(step.c1) / high));
      step.c3 = static_cast<std::uint64_t>(static_cast<double>(step.c3) / high);
    }
    const Interval to = image(step, unit, low);
    low = to.low;
    steps.push_back(step);
  }
  return steps;
}

int log2_up(std::size_t n) {
  return static_cast<int>(std::bit_width(n - 1));
}

}  // namespace

NormedSumPlan NormedSumPlan::make(std::size_t parties, std::size_t entries, std::size_t drawers,
                                  int output_bits, int norm_bound_bits) {
  if (entries == 0) throw CryptoError("a normalized sum of vectors without entries");
  NormedSumPlan plan;
  plan.parties = parties;
  plan.entries = entries;
  plan.drawers = drawers;
  plan.output_bits = output_bits;
  plan.norm_bound_bits = norm_bound_bits;
  constexpr int guard_bits = 7;
  plan.input_bits = output_bits + norm_bound_bits + guard_bits;
  const int margin = std::max(8, (log2_up(entries) + 1) / 2 + 5);
  plan.inverse_bits = output_bits + margin;
  plan.square_bits = 2 * norm_bound_bits + plan.inverse_bits;
  constexpr int short_constants = 10;  // enough up to there
  constexpr int enough_up_to = 13;
  plan.headroom_bits = log2_up(parties);
  const int range_bits = norm_bound_bits + plan.headroom_bits;
  plan.constant_bits = range_bits <= enough_up_to ? short_constants : range_bits + 6;
  const int summed = log2_up(drawers) + 1;  // of masks, and what they hide
  plan.vector_bits = plan.square_mask_bits() + summed <= 128 ? 128 : 192;
  const int scalar_bits = plan.inverse_mask_bits() + summed;
  constexpr int widest_scalar = 256;
  constexpr int widest_input = 52;  // a double's grid
  if (scalar_bits > widest_scalar || plan.square_mask_bits() + summed > 192 || plan.square_shift() < 1 ||
      plan.input_bits > widest_input || plan.dither_bits() > 63)
    throw CryptoError(
        fmt::format("a normalized sum of {} entries by {} parties with f = {} and B = {} needs scalars of {} "
                    "bits, of which there are "
                    "{}, "
                    "and inputs of {}, at most {}: lower secure_sum.output_bits or norm_bound_bits",
                    entries, parties, output_bits, norm_bound_bits, scalar_bits, widest_scalar,
                    plan.input_bits, widest_input));
  constexpr double loudest = 0.1;
  if (plan.noise_squared() > loudest)
    throw CryptoError(
        fmt::format("a normalized sum of {} entries by {} parties with f = {}: rounding and dithers would be "
                    "{:.2g} of the output, "
                    "and hide a norm that is not 1: raise secure_sum.output_bits",
                    entries, parties, output_bits, std::sqrt(plan.noise_squared())));
  plan.steps = newton_steps(range_bits, plan.inverse_bits, plan.constant_bits);
  return plan;
}

double NormedSumPlan::error_bound() const {
  const auto m = static_cast<double>(parties);
  return (m + 1) / 2 + m / 64 + 0.1;  // dither and rounding, inputs on their grid, the residual of y
}

/// The output is s / |s| + noise, whose entries have a variance of (M + 1) / 12 units: along s / |s| it changes the norm, across it
/// lengthens it, by d times that on average. Six deviations, and one unit.
bool NormedSumPlan::plausible_norm(double norm) const {
  const double unit = std::ldexp(1.0, -output_bits);
  const double spread = std::sqrt((static_cast<double>(parties) + 1) / 12);
  const double across = noise_squared();
  const double of_across = across * std::sqrt(2 / static_cast<double>(entries));
  const double off = std::sqrt(std::max(0.0, norm * norm - across)) - 1;
  return std::abs(off) <= unit * (1 + 6 * spread) + 3 * of_across;
}

double NormedSumPlan::noise_squared() const {
  return std::ldexp(static_cast<double>(entries) * (static_cast<double>(parties) + 1) / 12, -2 * output_bits);
}

}  // namespace sotto
