// SPDX-License-Identifier: MIT
// How long something takes, for people.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace sotto {

inline std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace sotto
