// SPDX-License-Identifier: MIT
// The table of schemes. To add one: a new .cpp with the class hidden inside, its `make_...` (and `check_...`, where it has one) declared
// in schemes.cpp, and a row in the table there, whose length is written with it. The contract tests loop over the table.
// Tests: tests/crypto/scheme_contract_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/schema.h"
#include "crypto/additive_scheme.h"
#include "crypto/paillier/keys.h"
#include "crypto/seal/engine.h"

namespace sotto {

/// Where keys are kept between runs, by a name that says everything they were made from. Used by many threads.
class KeyStore {
 public:
  virtual ~KeyStore() = default;
  virtual std::optional<Bytes> find(const std::string& name) = 0;
  virtual void keep(const std::string& name, const Bytes& key) = 0;
};

/// Part of [exchange]: keys, and where SEAL runs.
struct SchemeOptions {
  PaillierKind keys = PaillierKind::djn;
  std::size_t key_bits = 2048;
  SealChoice seal_engine = SealChoice::automatic;
};

struct SchemeSettings : SchemeOptions {
  std::size_t parties = 2;    ///< who share the memory for tables
  KeyStore* store = nullptr;  ///< none: keys are made anew
};

struct SchemeEntry {
  std::string_view name;  ///< exchange.scheme
  std::unique_ptr<AdditiveScheme> (*make)(const SchemeSettings& settings);
  bool has_key_kinds;  ///< exchange.keys
  bool has_key_bits;   ///< exchange.key_bits
  bool readable;       ///< encrypts nothing
  bool uses_seal;      ///< exchange.seal_engine
  /// CryptoError with the numbers if no key can carry an exchange of this range; null where key_bits alone decide.
  void (*check)(const ExchangeRange& range, std::size_t senders);
};

/// Encrypts nothing.
inline constexpr std::string_view plain_scheme = "plain";
/// The scheme that sums up a tree and products of two parties' numbers go under.
inline constexpr std::string_view paillier_scheme = "paillier";
inline constexpr std::string_view bfv_scheme = "bfv";
/// One ciphertext per entry, as papers have it: what the others are measured against.
inline constexpr std::string_view textbook_scheme = "paillier-textbook";

std::span<const SchemeEntry> schemes();
/// The rows of SchemeOptions. `in_use`: the schemes that a method uses, which say whether a row is looked at; `why`: the settings
/// that chose them.
Schema scheme_settings(const std::function<std::vector<const SchemeEntry*>(const OptionSet&)>& in_use,
                       const std::function<std::string(const OptionSet&)>& why);
/// UnknownWord for an unknown name.
const SchemeEntry& find_scheme(std::string_view name);

std::unique_ptr<AdditiveScheme> make_scheme(std::string_view name, const SchemeSettings& settings = {});

}  // namespace sotto
