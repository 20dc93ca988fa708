// SPDX-License-Identifier: MIT
// Words on stderr. A stderr that cannot be written to (a full disk, a closed terminal) never ends a run.
#pragma once

#include <cstdio>
#include <string>

namespace sotto {

inline void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace sotto
