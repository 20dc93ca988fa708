// SPDX-License-Identifier: MIT
// Four lanes with AVX2, whose products are 32 x 32 bits: limbs of 28 bits for moduli to 2350 bits (a column holds 3 products
// per limb and must stay below 2^64), of 26 bits for longer ones. Compiled for that instruction set: nothing here runs unless
// kernels() found it.
// Tests: tests/crypto/paillier_kernel_test.cpp
#if defined(__x86_64__)
#include <immintrin.h>

#include "crypto/paillier/lane_columns.h"

namespace sotto {
namespace {

template <unsigned Bits>
struct Avx2 {
  using V = __m256i;
  static constexpr unsigned bits = Bits;
  static constexpr bool split = false;
  static V mask() { return _mm256_set1_epi64x((1LL << bits) - 1); }
  static V zero() { return _mm256_setzero_si256(); }
  static V one() { return _mm256_set1_epi64x(1); }
  static V add(V a, V b) { return _mm256_add_epi64(a, b); }
  static V subtract(V a, V b) { return _mm256_sub_epi64(a, b); }
  static V low(V acc, V a, V b) { return _mm256_add_epi64(acc, _mm256_mul_epu32(a, b)); }
  static V high(V acc, V, V) { return acc; }
  static V low_limb(V a, V b) { return _mm256_and_si256(_mm256_mul_epu32(a, b), mask()); }
  static V limb(V column) { return _mm256_and_si256(column, mask()); }
  static V carry(V column) { return _mm256_srli_epi64(column, static_cast<int>(bits)); }
  static V complement(V limb) { return _mm256_xor_si256(limb, mask()); }
};

using Narrow = Columns<Avx2<28>>;
using Wide = Columns<Avx2<26>>;

}  // namespace

extern const LaneKernel avx2_kernel{"avx2",        4, 28, 84, true, Narrow::scratch_words, Narrow::multiply,
                                    Narrow::square};
extern const LaneKernel avx2_wide_kernel{"avx2",         4,           26, 1360, true, Wide::scratch_words,
                                         Wide::multiply, Wide::square};

}  // namespace sotto
#endif
