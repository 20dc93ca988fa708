// SPDX-License-Identifier: MIT
// Matrix Market: a banner line, comments, the size, then entries (coordinate) or all numbers column after column (array).
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include <algorithm>

#include "core/data/formats.h"
#include "core/data/sparse_builder.h"

namespace sotto {

namespace {

constexpr std::string_view banner = "%%matrixmarket";

struct Kind {
  bool coordinate = true;
  bool pattern = false;
  int mirrored = 0;  ///< 0: general; 1: symmetric; -1: skew-symmetric
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

Kind read_banner(DataReader& in) {
  const auto refuse = [&](const std::string& word, const char* allowed) {
    in.fail(fmt::format("'{}' cannot be read: {}", printable(word), allowed));
  };
  in.word();  // the banner
  const std::string object = lower(in.word());
  if (object != "matrix") refuse(object, "only matrix");
  const std::string layout = lower(in.word());
  if (layout != "coordinate" && layout != "array") refuse(layout, "coordinate or array");
  const std::string field = lower(in.word());
  if (field != "real" && field != "integer" && field != "pattern" && field != "double" &&
      field != "unsigned-integer")
    refuse(field, "real, integer or pattern");
  const std::string symmetry = lower(in.word());
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
    refuse(symmetry, "general, symmetric or skew-symmetric");
  in.finish_line();
  Kind kind;
  kind.coordinate = layout == "coordinate";
  kind.pattern = field == "pattern";
  if (kind.pattern && !kind.coordinate) refuse(field, "an array has numbers");
  kind.mirrored = symmetry == "symmetric" ? 1 : symmetry == "skew-symmetric" ? -1 : 0;
  return kind;
}

SparseMatrix read_coordinates(DataReader& in, const Kind& kind, bool samples_are_columns) {
  const std::uint64_t rows = in.whole(SparseBuilder::most_entries, "the number of rows");
  const std::uint64_t columns = in.whole(SparseBuilder::most_entries, "the number of columns");
  const std::uint64_t entries = in.whole(SparseBuilder::most_entries, "the number of entries");
  in.finish_line();
  if (kind.mirrored != 0 && rows != columns) in.fail_file("is symmetric, but not square");
  const std::uint64_t copies = kind.mirrored != 0 ? 2 : 1;
  if (entries > SparseBuilder::most_entries / copies) in.fail_file("has more entries than can be held");
  in.plausible(entries, kind.pattern ? 3 : 5, "entries");
  in.plausible_shape(rows, columns);
  const std::uint64_t features = samples_are_columns ? rows : columns;
  const std::uint64_t samples = samples_are_columns ? columns : rows;
  SparseBuilder builder(static_cast<Index>(features), static_cast<Index>(samples),
                        in.worth_reserving(entries) * copies);
  const auto add = [&](std::uint64_t row, std::uint64_t column, double value) {
    if (samples_are_columns) std::swap(row, column);
    builder.add(static_cast<Index>(column - 1), static_cast<Index>(row - 1), value);
  };
  for (std::uint64_t k = 0; k < entries; ++k) {
    in.skip_empty_lines('%');
    if (in.at_end()) in.fail(fmt::format("the file ends after {} of {} entries", k, entries));
    const std::uint64_t row = in.whole(rows, "the row");
    const std::uint64_t column = in.whole(columns, "the column");
    if (row == 0 || column == 0) in.fail("rows and columns are numbered from 1");
    if (kind.mirrored != 0 && (kind.mirrored > 0 ? column > row : column >= row))
      in.fail("a symmetric file lists the lower triangle only");
    const double value = kind.pattern ? 1.0 : in.number("the value");
    in.finish_line();
    add(row, column, value);
    if (kind.mirrored != 0 && row != column) add(column, row, kind.mirrored * value);
  }
  return builder.take([&](Index feature, Index sample) {
    if (samples_are_columns) std::swap(feature, sample);
    in.fail_file(fmt::format("has the entry in row {}, column {} twice", sample + 1, feature + 1));
  });
}

/// Column after column; of a symmetric one, the lower triangle only.
Matrix read_array(DataReader& in, const Kind& kind, bool samples_are_columns) {
  const std::uint64_t rows = in.whole(max_entries, "the number of rows");
  const std::uint64_t columns = in.whole(max_entries, "the number of columns");
  in.finish_line();
  checked_entries(in, rows, columns);
  if (kind.mirrored != 0 && rows != columns) in.fail_file("is symmetric, but not square");
  in.plausible(kind.mirrored != 0 ? rows * columns / 2 : rows * columns, 2, "numbers");
  Matrix m = Matrix::Zero(static_cast<Index>(rows), static_cast<Index>(columns));
  for (Index c = 0; c < m.cols(); ++c)
    for (Index r = kind.mirrored == 0 ? 0 : kind.mirrored > 0 ? c : c + 1; r < m.rows(); ++r) {
      in.skip_empty_lines('%');
      if (in.at_end()) in.fail(fmt::format("the file ends before row {}, column {}", r + 1, c + 1));
      m(r, c) = in.number("the value");
      in.finish_line();
      if (kind.mirrored != 0) m(c, r) = r == c ? m(r, c) : kind.mirrored * m(r, c);
    }
  return samples_are_columns ? m : Matrix(m.transpose());
}

}  // namespace

bool is_matrix_market(std::string_view head, std::string_view) {
  return lower(std::string(head.substr(0, banner.size()))) == banner;
}

FileData read_matrix_market(DataReader& in, const ReadSettings& settings) {
  const Kind kind = read_banner(in);
  in.skip_empty_lines('%');
  FileData data;
  if (kind.coordinate)
    data.samples = read_coordinates(in, kind, settings.samples_are_columns);
  else
    data.samples = read_array(in, kind, settings.samples_are_columns);
  in.skip_empty_lines('%');
  return data;
}

}  // namespace sotto
