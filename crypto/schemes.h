// The table of schemes. To add one: a new .cpp with the class hidden inside, its `make_...` declared in
// schemes.cpp, and one line in the table. The contract tests loop over the table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "crypto/additive_scheme.h"

namespace sotto {

struct SchemeEntry {
  std::string_view name;  ///< exchange.scheme
  std::unique_ptr<AdditiveScheme> (*make)();
};

std::span<const SchemeEntry> schemes();

/// By its name in the table; CryptoError for an unknown one.
std::unique_ptr<AdditiveScheme> make_scheme(std::string_view name);

}  // namespace sotto
