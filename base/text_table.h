// SPDX-License-Identifier: MIT
// Tables for people: columns as wide as their widest cell, empty columns left out.
// Tests: tests/base/text_table_test.cpp
#pragma once

#include <string>
#include <vector>

namespace sotto {

class TextTable {
 public:
  enum class Align { left, right };

  /// A column; `set` adds those that are not there yet as the last.
  void add(const std::string& title, Align align = Align::right);
  /// A cell of the row at hand.
  void set(const std::string& title, std::string cell);
  void end_row();

  std::size_t rows() const { return rows_; }
  /// One line per row, below the titles; no spaces at the ends of lines. Columns that do not fit into `width` follow in a
  /// table below, beside the first column.
  std::string text(std::size_t width = std::string::npos) const;

 private:
  struct Column {
    std::string title;
    Align align;
    std::vector<std::string> cells;

    bool empty() const;
    std::size_t width() const;
  };
  Column& column(const std::string& title, Align align);
  std::string lines(const std::vector<const Column*>& columns) const;

  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

}  // namespace sotto
