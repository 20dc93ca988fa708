#include "crypto/schemes.h"

#include <array>

namespace sotto {

std::unique_ptr<AdditiveScheme> make_plain(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_paillier(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_paillier_textbook(const SchemeSettings& settings);

namespace {
constexpr std::array<SchemeEntry, 3> table{{
    {"plain", make_plain, false, false, true},
    {"paillier", make_paillier, true, true, false},
    {"paillier-textbook", make_paillier_textbook, false, true, false},
}};
}  // namespace

std::span<const SchemeEntry> schemes() {
  return table;
}

const SchemeEntry& find_scheme(std::string_view name) {
  for (const SchemeEntry& entry : table)
    if (entry.name == name) return entry;
  throw CryptoError("no scheme is called '" + std::string(name) + "'");
}

std::unique_ptr<AdditiveScheme> make_scheme(std::string_view name, const SchemeSettings& settings) {
  return find_scheme(name).make(settings);
}

}  // namespace sotto
