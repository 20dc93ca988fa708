// SPDX-License-Identifier: MIT
// How often a test repeats itself. Under a sanitizer everything takes ten times as long, and what is found is found in the
// first few: memory, undefined behavior and races do not depend on how many numbers a statistic has. Every check stays.
#pragma once

#include <cstdlib>

namespace sotto::testing {

/// `full`, or `sanitized` where $SOTTO_SANITIZED is set: CTest sets it in sanitizer builds.
template <class Count>
Count repetitions(Count full, Count sanitized) {
  static const bool few = std::getenv("SOTTO_SANITIZED") != nullptr;
  return few ? sanitized : full;
}

}  // namespace sotto::testing
