// SPDX-License-Identifier: MIT
// The matrix types of the whole program. Column-major doubles; a column of a data matrix is a sample.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace sotto {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// Eigen cuts products into blocks by the machine's caches, and so adds in another order on another machine. These sizes,
/// in force before main() starts, stand for all of them.
struct CacheSizes {
  static constexpr std::ptrdiff_t l1 = 32 << 10;
  static constexpr std::ptrdiff_t l2 = 256 << 10;
  static constexpr std::ptrdiff_t l3 = 2 << 20;

  CacheSizes() { Eigen::setCpuCacheSizes(l1, l2, l3); }
};
inline const CacheSizes cache_sizes;

}  // namespace sotto
