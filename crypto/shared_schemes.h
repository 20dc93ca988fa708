// SPDX-License-Identifier: MIT
// The schemes of an experiment, or of a sweep: one object per kind of keys, so that keys and tables of powers are made once
// and serve all trials, methods and points. A convenience of the simulation: it saves time and memory, and changes no result.
// Threading: may be used by many threads at the same time.
// Tests: tests/core/sweep/sweep_test.cpp, tests/core/protocols/neighbor_exchange_test.cpp
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "crypto/schemes.h"

namespace sotto {

class SharedSchemes {
 public:
  /// Holds the schemes that were asked for last; those in use live on.
  explicit SharedSchemes(std::size_t most = ~std::size_t{0}) : most_(most) {}

  /// Keys are looked up and kept there; never where they come from the system's entropy.
  void use_store(std::shared_ptr<KeyStore> store) { store_ = std::move(store); }

  /// `seed`: what the keys come from; none: the system, and nothing is shared.
  std::shared_ptr<const AdditiveScheme> get(std::string_view scheme, const SchemeOptions& options,
                                            std::size_t parties, std::optional<std::uint64_t> seed) {
    const SchemeEntry& entry = find_scheme(scheme);
    const SchemeSettings settings{options, parties, seed ? store_.get() : nullptr};
    if (!seed) return entry.make(settings);
    const Kind kind{entry.name,
                    entry.has_key_kinds ? word_of(settings.keys)
                    : entry.uses_seal   ? word_of(settings.seal_engine)
                                        : "",
                    entry.has_key_bits ? settings.key_bits : 0, parties, *seed};
    const std::lock_guard lock(mutex_);
    auto at =
        std::find_if(schemes_.begin(), schemes_.end(), [&](const auto& held) { return held.first == kind; });
    if (at == schemes_.end()) {
      schemes_.emplace_front(kind, entry.make(settings));
      if (schemes_.size() > most_) schemes_.pop_back();
    } else {
      schemes_.splice(schemes_.begin(), schemes_, at);
    }
    return schemes_.front().second;
  }

 private:
  using Kind = std::tuple<std::string_view, std::string_view, std::size_t, std::size_t, std::uint64_t>;

  std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<Kind, std::shared_ptr<const AdditiveScheme>>> schemes_;  ///< the last used first
  std::shared_ptr<KeyStore> store_;
};

}  // namespace sotto
