// A scenario file (TOML) as it is written: which keys are set where, the methods, the axes of a sweep. What the keys mean is
// checked when they are applied. ScenarioError with file, line and column for what is no scenario at all.
// Threading: const after the last `set`; copies are independent.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/keys.h"
#include "core/experiment/validation.h"
#include "core/scenario/sweep_axis.h"

namespace sotto {

/// A `--set key=value`: the value is TOML; what is not TOML is taken as a string.
using Setting = std::pair<std::string, std::string>;

class ScenarioDocument {
 public:
  ScenarioDocument(const std::string& text, const std::string& source);

  /// As if the file said so. `sweep.KEY` replaces an axis.
  void set(const Setting& setting);
  /// After the last `set`: ScenarioError if the axes do not fit each other.
  void arrange_sweep() { sweep_.arrange(); }
  /// As if the file had the values of that point, and no sweep.
  ScenarioDocument point(std::size_t number) const;

  Scenario main() const;
  /// The main algorithm first, then every [[method]].
  std::vector<Method> methods(const Scenario& main) const;
  const SweepAxes& sweep() const { return sweep_; }

  /// An axis of the sweep that the command line sets to one value as well, if there is one.
  std::optional<std::string> set_and_swept() const;

  SettingPlaces places() const;
  SettingPlaces places_of_method(std::size_t number) const;  ///< 0: the main algorithm
  /// Keys that were set but that none of these methods looks at.
  std::vector<std::string> unused(const std::vector<Method>& methods) const;

 private:
  ScenarioDocument() = default;

  struct MethodText {
    std::string name;
    SourcePlace place;
    std::vector<Leaf> leaves;
  };
  struct Parser;

  std::string source_;
  std::vector<Leaf> leaves_;
  std::vector<MethodText> methods_;
  SweepAxes sweep_;
};

/// Every key with the value in force, as TOML.
std::string resolved_text(const std::vector<Method>& methods);

}  // namespace sotto
