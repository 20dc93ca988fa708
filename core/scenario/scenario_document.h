// SPDX-License-Identifier: MIT
// A scenario file (TOML) as it is written: which settings are given where, the methods, the axes of a sweep. Values are checked
// when they are applied. ScenarioError with file, line and column for what is no scenario at all. The settings there are come
// as a SettingTable: nothing here knows one of them by name.
// Threading: const after the last `set`; copies are independent.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/options.h"
#include "core/scenario/setting_table.h"
#include "core/scenario/sweep_axis.h"

namespace sotto {

/// A `--set path=value`: the value is TOML; what is not TOML is taken as a string.
using Assignment = std::pair<std::string, std::string>;

/// What runs in every trial, on the same data and graph.
struct Method {
  std::string name;
  OptionSet options;
};

/// A setting that was given, but that nothing looks at.
struct UnusedSetting {
  std::string path;    ///< "sweep.PATH": an axis
  std::string source;  ///< the file, or the argument of the command line
  std::string reason;  ///< "exchange.scheme is plain"; may be empty

  /// "file.toml: `exchange.key_bits` is set, but nothing uses it: exchange.scheme is plain".
  std::string text() const;
};

class ScenarioDocument {
 public:
  /// `table` outlives the document.
  ScenarioDocument(const SettingTable& table, const std::string& text, const std::string& source);

  /// As if the file said so. `sweep.PATH` replaces an axis.
  void set(const Assignment& assignment);
  /// After the last `set`: ScenarioError if the axes do not fit each other.
  void arrange_sweep() { sweep_.arrange(); }
  /// As if the file had the values of that point, and no sweep.
  ScenarioDocument point(std::size_t number) const;

  /// The settings of the file, over the options it starts from.
  OptionSet main(OptionSet start) const;
  /// The main algorithm first, then every [[method]].
  std::vector<Method> methods(const std::string& main_name, const OptionSet& main) const;
  const SweepAxes& sweep() const { return sweep_; }

  /// An axis of the sweep that the command line sets to one value as well, if there is one.
  std::optional<std::string> set_and_swept() const;

  SettingPlaces places() const;
  SettingPlaces places_of_method(std::size_t number) const;  ///< 0: the main algorithm
  /// Settings that were given but that none of these methods looks at, by path.
  std::vector<UnusedSetting> unused(const std::vector<Method>& methods) const;

 private:
  explicit ScenarioDocument(const SettingTable& table) : table_(&table) {}

  struct MethodText {
    std::string name;
    SourcePlace place;
    std::vector<Leaf> leaves;
  };
  struct Parser;

  const SettingTable* table_;
  std::string source_;
  std::vector<Leaf> leaves_;
  std::vector<MethodText> methods_;
  SweepAxes sweep_;
};

/// Every setting with the value in force, as TOML.
std::string resolved_text(const SettingTable& table, const std::vector<Method>& methods);

}  // namespace sotto
