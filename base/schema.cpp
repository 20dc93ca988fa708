// SPDX-License-Identifier: MIT
#include "base/schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

void append(Schema& to, Schema more) {
  for (Setting& row : more) {
    const auto same = [&](const Setting& other) { return other.path == row.path; };
    if (std::none_of(to.begin(), to.end(), same)) to.push_back(std::move(row));
  }
}

Schema only(const Schema& all, const std::vector<std::string>& paths) {
  Schema rows;
  for (const std::string& path : paths)
    if (const Setting* row = find_setting(all, path)) rows.push_back(*row);
  return rows;
}

void restrict_use(Schema& rows, const std::string& path, const std::function<bool(const OptionSet&)>& when,
                  const std::function<std::string(const OptionSet&)>& why) {
  for (Setting& row : rows)
    if (row.path == path)
      row.unused = [unused = row.unused, when, why](const OptionSet& all) -> Unused {
        if (!when(all)) return why(all);
        return unused(all);
      };
}

const Setting* find_setting(const Schema& rows, std::string_view path) {
  for (const Setting& row : rows)
    if (row.path == path) return &row;
  return nullptr;
}

std::string WholeRange::text() const {
  if (low == high) return fmt::format("{}: this version has nothing else", low);
  return fmt::format("a whole number from {} to {}", low, high);
}

bool RealRange::holds(double x) const {
  return x >= low && x <= high && !(above_low && x == low);
}

std::string RealRange::text() const {
  if (low == high) return fmt::format("{}: this version has nothing else", low);
  if (above_low) return fmt::format("a number above {} and up to {}", low, high);
  return fmt::format("a number from {} to {}", low, high);
}

std::optional<double> as_number(const SettingValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return {};
}

bool is_path(const std::string& text) {
  return !text.empty() && text.find('\0') == std::string::npos;
}

bool is_plain_name(const std::string& text) {
  return !text.empty() && text.size() <= 100 && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '_' || c == '-';
         });
}

SourcePlace SettingPlaces::of(const std::string& path) const {
  const auto at = places_.find(path);
  return at == places_.end() ? SourcePlace{source_, 0, 0} : at->second;
}

void SettingPlaces::refuse(const std::string& path, const std::string& problem) const {
  throw ScenarioError(of(path), path, problem);
}

}  // namespace sotto
