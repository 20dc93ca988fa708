// SPDX-License-Identifier: MIT
// All settings of a scenario file: the schemas of the rooms, put together by whoever knows them all, and looked up by path.
// Threading: const after construction.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema.h"

namespace sotto {

class SettingTable {
 public:
  /// `methods_may_set`: tables whose settings may differ between the methods of a trial.
  SettingTable(Schema settings, std::vector<std::string> methods_may_set)
      : settings_(std::move(settings)), per_method_(std::move(methods_may_set)) {}

  const Schema& all() const { return settings_; }
  const Setting* find(std::string_view path) const { return find_setting(settings_, path); }
  /// Whether a table of settings has this path.
  bool is_table(std::string_view path) const;
  /// The known setting most like a misspelled one; empty if nothing is near.
  std::string nearest(std::string_view path) const;
  bool method_may_set(std::string_view path) const;
  const std::vector<std::string>& tables_of_methods() const { return per_method_; }

 private:
  Schema settings_;
  std::vector<std::string> per_method_;
};

/// As it would be written in a file.
std::string toml_text(const SettingValue& value);

}  // namespace sotto
