// SPDX-License-Identifier: MIT
// The options of a scenario, by type: every room has its own `...Options` struct, and whoever holds the set can ask for one
// of them. A struct that nobody changed has its defaults. A value type: copies are independent.
// Threading: const access from any thread.
#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace sotto {

class OptionSet {
 public:
  template <class Options>
  const Options& get() const {
    const auto at = options_.find(typeid(Options));
    if (at != options_.end()) return *std::any_cast<Options>(&at->second);
    static const Options defaults;
    return defaults;
  }

  template <class Options>
  Options& edit() {
    std::any& held = options_[typeid(Options)];
    if (!held.has_value()) held = Options{};
    return *std::any_cast<Options>(&held);
  }

 private:
  std::map<std::type_index, std::any> options_;
};

}  // namespace sotto
