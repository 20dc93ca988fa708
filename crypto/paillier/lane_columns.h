// SPDX-License-Identifier: MIT
// The lane arithmetic of lane_kernel.h over a vector type, for kernels that are compiled for an instruction set. `Vec` gives
//   V          a vector of lanes        bits       of a limb
//   low, high  acc + low or high part of a product of two limbs (high: the same column's where `split` is false, then unused)
//   split      whether a product is added to two columns
// Products are added up in columns without carries; a column is brought to `bits` once.
#pragma once

#include <cstddef>

#include "crypto/paillier/lane_kernel.h"

namespace sotto {
namespace {

template <class Vec>
struct Columns {
  using V = typename Vec::V;

  static void mac(V& column, V& next, V a, V b) {
    column = Vec::low(column, a, b);
    if constexpr (Vec::split) next = Vec::high(next, a, b);
  }

  /// t[0 .. count + Rows) += x[0 .. Rows) * y[0 .. count)
  template <int Rows>
  static inline void add_rows(V* t, const V* x, const V* y, std::size_t count) {
    V row[Rows];
    V acc[Rows + 1];
    for (int r = 0; r < Rows; ++r) row[r] = x[r];
    for (int r = 0; r < Rows; ++r) acc[r] = t[r];
    for (std::size_t j = 0; j < count; ++j) {
      acc[Rows] = t[j + Rows];
      const V b = y[j];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) mac(acc[r], acc[r + 1], row[r], b);
      t[j] = acc[0];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) acc[r] = acc[r + 1];
    }
    for (int r = 0; r < Rows; ++r) t[count + r] = acc[r];
  }

  /// t[0 .. 2 s] += x * y; t has a word more than the product.
  static void add_product(V* t, const V* x, const V* y, std::size_t s) {
    std::size_t i = 0;
    for (; i + 8 <= s; i += 8) add_rows<8>(t + i, x + i, y, s);
    for (; i + 4 <= s; i += 4) add_rows<4>(t + i, x + i, y, s);
    for (; i < s; ++i) add_rows<1>(t + i, x + i, y, s);
  }

  /// The products x_i x_j, i < j, each once.
  static void add_pairs(V* t, const V* x, std::size_t s) {
    std::size_t i = 0;
    for (; i + 4 <= s; i += 4) {
      const std::size_t block = 4;
      for (std::size_t r = 0; r < block; ++r)
        for (std::size_t c = r + 1; c < block; ++c)
          mac(t[2 * i + r + c], t[2 * i + r + c + 1], x[i + r], x[i + c]);
      add_rows<4>(t + 2 * i + block, x + i, x + i + block, s - i - block);
    }
    for (; i + 1 < s; ++i) add_rows<1>(t + 2 * i + 1, x + i, x + i + 1, s - i - 1);
  }

  /// t = 2 t + the squares x_i^2
  static void double_and_add_squares(V* t, const V* x, std::size_t s) {
    for (std::size_t i = 0; i < s; ++i) {
      V even = Vec::add(t[2 * i], t[2 * i]);
      V odd = Vec::add(t[2 * i + 1], t[2 * i + 1]);
      mac(even, odd, x[i], x[i]);
      t[2 * i] = even;
      t[2 * i + 1] = odd;
    }
  }

  /// Rows i .. i + Rows of the reduction: quotient limbs q[0 .. Rows), t + q n 2^(i bits) with those columns cleared into
  /// the next one. t points at column i; 2 s - i columns follow.
  template <int Rows>
  static inline void reduce_rows(V* t, V* q, const V* n, V minus_inverse, std::size_t s) {
    V acc[Rows + 1];
    V quotient[Rows];
    for (int r = 0; r <= Rows; ++r) acc[r] = t[r];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      quotient[r] = Vec::low_limb(acc[r], minus_inverse);
      q[r] = quotient[r];
#pragma GCC unroll 8
      for (int k = 0; k < Rows - r; ++k) mac(acc[r + k], acc[r + k + 1], quotient[r], n[k]);
      acc[r + 1] = Vec::add(acc[r + 1], Vec::carry(acc[r]));
    }
    V window[Rows + 1];
    window[0] = acc[Rows];
    for (int r = 1; r < Rows; ++r) window[r] = t[Rows + r];
#pragma GCC unroll 8
    for (int j = 1; j < Rows; ++j)
#pragma GCC unroll 8
      for (int r = Rows - j; r < Rows; ++r)
        mac(window[r + j - Rows], window[r + j - Rows + 1], quotient[r], n[j]);
    for (std::size_t j = Rows; j < s; ++j) {
      window[Rows] = t[j + Rows];
      const V b = n[j];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) mac(window[r], window[r + 1], quotient[r], b);
      t[j] = window[0];
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) window[r] = window[r + 1];
    }
    for (int r = 0; r < Rows; ++r) t[s + r] = window[r];
  }

  /// Montgomery reduction of the columns t[0 .. 2 s): afterwards t[s .. 2 s) are the columns of the quotient by R.
  static void reduce(V* t, V* q, const V* n, V minus_inverse, std::size_t s) {
    std::size_t i = 0;
    for (; i + 8 <= s; i += 8) reduce_rows<8>(t + i, q + i, n, minus_inverse, s);
    for (; i + 4 <= s; i += 4) reduce_rows<4>(t + i, q + i, n, minus_inverse, s);
    for (; i < s; ++i) reduce_rows<1>(t + i, q + i, n, minus_inverse, s);
  }

  /// Columns to limbs.
  static void carry_through(V* z, const V* t, std::size_t s) {
    V carry = Vec::zero();
    for (std::size_t i = 0; i < s; ++i) {
      const V column = Vec::add(t[i], carry);
      z[i] = Vec::limb(column);
      carry = Vec::carry(column);
    }
  }

  struct Scratch {
    V* t;  ///< 2 s + 1 columns of x0 y0
    V* w;  ///< 2 s + 1 columns of x0 y1 + x1 y0
    V* q;  ///< s limbs
    explicit Scratch(const LaneModuli& m)
        : t(reinterpret_cast<V*>(m.scratch)), w(t + 2 * m.limbs + 1), q(w + 2 * m.limbs + 1) {}
  };
  static std::size_t scratch_words(std::size_t limbs) {
    return (5 * limbs + 2) * (sizeof(V) / sizeof(LaneWord));
  }

  /// From the columns of both products to the digits of z.
  static void finish(const LaneModuli& m, const Scratch& at, V* z) {
    const std::size_t s = m.limbs;
    const V* n = reinterpret_cast<const V*>(m.modulus);
    const V minus_inverse = *reinterpret_cast<const V*>(m.minus_inverse);
    reduce(at.t, at.q, n, minus_inverse, s);
    carry_through(z, at.t + s, s);
    // + (R - 1 - q) + 1, and R less: the latter is one less after the reduction, made good by + m - 1
    for (std::size_t i = 0; i < s; ++i) at.w[i] = Vec::add(at.w[i], Vec::complement(at.q[i]));
    at.w[0] = Vec::add(at.w[0], Vec::one());
    reduce(at.w, at.q, n, minus_inverse, s);
    for (std::size_t i = 0; i < s; ++i) at.w[s + i] = Vec::add(at.w[s + i], n[i]);
    at.w[s] = Vec::subtract(at.w[s], Vec::one());  // m is odd: its lowest limb is at least 1
    carry_through(z + s, at.w + s, s);
  }

  static void clear(V* t, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) t[i] = Vec::zero();
  }

  static void multiply(const LaneModuli& m, LaneWord* z, const LaneWord* x, const LaneWord* y,
                       unsigned /*used*/) {
    const std::size_t s = m.limbs;
    const Scratch at(m);
    const V* a = reinterpret_cast<const V*>(x);
    const V* b = reinterpret_cast<const V*>(y);
    clear(at.t, 4 * s + 2);
    add_product(at.t, a, b, s);
    add_product(at.w, a, b + s, s);
    add_product(at.w, a + s, b, s);
    finish(m, at, reinterpret_cast<V*>(z));
  }

  static void square(const LaneModuli& m, LaneWord* z, const LaneWord* x, unsigned /*used*/) {
    const std::size_t s = m.limbs;
    const Scratch at(m);
    const V* a = reinterpret_cast<const V*>(x);
    clear(at.t, 4 * s + 2);
    add_pairs(at.t, a, s);
    double_and_add_squares(at.t, a, s);
    add_product(at.w, a, a + s, s);
    for (std::size_t i = 0; i < 2 * s; ++i) at.w[i] = Vec::add(at.w[i], at.w[i]);
    finish(m, at, reinterpret_cast<V*>(z));
  }
};

}  // namespace
}  // namespace sotto
