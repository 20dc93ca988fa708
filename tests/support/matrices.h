// SPDX-License-Identifier: MIT
// Random matrices for tests.
#pragma once

#include "base/matrix.h"
#include "base/random_stream.h"

namespace sotto::testing {

/// Uniform in [0, 1).
inline Matrix random_matrix(Index rows, Index cols, RandomStream& random) {
  Matrix m(rows, cols);
  for (Index k = 0; k < m.size(); ++k) m.data()[k] = random.uniform();
  return m;
}

}  // namespace sotto::testing
