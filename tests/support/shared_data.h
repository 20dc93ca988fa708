// SPDX-License-Identifier: MIT
// Data that is not part of the project. Tests that need it say "skipped" where it is absent; CTest counts that.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sotto::testing {

/// The folder that $SOTTO_DATA names, or `shared/data` beside the project.
inline std::string shared_data_folder() {
  if (const char* named = std::getenv("SOTTO_DATA")) return named;
  return std::string(SOTTO_SOURCE_DIR) + "/../shared/data";
}

inline bool has_shared_data(const std::string& file) {
  if (std::filesystem::exists(shared_data_folder() + "/" + file)) return true;
  MESSAGE("skipped: there is no ", file);
  return false;
}

}  // namespace sotto::testing
