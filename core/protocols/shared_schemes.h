// The schemes of an experiment: one object per kind of keys, so that keys and tables of powers are made once and serve all
// trials and methods. A convenience of the simulation: it saves time and memory, and changes no result.
// Threading: may be used by many threads at the same time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "core/experiment/scenario.h"
#include "crypto/schemes.h"

namespace sotto {

class SharedSchemes {
 public:
  /// Keys are looked up and kept there; never where they come from the system's entropy.
  void use_store(std::shared_ptr<KeyStore> store) { store_ = std::move(store); }

  std::shared_ptr<const AdditiveScheme> get(const Scenario& s) {
    const SchemeEntry& entry = find_scheme(s.exchange.scheme);
    SchemeSettings settings;
    settings.keys = s.exchange.keys;
    settings.key_bits = static_cast<std::size_t>(s.exchange.key_bits);
    settings.parties = s.topology.shape.agents;
    settings.store = s.entropy == "seed" ? store_.get() : nullptr;
    if (s.entropy != "seed") return entry.make(settings);  // its keys are never met again: nothing to share
    const std::lock_guard lock(mutex_);
    auto& scheme = schemes_[{entry.name, entry.has_key_kinds ? settings.keys : "",
                             entry.has_key_bits ? settings.key_bits : 0}];
    if (!scheme) scheme = entry.make(settings);
    return scheme;
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<std::string_view, std::string, std::size_t>, std::shared_ptr<const AdditiveScheme>>
      schemes_;
  std::shared_ptr<KeyStore> store_;
};

}  // namespace sotto
