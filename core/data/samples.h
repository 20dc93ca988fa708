// SPDX-License-Identifier: MIT
// Samples as columns, dense or sparse, and what factorizations ask of them. A sparse matrix stays sparse: nothing here
// makes features x samples out of it. Copies and `columns` share the numbers, so that a million agents can each hold
// their part of one matrix.
// Threading: const after construction, read from any thread.
// Tests: tests/core/data/formats_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "base/sparse_matrix.h"

namespace sotto {

class Samples {
 public:
  Samples() : Samples(Matrix()) {}
  Samples(Matrix dense);         // NOLINT: a matrix is samples
  Samples(SparseMatrix sparse);  // NOLINT

  Index rows() const { return rows_; }  ///< features
  Index cols() const { return cols_; }  ///< samples
  bool sparse() const { return std::holds_alternative<SparseMatrix>(*all_); }
  /// Stored entries: rows x cols where dense.
  Index stored() const;

  /// Samples first, ..., first + count - 1, without a copy.
  Samples columns(Index first, Index count) const;
  /// These samples, in this order, as a matrix of their own.
  Samples gather(std::span<const Index> which) const;
  /// The same samples in memory of their own: nothing of what they were cut out of.
  Samples copy() const;
  /// One sample, written out.
  Vector column(Index sample) const;
  /// One sample as it is stored. Dense: every value, and no features.
  struct Entries {
    std::span<const std::int32_t> features;
    std::span<const double> values;
  };
  Entries entries(Index sample) const;

  Matrix times_transposed(const Matrix& Y) const;  ///< Z Y'
  Matrix transposed_times(const Matrix& X) const;  ///< Z' X
  double squared_norm() const;
  double mean_abs() const;
  /// |Z - X Y|. Sparse: from |Z|^2 - 2 <Z, X Y> + |X Y|^2, so a residual below 1e-8 |Z| is not resolved.
  double residual(const Matrix& X, const Matrix& Y) const;

  /// Calls visit(feature, sample, value) for every stored entry, sample after sample.
  template <class Visit>
  void each(Visit visit) const;
  /// The same numbers, each replaced by change(feature, sample, value), sample after sample.
  template <class Change>
  Samples changed(Change change) const;

 private:
  using Storage = std::variant<Matrix, SparseMatrix>;

  const Matrix& whole_dense() const { return std::get<Matrix>(*all_); }
  const SparseMatrix& whole_sparse() const { return std::get<SparseMatrix>(*all_); }
  auto dense() const { return whole_dense().middleCols(first_, cols_); }
  auto thin() const { return whole_sparse().middleCols(first_, cols_); }

  std::shared_ptr<const Storage> all_;
  Index rows_ = 0;
  Index first_ = 0;
  Index cols_ = 0;
};

template <class Visit>
void Samples::each(Visit visit) const {
  if (sparse()) {
    for (Index c = 0; c < cols_; ++c)
      for (SparseMatrix::InnerIterator e(whole_sparse(), first_ + c); e; ++e)
        visit(static_cast<Index>(e.row()), c, e.value());
  } else {
    for (Index c = 0; c < cols_; ++c)
      for (Index r = 0; r < rows_; ++r) visit(r, c, whole_dense()(r, first_ + c));
  }
}

template <class Change>
Samples Samples::changed(Change change) const {
  if (sparse()) {
    SparseMatrix m = thin();
    for (Index c = 0; c < cols_; ++c)
      for (SparseMatrix::InnerIterator e(m, c); e; ++e)
        e.valueRef() = change(static_cast<Index>(e.row()), c, e.value());
    return m;
  }
  Matrix m = dense();
  for (Index c = 0; c < cols_; ++c)
    for (Index r = 0; r < rows_; ++r) m(r, c) = change(r, c, m(r, c));
  return m;
}

}  // namespace sotto
