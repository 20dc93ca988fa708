// SPDX-License-Identifier: MIT
#include "core/factorization/row_kernel.h"

#include "core/factorization/row_loops.h"

namespace sotto {

extern const RowKernel plain_row_kernel = RowLoops<2>::kernel("portable");

const RowKernel& row_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2_row_kernel;
#endif
  return plain_row_kernel;
}

}  // namespace sotto
