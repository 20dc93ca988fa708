// SPDX-License-Identifier: MIT
// Time on the clock, and the middle of several, for what `sotto bench` measures.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace sotto {

inline double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace sotto
