// SPDX-License-Identifier: MIT
// Words on stderr. A stderr that cannot be written to (a full disk, a closed terminal) never ends a run.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/scenario/scenario_document.h"

namespace sotto {

inline void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// Settings that were given, but that nothing looks at: one line each.
inline void say_unused(const std::vector<UnusedSetting>& settings) {
  for (const UnusedSetting& setting : settings) say("note: " + setting.text() + "\n");
}

}  // namespace sotto
