// SPDX-License-Identifier: MIT
// The loops of row_kernel.h for registers of `Width` doubles. Included by the kernels only.
#pragma once

#include <cstring>

#include "core/factorization/row_kernel.h"

namespace sotto {
namespace {

template <int Width>
struct RowLoops {
  typedef double V __attribute__((vector_size(Width * sizeof(double))));
  static constexpr std::ptrdiff_t parts = row_lanes / Width;  ///< registers that hold the lanes

  static V load(const double* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(double* to, V v) { std::memcpy(to, &v, sizeof v); }
  static V all(double x) { return x - V{}; }

  static double sum_lanes(const V (&lanes)[parts]) {
    double s[row_lanes];
    for (std::ptrdiff_t p = 0; p < parts; ++p) store(s + p * Width, lanes[p]);
    return (s[0] + s[2]) + (s[1] + s[3]);
  }

  template <int Count>
  static void dots_of(const double* row, std::ptrdiff_t length, const double* v, double* out) {
    V lanes[Count][parts] = {};
    for (std::ptrdiff_t k = 0; k < length; k += row_lanes)
      for (std::ptrdiff_t p = 0; p < parts; ++p) {
        const V right = load(v + k + p * Width);
        for (int r = 0; r < Count; ++r) lanes[r][p] += load(row + r * length + k + p * Width) * right;
      }
    for (int r = 0; r < Count; ++r) out[r] = sum_lanes(lanes[r]);
  }

  static void dots(ConstRows rows, const double* v, double* out) {
    std::ptrdiff_t i = 0;
    for (; i + 4 <= rows.count; i += 4) dots_of<4>(rows.data + i * rows.length, rows.length, v, out + i);
    for (; i < rows.count; ++i) dots_of<1>(rows.data + i * rows.length, rows.length, v, out + i);
  }

  /// sum += a_1 row_1 + ..., one after the other.
  template <int Count>
  static void add_of(const double* const* rows, const double* a, std::ptrdiff_t length, double* sum) {
    V factor[Count];
    for (int r = 0; r < Count; ++r) factor[r] = all(a[r]);
    std::ptrdiff_t k = 0;
    for (; k + Width <= length; k += Width) {
      V s = load(sum + k);
      for (int r = 0; r < Count; ++r) s += factor[r] * load(rows[r] + k);
      store(sum + k, s);
    }
    for (; k < length; ++k) {
      double s = sum[k];
      for (int r = 0; r < Count; ++r) s += a[r] * rows[r][k];
      sum[k] = s;
    }
  }

  static constexpr int together = 4;

  static void add_some(ConstRows rows, const std::int32_t* which, const double* a, std::ptrdiff_t entries,
                       double* sum) {
    const double* row[together];
    std::ptrdiff_t e = 0;
    for (; e + together <= entries; e += together) {
      for (int r = 0; r < together; ++r) row[r] = rows.data + which[e + r] * rows.length;
      add_of<together>(row, a + e, rows.length, sum);
    }
    for (; e < entries; ++e) {
      row[0] = rows.data + which[e] * rows.length;
      add_of<1>(row, a + e, rows.length, sum);
    }
  }

  static void add(ConstRows rows, const double* a, double* sum) {
    constexpr std::ptrdiff_t block = 64;
    std::int32_t which[block];
    double factor[block];
    for (std::ptrdiff_t first = 0; first < rows.count; first += block) {
      const std::ptrdiff_t count = rows.count - first < block ? rows.count - first : block;
      std::ptrdiff_t entries = 0;
      for (std::ptrdiff_t i = 0; i < count; ++i) {  // no branch: which rows count is anybody's guess
        which[entries] = static_cast<std::int32_t>(i);
        factor[entries] = a[first + i];
        entries += a[first + i] != 0;
      }
      add_some({rows.data + first * rows.length, count, rows.length}, which, factor, entries, sum);
    }
  }

  /// `Count` rows of left times `Lanes` columns of right, all in registers.
  template <int Count, int Lanes>
  static void product_of(const double* left, ConstRows right, double* out, std::ptrdiff_t out_step,
                         std::ptrdiff_t columns) {
    constexpr int registers = Lanes / Width;
    V sum[Count][registers] = {};
    for (std::ptrdiff_t j = 0; j < right.count; ++j) {
      V t[registers];
      for (std::ptrdiff_t p = 0; p < registers; ++p) t[p] = load(right.data + j * right.length + p * Width);
      for (int r = 0; r < Count; ++r) {
        const V x = all(left[r * right.count + j]);
        for (std::ptrdiff_t p = 0; p < registers; ++p) sum[r][p] += x * t[p];
      }
    }
    double found[Lanes];
    for (int r = 0; r < Count; ++r) {
      for (std::ptrdiff_t p = 0; p < registers; ++p) store(found + p * Width, sum[r][p]);
      for (std::ptrdiff_t c = 0; c < Lanes && c < columns; ++c) out[r + c * out_step] = found[c];
    }
  }

  template <int Count>
  static void product_rows(const double* left, ConstRows right, std::ptrdiff_t columns, double* out,
                           std::ptrdiff_t out_step) {
    constexpr int wide = 3 * row_lanes;
    std::ptrdiff_t c = 0;
    for (; c + wide <= right.length; c += wide)
      product_of<Count, wide>(left, {right.data + c, right.count, right.length}, out + c * out_step, out_step,
                              columns - c);
    for (; c < right.length; c += row_lanes)
      product_of<Count, row_lanes>(left, {right.data + c, right.count, right.length}, out + c * out_step,
                                   out_step, columns - c);
  }

  static void product(ConstRows left, ConstRows right, std::ptrdiff_t columns, double* out,
                      std::ptrdiff_t out_step) {
    constexpr int block = Width;  // Width rows times 12 columns fill 12 of 16 registers
    std::ptrdiff_t i = 0;
    for (; i + block <= left.count; i += block)
      product_rows<block>(left.data + i * left.length, right, columns, out + i, out_step);
    for (; i < left.count; ++i)
      product_rows<1>(left.data + i * left.length, right, columns, out + i, out_step);
  }

  static constexpr RowKernel kernel(const char* name) { return {name, dots, add, add_some, product}; }
};

}  // namespace
}  // namespace sotto
