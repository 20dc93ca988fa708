// SPDX-License-Identifier: MIT
// Applications: what a factorization is for. Figures of a finished run that a user of its topics or predictions would ask for,
// and the error of every party's own model, from which its uplift follows: what it gained by taking part.
// One file per application, one row in application.cpp.
// Tests: tests/core/algorithms/pd_nmf_test.cpp, tests/core/algorithms/pd_svd_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measures/measure.h"

namespace sotto {

/// [application] kind.
struct ApplicationOptions {
  std::string kind = "none";
};

/// Rows of words, by name: of summary.json.
struct NamedRows {
  std::string name;
  std::vector<std::vector<std::string>> rows;
};

struct ApplicationResult {
  FigureValues figures;
  std::vector<double> errors;         ///< by agent
  std::vector<std::int64_t> samples;  ///< by agent
  std::vector<NamedRows> rows;

  void save(Writer& w) const;
  static ApplicationResult load(Reader& r);
};

struct ApplicationInput : MeasureInput {
  const OptionSet& options;
  const std::vector<std::string>& words;  ///< of the features, where there are any
};

/// What an application's settings are checked against.
struct ApplicationCheck {
  const OptionSet& options;
  const SettingPlaces& places;
  const DataShape& shape;
};

struct ApplicationKind {
  std::string_view name;  ///< application.kind
  std::string_view help;  ///< one line
  Model model;            ///< what it takes
  std::span<const Figure* const> figures;
  Schema (*settings)() = nullptr;  ///< null: none
  void (*check)(const ApplicationCheck& check) = nullptr;
  /// The feature, from 0, that the others are to predict; null: there is none.
  Index (*response)(const OptionSet& options, Index features) = nullptr;
  void (*evaluate)(const ApplicationInput& input, ApplicationResult& to) = nullptr;
};

std::span<const ApplicationKind* const> applications();
/// Before anything runs, from one thread: an application that the program was not built with.
void add_application(const ApplicationKind& kind);
/// Null: kind = "none". UnknownWord for an unknown name.
const ApplicationKind* application_of(const OptionSet& options);
/// [application]: its kind, and the rows of all applications. A row is used if the chosen application has it.
Schema application_settings();
/// Those of all applications, each once.
std::vector<const Figure*> application_figures();

std::optional<Index> response_of(const OptionSet& options, Index features);
/// ScenarioError unless the application fits the algorithm and the data.
void check_application(const ApplicationCheck& check);
/// Nothing where there is no application.
ApplicationResult evaluate_application(const ApplicationInput& input);

/// By agent: 100 (1 - error / error of its local model), with the method `local` in the same trial (Tsikhanovich et al. 2019,
/// figure 4); empty where one of the two has no errors.
std::vector<double> uplift_percent(const ApplicationResult& own, const ApplicationResult& local);

namespace figures {

inline constexpr Figure frobenius{
    "frobenius",   "",           "|Z - X Y| on all training data, Y fitted to the final X",
    Better::lower, Scope::final, "frobenius",
    "{:.4f}"};
inline constexpr Figure rmse{
    "rmse", "", "root mean square error of predictions", Better::lower, Scope::final, "rmse", "{:.4f}"};

}  // namespace figures

}  // namespace sotto
