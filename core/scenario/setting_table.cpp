// SPDX-License-Identifier: MIT
#include "core/scenario/setting_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sotto {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// Whether `path` lies in `table`.
bool is_below(std::string_view path, std::string_view table) {
  return path.size() > table.size() && path.starts_with(table) && path[table.size()] == '.';
}

}  // namespace

bool SettingTable::is_table(std::string_view path) const {
  return std::any_of(settings_.begin(), settings_.end(),
                     [&](const Setting& s) { return is_below(s.path, path); });
}

bool SettingTable::method_may_set(std::string_view path) const {
  return std::any_of(per_method_.begin(), per_method_.end(),
                     [&](const std::string& table) { return is_below(path, table); });
}

std::string SettingTable::nearest(std::string_view path) const {
  if (path.size() > 200) return {};
  const auto last_word = [](std::string_view p) { return p.substr(p.rfind('.') + 1); };
  std::string best;
  // a setting in the wrong table counts as near: compare the last words too; ties go to the more similar whole
  auto distance = std::pair(std::max<std::size_t>(3, path.size() / 3), std::size_t{0});
  for (const Setting& setting : settings_) {
    const std::size_t whole = edit_distance(path, setting.path);
    const std::size_t last = edit_distance(last_word(path), last_word(setting.path)) + 2;
    const auto d = std::pair(std::min(whole, last), whole);
    if (d < distance) {
      distance = d;
      best = setting.path;
    }
  }
  return best;
}

std::string toml_text(const SettingValue& value) {
  struct Text {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const {
      std::string text = "\"";
      for (const char c : s) {
        if (c == '"' || c == '\\')
          text += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 32 || c == 127)
          text += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        else
          text += c;
      }
      return text + "\"";
    }
    std::string operator()(const std::vector<double>& list) const {
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    std::string operator()(const std::vector<std::string>& list) const {
      std::string text;
      for (const std::string& s : list) text += (text.empty() ? "" : ", ") + (*this)(s);
      return "[" + text + "]";
    }
  };
  return std::visit(Text{}, value);
}

}  // namespace sotto
