// SPDX-License-Identifier: MIT
#include "crypto/beaver.h"

namespace sotto {

Ring256 draw_bits(RandomStream& random, int bits) {
  std::array<std::uint64_t, 4> words{};
  for (std::uint64_t& w : words) w = random.next();
  return Ring256::of_words(words) >> (ring_bits<Ring256> - bits);
}

template <class Vec>
void multiply_out(NormedSumShares<Vec>& whole) {
  whole.squares = Vec{};
  for (const Vec& x : whole.mask) whole.squares += x * x;
  for (InverseShares& step : whole.steps) {
    step.beta2 = step.beta * step.beta;
    step.beta3 = step.beta2 * step.beta;
    step.rho_beta = whole.rho * step.beta;
    step.rho_beta2 = whole.rho * step.beta2;
    step.rho_beta3 = whole.rho * step.beta3;
  }
  const Vec beta = narrow<Vec>(whole.steps.back().beta);
  whole.beta_mask.clear();
  for (const Vec& x : whole.mask) whole.beta_mask.push_back(beta * x);
}

template <class Vec>
Vec square_share(std::span<const Vec> opened, const NormedSumShares<Vec>& own, bool first) {
  Vec cross{};
  Vec squares{};
  for (std::size_t j = 0; j < opened.size(); ++j) cross += opened[j] * own.mask[j];
  if (first)
    for (const Vec& e : opened) squares += e * e;
  return squares + cross + cross + own.squares;
}

Ring256 step_share(const NormedSumPlan& plan, std::size_t step, const MaskedScalar& n, const MaskedScalar* y,
                   const InverseShares* prepared, const Ring256& rho, bool first) {
  const Ring256 c1(plan.steps[step].c1);
  const Ring256 c3(plan.steps[step].c3);
  const int w = plan.inverse_bits;
  if (y == nullptr) {  // 2^-h (c1 - c3 (C_n - rho) 2^-2h)
    const int cubed = 3 * (w - plan.headroom_bits);
    Ring256 share = c3 * rho << cubed;
    if (first) share += (c1 << (plan.square_bits + 3 * w - plan.headroom_bits)) - (c3 * n.value << cubed);
    return share;
  }
  // y = C - beta;  n y^3 = (C_n - rho) (C^3 - 3 C^2 beta + 3 C beta^2 - beta^3)
  const Ring256 three(3);
  const Ring256& C = y->value;
  const Ring256 C2 = C * C;
  const Ring256 C3 = C2 * C;
  Ring256 linear = -prepared->beta;
  Ring256 cubic = n.value * (three * C * prepared->beta2 - three * C2 * prepared->beta - prepared->beta3) -
                  C3 * rho + three * C2 * prepared->rho_beta - three * C * prepared->rho_beta2 +
                  prepared->rho_beta3;
  if (first) {
    linear += C;
    cubic += n.value * C3;
  }
  return (c1 * linear << (plan.square_bits + 2 * w)) - c3 * cubic;
}

template <class Vec>
void scaled_shares(std::span<Vec> opened, const NormedSumShares<Vec>& own, const MaskedScalar& y,
                   bool first) {
  const Vec C = narrow<Vec>(y.value);
  const Vec beta = narrow<Vec>(own.steps.back().beta);
  const Vec factor = (first ? C : Vec{}) - beta;
  for (std::size_t j = 0; j < opened.size(); ++j)
    opened[j] = opened[j] * factor + C * own.mask[j] - own.beta_mask[j];
}

template <class Word>
MaskedScalar truncated(const Word& opened, int shift, std::size_t drawers) {
  Word above = opened >> shift;
  above -= Word(drawers / 2);
  if constexpr (sizeof(Word) == sizeof(Ring256))
    return {above};
  else
    return {widen(above)};
}

template void multiply_out(NormedSumShares<Ring128>&);
template void multiply_out(NormedSumShares<Ring192>&);
template Ring128 square_share(std::span<const Ring128>, const NormedSumShares<Ring128>&, bool);
template Ring192 square_share(std::span<const Ring192>, const NormedSumShares<Ring192>&, bool);
template void scaled_shares(std::span<Ring128>, const NormedSumShares<Ring128>&, const MaskedScalar&, bool);
template void scaled_shares(std::span<Ring192>, const NormedSumShares<Ring192>&, const MaskedScalar&, bool);
template MaskedScalar truncated(const Ring128&, int, std::size_t);
template MaskedScalar truncated(const Ring192&, int, std::size_t);
template MaskedScalar truncated(const Ring256&, int, std::size_t);

}  // namespace sotto
