// SPDX-License-Identifier: MIT
// Eight lanes with AVX-512 IFMA: 52-bit limbs, low and high half of a product by one instruction each. Compiled for that
// instruction set: nothing here runs unless kernels() found it. A column holds at most 6 limbs + 1 halves of 52 bits.
// Tests: tests/crypto/paillier_kernel_test.cpp
#if defined(__x86_64__)
#include <immintrin.h>

#include "crypto/paillier/lane_columns.h"

namespace sotto {
namespace {

struct Ifma {
  using V = __m512i;
  static constexpr unsigned bits = 52;
  static constexpr bool split = true;
  static V mask() { return _mm512_set1_epi64((1LL << bits) - 1); }
  static V zero() { return _mm512_setzero_si512(); }
  static V one() { return _mm512_set1_epi64(1); }
  static V add(V a, V b) { return _mm512_add_epi64(a, b); }
  static V subtract(V a, V b) { return _mm512_sub_epi64(a, b); }
  static V low(V acc, V a, V b) { return _mm512_madd52lo_epu64(acc, a, b); }
  static V high(V acc, V a, V b) { return _mm512_madd52hi_epu64(acc, a, b); }
  static V low_limb(V a, V b) { return _mm512_madd52lo_epu64(zero(), a, b); }
  static V limb(V column) { return _mm512_and_si512(column, mask()); }
  static V carry(V column) {
    using Words = unsigned long long __attribute__((vector_size(64)));
    return reinterpret_cast<V>(reinterpret_cast<Words>(column) >> bits);
  }
  static V complement(V limb) { return _mm512_xor_si512(limb, mask()); }
};

}  // namespace

extern const LaneKernel ifma_kernel{
    "avx512-ifma",        8, 52, 680, true, Columns<Ifma>::scratch_words, Columns<Ifma>::multiply,
    Columns<Ifma>::square};

}  // namespace sotto
#endif
