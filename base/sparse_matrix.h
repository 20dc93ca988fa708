// SPDX-License-Identifier: MIT
// Sparse matrices, for those few who need them: Eigen's header is a heavy one.
#pragma once

#include <Eigen/SparseCore>

#include "base/matrix.h"

namespace sotto {

/// Compressed columns: 12 bytes an entry that is not zero, at most 2^31 - 1 of them.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;

}  // namespace sotto
