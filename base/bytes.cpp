// SPDX-License-Identifier: MIT
#include "base/bytes.h"

namespace sotto {

void Writer::append(const void* from, std::size_t size) {
  if (size == 0) return;
  const std::size_t at = bytes_.size();
  bytes_.resize(at + size);
  std::memcpy(bytes_.data() + at, from, size);
}

void Writer::matrix(const Matrix& m) {
  put<std::uint64_t>(static_cast<std::uint64_t>(m.rows()));
  put<std::uint64_t>(static_cast<std::uint64_t>(m.cols()));
  raw({reinterpret_cast<const std::uint8_t*>(m.data()), static_cast<std::size_t>(m.size()) * sizeof(double)});
}

Matrix Reader::matrix() {
  const auto rows = get<std::uint64_t>();
  const auto cols = get<std::uint64_t>();
  const std::uint64_t fits = left() / sizeof(double);
  constexpr std::uint64_t largest_side = std::uint64_t{1} << 40;
  if (rows > largest_side || cols > largest_side || (rows != 0 && cols > fits / rows))
    throw FormatError("a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) + " in " +
                      std::to_string(left()) + " bytes");
  Matrix m(static_cast<Index>(rows), static_cast<Index>(cols));
  const auto part = raw(rows * cols * sizeof(double));
  if (!part.empty()) std::memcpy(m.data(), part.data(), part.size());
  return m;
}

void Reader::finish() const {
  if (left() != 0) throw FormatError(std::to_string(left()) + " bytes too many");
}

std::size_t Reader::length(std::size_t element_size) {
  const auto count = get<std::uint64_t>();
  if (count > left() / element_size)
    throw FormatError("a list of " + std::to_string(count) + " elements in " + std::to_string(left()) +
                      " bytes");
  return count;
}

}  // namespace sotto
