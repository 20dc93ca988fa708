// SPDX-License-Identifier: MIT
#include "core/data/samples.h"

#include <numeric>
#include <vector>

#include <algorithm>
#include <cmath>

namespace sotto {

Samples::Samples(Matrix dense)
    : all_(std::make_shared<const Storage>(std::move(dense))),
      rows_(whole_dense().rows()),
      cols_(whole_dense().cols()) {}

Samples::Samples(SparseMatrix sparse) : rows_(sparse.rows()), cols_(sparse.cols()) {
  const auto storage = std::make_shared<Storage>(std::in_place_type<SparseMatrix>);
  std::get<SparseMatrix>(*storage).swap(sparse);  // Eigen 3.4 has no move of sparse matrices
  all_ = storage;
}

Index Samples::stored() const {
  if (!sparse()) return rows_ * cols_;
  const auto* outer = whole_sparse().outerIndexPtr();
  return outer[first_ + cols_] - outer[first_];
}

Samples Samples::columns(Index first, Index count) const {
  Samples part = *this;
  part.first_ += first;
  part.cols_ = count;
  return part;
}

Samples Samples::copy() const {
  std::vector<Index> all(static_cast<std::size_t>(cols()));
  std::iota(all.begin(), all.end(), Index{0});
  return gather(all);
}

Samples Samples::gather(std::span<const Index> which) const {
  const auto count = static_cast<Index>(which.size());
  if (!sparse()) {
    Matrix m(rows_, count);
    for (Index c = 0; c < count; ++c)
      m.col(c) = whole_dense().col(first_ + which[static_cast<std::size_t>(c)]);
    return m;
  }
  const auto* outer = whole_sparse().outerIndexPtr();
  Index entries = 0;
  for (const Index w : which) entries += outer[first_ + w + 1] - outer[first_ + w];
  SparseMatrix m(rows_, count);
  m.resizeNonZeros(entries);
  std::int32_t at = 0;
  for (Index c = 0; c < count; ++c) {
    m.outerIndexPtr()[c] = at;
    const Index from = first_ + which[static_cast<std::size_t>(c)];
    const std::int32_t size = outer[from + 1] - outer[from];
    std::copy_n(whole_sparse().innerIndexPtr() + outer[from], size, m.innerIndexPtr() + at);
    std::copy_n(whole_sparse().valuePtr() + outer[from], size, m.valuePtr() + at);
    at += size;
  }
  m.outerIndexPtr()[count] = at;
  return m;
}

Vector Samples::column(Index sample) const {
  if (!sparse()) return whole_dense().col(first_ + sample);
  return Vector(whole_sparse().col(first_ + sample));
}

Samples::Entries Samples::entries(Index sample) const {
  if (!sparse())
    return {{}, {whole_dense().data() + (first_ + sample) * rows_, static_cast<std::size_t>(rows_)}};
  const SparseMatrix& m = whole_sparse();
  const std::int32_t begin = m.outerIndexPtr()[first_ + sample];
  const auto size = static_cast<std::size_t>(m.outerIndexPtr()[first_ + sample + 1] - begin);
  return {{m.innerIndexPtr() + begin, size}, {m.valuePtr() + begin, size}};
}

Matrix Samples::times_transposed(const Matrix& Y) const {
  if (sparse()) return thin() * Y.transpose();
  return dense() * Y.transpose();
}

Matrix Samples::transposed_times(const Matrix& X) const {
  if (sparse()) return thin().transpose() * X;
  return dense().transpose() * X;
}

double Samples::squared_norm() const {
  if (!sparse()) return dense().squaredNorm();
  double sum = 0;
  each([&](Index, Index, double v) { sum += v * v; });
  return sum;
}

double Samples::mean_abs() const {
  if (rows_ * cols_ == 0) return 0;
  if (!sparse()) return dense().cwiseAbs().mean();
  double sum = 0;
  each([&](Index, Index, double v) { sum += std::abs(v); });
  return sum / (static_cast<double>(rows_) * static_cast<double>(cols_));
}

double Samples::residual(const Matrix& X, const Matrix& Y) const {
  if (!sparse()) return (dense() - X * Y).norm();
  const double cross = (transposed_times(X).array() * Y.transpose().array()).sum();
  const double product = ((X.transpose() * X).array() * (Y * Y.transpose()).array()).sum();
  return std::sqrt(std::max(0.0, squared_norm() - 2 * cross + product));
}

}  // namespace sotto
