// SPDX-License-Identifier: MIT
// Products of shared numbers from shared random ones (Beaver): the secret is opened under a mask of which products were prepared,
// and everything else is local. Here are the local steps of a normalized secure sum (core/protocols/normed_secure_sum.h) and the
// shares that they use up; `Vec` is Ring128 or Ring192. Whatever is opened has a term in it whose shares are uniform but for their sum
// over all parties: it says that sum and nothing more.
// Tests: tests/core/protocols/normed_secure_sum_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/random_stream.h"
#include "crypto/normed_sum_plan.h"
#include "crypto/ring.h"

namespace sotto {

/// A party's shares for one step: of the mask r of y = (opened >> shift) - beta, and of the powers that the next product takes.
struct InverseShares {
  Ring256 mask;
  Ring256 beta, beta2, beta3;              ///< beta, beta^2, beta^3; beta = r >> shift
  Ring256 rho_beta, rho_beta2, rho_beta3;  ///< times rho
};

/// For one vector.
template <class Vec>
struct NormedSumShares {
  std::vector<Vec> mask;  ///< a
  Vec squares{};          ///< sum a_j^2
  Vec square_mask{};      ///< of n = |s|^2
  Ring256 rho;            ///< n = (opened >> shift) - rho
  std::vector<InverseShares> steps;
  std::vector<Vec> beta_mask;  ///< the last step's beta, times a
};

/// Uniform below 2^bits.
Ring256 draw_bits(RandomStream& random, int bits);

/// Whoever holds whole numbers, not shares: all products, from the masks, rho and every beta.
template <class Vec>
void multiply_out(NormedSumShares<Vec>& whole);

/// A number that was opened under a mask: value - (secret) mask.
struct MaskedScalar {
  Ring256 value;
};

/// |s|^2 from e = s - a: sum e^2 + 2 sum e a + sum a^2. One party, `first`, adds what is public.
template <class Vec>
Vec square_share(std::span<const Vec> opened, const NormedSumShares<Vec>& own, bool first);

/// y (c1 - c3 n y^2), before truncation, for the y that was opened last; without one y = 2^-h.
Ring256 step_share(const NormedSumPlan& plan, std::size_t step, const MaskedScalar& n, const MaskedScalar* y,
                   const InverseShares* prepared, const Ring256& rho, bool first);

/// s_j y, in place of e_j: (e_j + a_j) (C - beta).
template <class Vec>
void scaled_shares(std::span<Vec> opened, const NormedSumShares<Vec>& own, const MaskedScalar& y, bool first);

/// What was opened, above the shift; a sum of several parties' masks is too large by half their number, on average.
template <class Word>
MaskedScalar truncated(const Word& opened, int shift, std::size_t drawers);

}  // namespace sotto
