#include "crypto/schemes.h"

#include <array>

namespace sotto {

std::unique_ptr<AdditiveScheme> make_plain(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_paillier(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_paillier_textbook(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_bfv(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_bfv_fast(const SchemeSettings& settings);
std::unique_ptr<AdditiveScheme> make_ckks(const SchemeSettings& settings);
void check_bfv(const ExchangeRange& range, std::size_t senders);
void check_bfv_fast(const ExchangeRange& range, std::size_t senders);
void check_ckks(const ExchangeRange& range, std::size_t senders);

namespace {
constexpr std::array<SchemeEntry, 6> table{{
    {"plain", make_plain, false, false, true, false, nullptr},
    {"paillier", make_paillier, true, true, false, false, nullptr},
    {"paillier-textbook", make_paillier_textbook, false, true, false, false, nullptr},
    {"bfv", make_bfv, false, false, false, true, check_bfv},
    {"bfv-fast", make_bfv_fast, false, false, false, true, check_bfv_fast},
    {"ckks", make_ckks, false, false, false, true, check_ckks},
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
