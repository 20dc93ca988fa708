// SPDX-License-Identifier: MIT
// Compiled for AVX2: nothing here runs unless row_kernel() found it.
// Tests: tests/core/factorization/rri_test.cpp
#if defined(__x86_64__)
#include "core/factorization/row_loops.h"

namespace sotto {

extern const RowKernel avx2_row_kernel = RowLoops<4>::kernel("avx2");

}  // namespace sotto
#endif
