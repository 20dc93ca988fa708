// SPDX-License-Identifier: MIT
// The portable kernel: the same formulas on GMP's low-level functions, lane after lane, each lane's limbs in a row.
// Tests: tests/crypto/paillier_kernel_test.cpp
#include <gmp.h>

#include <algorithm>

#include "crypto/paillier/lane_kernel.h"

namespace sotto {
namespace {

static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == sizeof(LaneWord));

constexpr unsigned lanes = 2;

mp_limb_t* limbs_of(LaneWord* words) {
  return reinterpret_cast<mp_limb_t*>(words);
}
const mp_limb_t* limbs_of(const LaneWord* words) {
  return reinterpret_cast<const mp_limb_t*>(words);
}

/// t (2 s limbs and one more) + q m with its lower s limbs zero; q: s limbs.
void reduce(mp_limb_t* t, mp_limb_t* q, const mp_limb_t* m, mp_limb_t minus_inverse, mp_size_t s) {
  for (mp_size_t i = 0; i < s; ++i) {
    q[i] = t[i] * minus_inverse;
    const mp_limb_t carry = mpn_addmul_1(t + i, m, s, q[i]);
    mpn_add_1(t + i + s, t + i + s, s - i + 1, carry);
  }
}

struct Scratch {
  mp_limb_t *t, *w, *v, *q;
  Scratch(const LaneModuli& m, mp_size_t s)
      : t(limbs_of(m.scratch)), w(t + 2 * s + 1), v(w + 2 * s + 1), q(v + 2 * s + 1) {}
};

std::size_t scratch_words(std::size_t limbs) {
  return 7 * limbs + 3;
}

void finish(const LaneModuli& m, mp_size_t lane, const Scratch& at, mp_limb_t* z) {
  const auto s = static_cast<mp_size_t>(m.limbs);
  const mp_limb_t* n = limbs_of(m.modulus) + lane * s;
  reduce(at.t, at.q, n, m.minus_inverse[lane], s);
  std::copy(at.t + s, at.t + 2 * s, z);
  mpn_com(at.q, at.q, s);
  mpn_add(at.w, at.w, 2 * s + 1, at.q, s);
  mpn_add_1(at.w, at.w, 2 * s + 1, 1);
  reduce(at.w, at.q, n, m.minus_inverse[lane], s);
  mpn_add_n(z + s, at.w + s, n, s);
  mpn_sub_1(z + s, z + s, s, 1);
}

void multiply(const LaneModuli& m, LaneWord* z, const LaneWord* x, const LaneWord* y, unsigned used) {
  const auto s = static_cast<mp_size_t>(m.limbs);
  const Scratch at(m, s);
  for (mp_size_t lane = 0; lane < std::min(used, lanes); ++lane) {
    const mp_limb_t* a = limbs_of(x) + lane * 2 * s;
    const mp_limb_t* b = limbs_of(y) + lane * 2 * s;
    mpn_mul_n(at.t, a, b, s);
    at.t[2 * s] = 0;
    mpn_mul_n(at.w, a, b + s, s);
    mpn_mul_n(at.v, a + s, b, s);
    at.w[2 * s] = mpn_add_n(at.w, at.w, at.v, 2 * s);
    finish(m, lane, at, limbs_of(z) + lane * 2 * s);
  }
}

void square(const LaneModuli& m, LaneWord* z, const LaneWord* x, unsigned used) {
  const auto s = static_cast<mp_size_t>(m.limbs);
  const Scratch at(m, s);
  for (mp_size_t lane = 0; lane < std::min(used, lanes); ++lane) {
    const mp_limb_t* a = limbs_of(x) + lane * 2 * s;
    mpn_sqr(at.t, a, s);
    at.t[2 * s] = 0;
    mpn_mul_n(at.w, a, a + s, s);
    at.w[2 * s] = mpn_lshift(at.w, at.w, 2 * s, 1);
    finish(m, lane, at, limbs_of(z) + lane * 2 * s);
  }
}

}  // namespace

extern const LaneKernel gmp_kernel{"gmp", lanes, 64, 1U << 20, false, scratch_words, multiply, square};

}  // namespace sotto
