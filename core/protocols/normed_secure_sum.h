// SPDX-License-Identifier: MIT
// NORMEDSECSUM: everybody learns s / |s| for s = sum_m x_m, and nothing else of s (Tsikhanovich et al. 2019, section 3 and appendix E).
//
// Functionality. Party m gives x_m, a vector of d numbers. Everybody gets
//     s_j / |s| + w_j,      w_j the sum of the parties' dithers, each uniform in [-1/2, 1/2) units of 2^-f,
// and rounds it to f bits for its own use: within (M + 1) / 2 + M / 64 + 1/10 units of s_j / |s|.
// No x_m may be longer than 1: its party refuses that before anything is sent. The caller promises |s| >= 2^-B, B public. Below, the output's norm
// is not 1 and tells |s|: the run ends with an error that says so (a sum of zeros ends the same way).
// Of |s| within its range the output says this: inputs are rounded to 2^-F, so s is one of a grid's; whoever knew s / |s| to F bits from
// elsewhere could tell scales apart by it, from some thousand entries near 2^-B. Nothing else.
//
// Adversary: semi-honest; all parties but one may collude, with the dealer honest (offline = "dealer") or without one.
// Over any connected graph: shares are opened by sums over a tree (open.h), and relays see sums of uniform shares.
//
//   step                                       | what is opened                    | what it reveals
//  --------------------------------------------+-----------------------------------+-----------------------------------------
//   x_m is party m's share of s: no message    |                                   |
//   1  e = s - a                               | d elements of Z_2^w               | nothing: a is uniform
//   2  n = |s|^2 from e and shares, local      | n + r, r of 2 F + 42 bits         | nothing, but for 2^-40
//   3  y <- y (c1 - c3 n y^2), I times         | y + r, r 40 bits longer than y    | nothing, but for 2^-40, each time
//   4  p_j = s_j y, local                      | p_j + dithers, d elements         | the output, unrounded: below 2^t, t = F + W_y - f,
//                                              |                                   | the honest party's dither is uniform
// I + 3 openings, 2 d + I + 1 elements per vector. `normalize` takes the columns of a matrix through them side by side.
// The other guards (bits of y, guard bits of the input) are in crypto/normed_sum_plan.h. What is NOT done, because it leaks: opening
// s_j y exactly (y is the greatest common divisor), or r |s|^2 for a random r ("blind and open": two calls have |s|^2 in common).
#pragma once

#include <memory>

#include "base/matrix.h"
#include "core/protocols/open.h"
#include "core/protocols/secure_sum.h"
#include "crypto/normed_sum_plan.h"
#include "network/runtime/runtime.h"

namespace sotto {

/// What all parties agree on before the first call.
struct NormedSumFacts {
  NormedSumPlan plan;
  OfflinePhase offline = OfflinePhase::dealer;
  std::shared_ptr<const AdditiveScheme> scheme;  ///< for paillier and bfv

  /// By secure_sum.{offline, output_bits, norm_bound_bits}. CryptoError where the numbers fit no ring.
  static NormedSumFacts make(const NormedSumOptions& options, std::size_t parties, std::size_t entries,
                             std::shared_ptr<const AdditiveScheme> scheme);
  /// Who has to be there besides the parties. `starts`: their states at a boundary that a run goes on from; none: from the beginning.
  std::vector<Role> roles(std::span<const Bytes> starts = {}) const;
  std::vector<std::string> labels() const;
};

/// What normalized sums cost online, and what they cost to prepare, over all agents.
std::span<const CounterFigure> normed_sum_figures();

class NormedSecureSum {
 public:
  virtual ~NormedSecureSum() = default;

  /// `facts` outlives it. The dealer, where there is one, is the first role.
  static std::unique_ptr<NormedSecureSum> make(Agent& me, const NormedSumFacts& facts, const SumPlan& tree);

  /// Before the first: the tree, keys or seeds.
  virtual Task<void> open() = 0;
  /// The offline phase of one call: may be done long before, for several calls, each with as many columns.
  virtual Task<void> prepare(std::size_t columns) = 0;
  /// The sum over all parties of every column, divided by its norm. Prepares itself if nothing is prepared. CryptoError if an own
  /// column is longer than 1 or no number, before anything is sent; RunError if a sum was out of its range.
  virtual Task<Matrix> normalize(Matrix own) = 0;
  /// Right before every boundary.
  virtual void at_boundary(std::uint64_t iteration, bool finished) = 0;

  virtual const SumFigures& figures() const = 0;  ///< of the online phase
  virtual const SumFigures& offline_figures() const = 0;
  /// Nothing may be prepared and unused.
  virtual void save(Writer& w) const = 0;
  virtual void load(Reader& r) = 0;
};

}  // namespace sotto
