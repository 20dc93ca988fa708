// SPDX-License-Identifier: MIT
// Where the shared random numbers of a normalized secure sum come from: the part that needs no data. One of
//   dealer             core/protocols/offline_dealer.h     a role outside the graph
//   paillier, bfv      core/protocols/offline_products.h   the parties themselves, in products under their keys
#pragma once

#include <vector>

#include "core/protocols/open.h"
#include "crypto/beaver.h"

namespace sotto {

template <class Vec>
class Offline {
 public:
  virtual ~Offline() = default;
  /// Before the first: keys or seeds.
  virtual Task<void> open() = 0;
  /// This party's shares for `columns` vectors. Every party asks for the same, in the same order; a call's number is never
  /// used twice.
  virtual Task<std::vector<NormedSumShares<Vec>>> prepare(std::uint64_t call, std::size_t columns) = 0;
  /// Everybody tells, right before a boundary.
  virtual void at_boundary(std::uint64_t iteration, bool finished) = 0;
  virtual void save(Writer& w) const = 0;
  virtual void load(Reader& r) = 0;
  /// What this party sent, or what a dealer sent to it.
  const SumFigures& figures() const { return figures_; }

 protected:
  SumFigures figures_;
};

}  // namespace sotto
