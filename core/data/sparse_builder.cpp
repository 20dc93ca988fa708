// SPDX-License-Identifier: MIT
#include "core/data/sparse_builder.h"

#include <algorithm>

namespace sotto {

namespace {

/// Sorts one column by row where it is not sorted yet.
void sort_column(std::int32_t* rows, double* values, std::size_t size,
                 std::vector<std::pair<std::int32_t, double>>& scratch) {
  if (std::is_sorted(rows, rows + size)) return;
  scratch.resize(size);
  for (std::size_t k = 0; k < size; ++k) scratch[k] = {rows[k], values[k]};
  std::stable_sort(scratch.begin(), scratch.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < size; ++k) {
    rows[k] = scratch[k].first;
    values[k] = scratch[k].second;
  }
}

}  // namespace

SparseBuilder::SparseBuilder(Index rows, Index columns, std::uint64_t expected) : m_(rows, columns) {
  m_.resizeNonZeros(static_cast<Index>(std::min(expected, most_entries)));
}

void SparseBuilder::add(Index row, Index column, double value) {
  if (used_ == m_.data().size())
    m_.resizeNonZeros(std::min(static_cast<Index>(most_entries), used_ + used_ / 2 + 1024));
  if (in_order_ && column < open_) remember_columns();
  if (in_order_)
    while (open_ < column) m_.outerIndexPtr()[++open_] = static_cast<std::int32_t>(used_);
  else
    columns_.push_back(static_cast<std::int32_t>(column));
  m_.innerIndexPtr()[used_] = static_cast<std::int32_t>(row);
  m_.valuePtr()[used_] = value;
  ++used_;
}

void SparseBuilder::remember_columns() {
  in_order_ = false;
  columns_.reserve(static_cast<std::size_t>(m_.data().size()));
  for (Index c = 0; c <= open_; ++c) {
    const Index end = c < open_ ? m_.outerIndexPtr()[c + 1] : used_;
    columns_.resize(static_cast<std::size_t>(end), static_cast<std::int32_t>(c));
  }
}

/// A counting sort by column.
SparseMatrix SparseBuilder::in_columns() {
  SparseMatrix sorted(m_.rows(), m_.cols());
  sorted.resizeNonZeros(used_);
  std::int32_t* outer = sorted.outerIndexPtr();
  std::fill_n(outer, m_.cols() + 1, 0);
  for (const std::int32_t c : columns_) ++outer[c + 1];
  for (Index c = 0; c < m_.cols(); ++c) outer[c + 1] += outer[c];
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::int32_t to = outer[columns_[k]]++;
    sorted.innerIndexPtr()[to] = m_.innerIndexPtr()[k];
    sorted.valuePtr()[to] = m_.valuePtr()[k];
  }
  for (Index c = m_.cols(); c > 0; --c) outer[c] = outer[c - 1];
  outer[0] = 0;
  return sorted;
}

SparseMatrix SparseBuilder::take(const std::function<void(Index, Index)>& twice) {
  if (in_order_) {
    while (open_ < m_.cols()) m_.outerIndexPtr()[++open_] = static_cast<std::int32_t>(used_);
    m_.resizeNonZeros(used_);
  } else {
    SparseMatrix sorted = in_columns();
    m_.swap(sorted);
  }
  std::vector<std::pair<std::int32_t, double>> scratch;
  for (Index c = 0; c < m_.cols(); ++c) {
    const std::int32_t first = m_.outerIndexPtr()[c];
    const auto size = static_cast<std::size_t>(m_.outerIndexPtr()[c + 1] - first);
    std::int32_t* rows = m_.innerIndexPtr() + first;
    sort_column(rows, m_.valuePtr() + first, size, scratch);
    const std::int32_t* again = std::adjacent_find(rows, rows + size);
    if (again != rows + size) twice(*again, c);
  }
  SparseMatrix done;  // Eigen 3.4 has no move: this is one
  done.swap(m_);
  return done;
}

}  // namespace sotto
