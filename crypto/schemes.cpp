#include "crypto/schemes.h"

#include <array>

namespace sotto {

std::unique_ptr<AdditiveScheme> make_plain();

namespace {
constexpr std::array<SchemeEntry, 1> table{{
    {"plain", make_plain},
}};
}  // namespace

std::span<const SchemeEntry> schemes() {
  return table;
}

std::unique_ptr<AdditiveScheme> make_scheme(std::string_view name) {
  for (const SchemeEntry& entry : table)
    if (entry.name == name) return entry.make();
  throw CryptoError("no scheme is called '" + std::string(name) + "'");
}

}  // namespace sotto
