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

bool TextTable::Column::empty() const {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); });
}

std::size_t TextTable::Column::width() const {
  std::size_t widest = title.size();
  for (const std::string& cell : cells) widest = std::max(widest, cell.size());
  return widest;
}

std::string TextTable::lines(const std::vector<const Column*>& columns) const {
  std::string text;
  for (std::size_t row = 0; row <= rows_; ++row) {
    std::string line;
    for (const Column* c : columns) {
      const std::string& cell = row == 0 ? c->title : c->cells[row - 1];
      line += c->align == Align::left ? fmt::format("{:<{}}  ", cell, c->width())
                                      : fmt::format("{:>{}}  ", cell, c->width());
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string TextTable::text(std::size_t width) const {
  constexpr std::size_t gap = 2;
  std::string text;
  std::vector<const Column*> beside;  // each other; the first column stands in front of every part
  std::size_t used = 0;
  for (const Column& c : columns_) {
    if (c.empty()) continue;
    if (beside.size() > 1 && used + gap + c.width() > width) {
      text += lines(beside) + "\n";
      beside = std::vector<const Column*>{beside.front()};
      used = beside.front()->width();
    }
    used += (beside.empty() ? 0 : gap) + c.width();
    beside.push_back(&c);
  }
  return text + lines(beside);
}

}  // namespace sotto
