// SPDX-License-Identifier: MIT
#include "core/scenario/scenario_changes.h"

#include <fmt/format.h>

#include <sstream>

namespace sotto {

std::map<std::string, std::string> resolved_settings(const std::string& resolved) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(resolved);
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[") || line.empty()) {
      table = line.empty() ? table : "method";
    } else if (line.starts_with('[')) {
      table = line.substr(1, line.find(']') - 1);
    } else {
      const std::size_t equals = line.find(" = ");
      const std::string key = line.substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : line.substr(equals + 3);
      if (table.starts_with("method") && key == "name")
        table = "method." + value.substr(1, value.size() - 2);
      else
        keys[table.empty() ? key : table + "." + key] = value;
    }
  }
  return keys;
}

std::vector<std::string> scenario_changes(const std::string& was, const std::string& is) {
  const auto before = resolved_settings(was);
  const auto now = resolved_settings(is);
  std::vector<std::string> changes;
  for (const auto& [key, value] : before) {
    const auto found = now.find(key);
    if (found == now.end())
      changes.push_back(fmt::format("{} was {}, is gone", key, value));
    else if (found->second != value)
      changes.push_back(fmt::format("{} was {}, is {}", key, value, found->second));
  }
  for (const auto& [key, value] : now)
    if (!before.contains(key)) changes.push_back(fmt::format("{} is new: {}", key, value));
  return changes;
}

}  // namespace sotto
