// SPDX-License-Identifier: MIT
// The axes of a sweep: which settings take which values, one after the other or together, and what the points are.
//
//   [sweep]
//   "exchange.quantization" = [10, 100, 1000]
//   "exchange.key_bits" = { from = 1024, to = 4096, steps = 3 }      # scale = "log": equal ratios
//   "exchange.keys" = ["standard", "djn", "subgroup"]
//   zip = ["exchange.key_bits", "exchange.keys"]                     # these two advance together: 3 x 3 points
//
// Points are numbered from 0, the last axis fastest. Threading: const after construction.
// Tests: tests/core/sweep/sweep_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/scenario/setting_table.h"

namespace sotto {

/// One `setting = value`, wherever it was written.
struct Leaf {
  std::string path;
  std::optional<SettingValue> value;  ///< nothing: a type that no setting takes (a date, a list of lists)
  SourcePlace place;
};

struct AxisValue {
  std::vector<Leaf> leaves;  ///< one, or those of a whole table
  bool whole_table = false;  ///< replaces what the file says of the table

  /// For people and tables: a string without quotes, everything else as TOML.
  std::string text(const std::string& axis_path) const;
};

struct SweepAxis {
  std::string path;
  SourcePlace place;
  std::vector<AxisValue> values;
};

/// from, from + d, ..., to, or with equal ratios. Whole ends give whole numbers.
struct AxisRange {
  SettingValue from, to;
  std::int64_t steps = 2;
  bool logarithmic = false;

  /// ScenarioError at `place` if there is no such range.
  std::vector<AxisValue> values(const std::string& path, const SourcePlace& place) const;

 private:
  double real_at(std::int64_t k) const;
  SettingValue whole_at(std::int64_t k) const;
};

class SweepAxes {
 public:
  static constexpr std::size_t max_points = 1'000'000;

  /// In place of one of the same path, else as the last.
  void add(SweepAxis axis);
  void zip(std::vector<std::vector<std::string>> groups, const SourcePlace& place);
  /// After the last `add` and `zip`: ScenarioError if the axes do not fit each other.
  void arrange();

  const std::vector<SweepAxis>& axes() const { return axes_; }
  const std::vector<std::vector<std::string>>& zipped() const { return zipped_; }
  bool empty() const { return axes_.empty(); }
  std::size_t points() const { return points_; }
  /// By axis.
  std::vector<const AxisValue*> point(std::size_t number) const;
  /// "exchange.key_bits = 1024, exchange.keys = djn".
  std::string describe(std::size_t number) const;
  /// As it would be written in a file.
  std::string text() const;

 private:
  std::size_t group_of(const std::string& path) const;
  void refuse_overlap() const;
  void refuse_bad_groups() const;

  std::vector<SweepAxis> axes_;
  std::vector<std::vector<std::string>> zipped_;
  SourcePlace zip_place_;
  /// Axes that advance together, by their numbers; the last changes fastest.
  std::vector<std::vector<std::size_t>> dimensions_;
  std::size_t points_ = 1;
};

}  // namespace sotto
