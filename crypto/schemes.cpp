// SPDX-License-Identifier: MIT
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
  throw UnknownWord("no scheme is called '" + std::string(name) + "': must be " + one_of(names_of(table)));
}

Schema scheme_settings(const std::function<std::vector<const SchemeEntry*>(const OptionSet&)>& in_use,
                       const std::function<std::string(const OptionSet&)>& why) {
  using Options = SchemeOptions;
  const auto any = [&](bool SchemeEntry::*has) {
    return [in_use, has](const OptionSet& options) {
      for (const SchemeEntry* scheme : in_use(options))
        if (scheme->*has) return true;
      return false;
    };
  };
  SchemaOf<Options> s("exchange");
  s.word(&Options::keys, "kind of Paillier keys: by assumption and cost, see SECURITY.md");
  s.whole("key_bits", &Options::key_bits, {64, 16384},
          "bits of a Paillier key, an even number; below 2048 insecure")
      .unit("bits");
  s.word(&Options::seal_engine,
         "where SEAL is: native: compiled in; node: npm's node-seal in child processes; auto: native where "
         "it is there");
  Schema rows = s.take();
  restrict_use(rows, "exchange.keys", any(&SchemeEntry::has_key_kinds), why);
  restrict_use(rows, "exchange.key_bits", any(&SchemeEntry::has_key_bits), why);
  restrict_use(rows, "exchange.seal_engine", any(&SchemeEntry::uses_seal), why);
  return rows;
}

std::unique_ptr<AdditiveScheme> make_scheme(std::string_view name, const SchemeSettings& settings) {
  return find_scheme(name).make(settings);
}

}  // namespace sotto
