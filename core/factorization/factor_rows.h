// SPDX-License-Identifier: MIT
// A factor row after row, as the loops of row_kernel.h want it: a row is filled up with zeros to a multiple of row_lanes, and
// the first one begins a cache line.
#pragma once

#include <vector>

#include "base/matrix.h"
#include "core/factorization/row_kernel.h"

namespace sotto {

class FactorRows {
 public:
  FactorRows() = default;
  FactorRows(Index rows, Index rank)
      : count_(rows),
        rank_(rank),
        length_((rank + row_lanes - 1) / row_lanes * row_lanes),
        lines_(static_cast<std::size_t>((count_ * length_ + 7) / 8)) {}

  /// The factor itself, rows x rank.
  auto matrix() { return View<Rows>(data(), count_, rank_, Eigen::OuterStride<>(length_)); }
  auto matrix() const { return View<const Rows>(data(), count_, rank_, Eigen::OuterStride<>(length_)); }

  Index length() const { return length_; }
  const double* row(Index i) const { return data() + i * length_; }
  ConstRows rows() const { return rows(0, count_); }
  ConstRows rows(Index first, Index count) const { return {row(first), count, length_}; }

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  template <class M>
  using View = Eigen::Map<M, Eigen::Unaligned, Eigen::OuterStride<>>;

  struct alignas(64) CacheLine {
    double numbers[8] = {};
  };

  double* data() { return reinterpret_cast<double*>(lines_.data()); }
  const double* data() const { return reinterpret_cast<const double*>(lines_.data()); }

  Index count_ = 0;
  Index rank_ = 0;
  Index length_ = 0;
  std::vector<CacheLine> lines_;
};

}  // namespace sotto
