// SPDX-License-Identifier: MIT
// Which SEAL engines there are on this machine: tests that need one of them loop over these.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "crypto/seal/engine.h"

namespace sotto::testing {

/// "native" where it is compiled in, "node" where Node.js and node-seal are there.
inline const std::vector<std::string>& seal_engines() {
  static const std::vector<std::string> engines = [] {
    std::vector<std::string> found;
    if (has_native_seal()) found.emplace_back("native");
    try {
      seal_engine(SealChoice::node)->version();
      found.emplace_back("node");
    } catch (const Error&) {  // not here
    }
    return found;
  }();
  return engines;
}

}  // namespace sotto::testing
