// SPDX-License-Identifier: MIT
#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

TextTable::Column& TextTable::column(const std::string& title, Align align) {
  for (Column& c : columns_)
    if (c.title == title) return c;
  return columns_.emplace_back(Column{title, align, {}});
}

void TextTable::add(const std::string& title, Align align) {
  column(title, align);
}

void TextTable::set(const std::string& title, std::string cell) {
  Column& c = column(title, Align::right);
  c.cells.resize(rows_ + 1);
  c.cells[rows_] = std::move(cell);
}

void TextTable::end_row() {
  ++rows_;
  for (Column& c : columns_) c.cells.resize(rows_);
}

std::string TextTable::text() const {
  const auto empty = [](const Column& c) {
    return std::all_of(c.cells.begin(), c.cells.end(), [](const std::string& cell) { return cell.empty(); });
  };
  std::string text;
  for (std::size_t row = 0; row <= rows_; ++row) {
    std::string line;
    for (const Column& c : columns_) {
      if (empty(c)) continue;
      std::size_t width = c.title.size();
      for (const std::string& cell : c.cells) width = std::max(width, cell.size());
      const std::string& cell = row == 0 ? c.title : c.cells[row - 1];
      line += c.align == Align::left ? fmt::format("{:<{}}  ", cell, width)
                                     : fmt::format("{:>{}}  ", cell, width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace sotto
