// SPDX-License-Identifier: MIT
// Cells of a CSV file.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace sotto {

/// Shortest text that reads back as the same double; empty for a metric that is not there.
inline std::string csv_cell(double x) {
  return std::isnan(x) ? "" : fmt::format("{}", x);
}

/// In quotes where it must be.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

}  // namespace sotto
