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

  static void add(ConstRows rows, const double* a, double* sum) {
    const double* row[together];
    double factor[together];
    int waiting = 0;
    for (std::ptrdiff_t i = 0; i < rows.count; ++i) {
      row[waiting] = rows.data + i * rows.length;
      factor[waiting] = a[i];
      waiting += a[i] != 0;
      if (waiting < together) continue;
      add_of<together>(row, factor, rows.length, sum);
      waiting = 0;
    }
    for (int r = 0; r < waiting; ++r) add_of<1>(row + r, factor + r, rows.length, sum);
  }

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

  /// `Count` rows of left times `row_lanes` columns of right, all in registers.
  template <int Count>
  static void product_of(const double* left, ConstRows right, double (*out)[row_lanes]) {
    V sum[Count][parts] = {};
    for (std::ptrdiff_t j = 0; j < right.count; ++j)
      for (std::ptrdiff_t p = 0; p < parts; ++p) {
        const V t = load(right.data + j * right.length + p * Width);
        for (int r = 0; r < Count; ++r) sum[r][p] += all(left[r * right.count + j]) * t;
      }
    for (int r = 0; r < Count; ++r)
      for (std::ptrdiff_t p = 0; p < parts; ++p) store(out[r] + p * Width, sum[r][p]);
  }

  static void product(ConstRows left, ConstRows right, std::ptrdiff_t columns, double* out,
                      std::ptrdiff_t out_step) {
    constexpr int block = 6;
    double found[block][row_lanes];
    for (std::ptrdiff_t i = 0; i < left.count;) {
      const int rows = i + block <= left.count ? block : 1;
      for (std::ptrdiff_t c = 0; c < columns; c += row_lanes) {
        const ConstRows panel{right.data + c, right.count, right.length};
        if (rows == block) {
          product_of<block>(left.data + i * left.length, panel, found);
        } else {
          product_of<1>(left.data + i * left.length, panel, found);
        }
        for (int r = 0; r < rows; ++r)
          for (std::ptrdiff_t q = 0; q < row_lanes && c + q < columns; ++q)
            out[i + r + (c + q) * out_step] = found[r][q];
      }
      i += rows;
    }
  }

  static constexpr RowKernel kernel(const char* name) { return {name, dots, add, add_some, product}; }
};

}  // namespace
}  // namespace sotto
