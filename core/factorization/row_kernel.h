// SPDX-License-Identifier: MIT
// The inner loops of RRI-NMF, over factors that are stored row after row: a row holds one sample's or one feature's numbers
// for all topics. Rows that a topic does not touch (a zero in front of them) cost nothing.
//
// A kernel is chosen by what the processor can do. All of them give the same bits: they work element by element, sums over
// a row go in four lanes whatever the width of a register, and a product is rounded before it is added.
// The kernel for an instruction set lives in a file that is compiled for it: it may include this header and the loops, and
// nothing else of ours, so that no inline function compiled there is taken for the whole program.
// Tests: tests/core/factorization/rri_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto {

/// Numbers that a sum over a row is split into; the rows of a factor are filled up with zeros to a multiple of it.
inline constexpr std::ptrdiff_t row_lanes = 4;

struct ConstRows {
  const double* data;
  std::ptrdiff_t count;
  std::ptrdiff_t length;  ///< from one row to the next, too
};

struct RowKernel {
  const char* name;
  /// out_i = row_i . v; the length is a multiple of row_lanes.
  void (*dots)(ConstRows rows, const double* v, double* out);
  /// sum += sum_i a_i row_i; rows with a_i = 0 are not read.
  void (*add)(ConstRows rows, const double* a, double* sum);
  /// sum += sum_e a_e row_(which_e), e < entries.
  void (*add_some)(ConstRows rows, const std::int32_t* which, const double* a, std::ptrdiff_t entries,
                   double* sum);
  /// out(i, c) at out[i + c out_step] = (left right)(i, c), c < columns: left.length = right.count; right's length is
  /// a multiple of row_lanes, not below `columns`.
  void (*product)(ConstRows left, ConstRows right, std::ptrdiff_t columns, double* out,
                  std::ptrdiff_t out_step);
};

extern const RowKernel plain_row_kernel;
#if defined(__x86_64__)
extern const RowKernel avx2_row_kernel;
#endif

/// The best one for this machine.
const RowKernel& row_kernel();

}  // namespace sotto
