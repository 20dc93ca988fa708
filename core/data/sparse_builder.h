// SPDX-License-Identifier: MIT
// A sparse matrix, entry by entry as a file lists them. Entries that come column after column, as in `docword` files, are put
// where they belong at once (12 bytes each); others are sorted at the end (28 bytes each while that lasts).
// Tests: tests/core/data/formats_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/sparse_matrix.h"

namespace sotto {

class SparseBuilder {
 public:
  /// `expected` entries get room at once.
  SparseBuilder(Index rows, Index columns, std::uint64_t expected);

  /// At most 2^31 - 1 entries.
  void add(Index row, Index column, double value);
  static constexpr std::uint64_t most_entries = 2'147'483'647;

  /// Sorted. Calls `twice(row, column)`, which must throw, for an entry that was there before.
  SparseMatrix take(const std::function<void(Index, Index)>& twice);

 private:
  void remember_columns();
  SparseMatrix in_columns();

  SparseMatrix m_;
  Index used_ = 0;
  Index open_ = 0;  ///< the column that is being filled, while they come in order
  bool in_order_ = true;
  std::vector<std::int32_t> columns_;  ///< of every entry, once they do not
};

}  // namespace sotto
