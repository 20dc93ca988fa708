// SPDX-License-Identifier: MIT
// Without a network: what the others are measured against.
//   centralized   one agent holds everybody's samples
//   local         every agent factorizes its own samples and sends nothing
// What they run is algorithm.solver: the reference of any algorithm in the table.
// Tests: tests/core/algorithms/ppdnmf_test.cpp
#include <fmt/format.h>

#include "core/algorithms/references.h"

namespace sotto {

namespace {

/// Part of [algorithm].
struct SolverOptions {
  std::string solver = std::string(descent_reference.name);
};

const ReferenceKind& reference_of(const OptionSet& options) {
  const std::string& solver = options.get<SolverOptions>().solver;
  for (const ReferenceKind* reference : references())
    if (reference->name == solver) return *reference;
  throw UnknownWord("no solver is called '" + solver + "': must be " + one_of(names_of(references())));
}

/// The rows of all references; a row is used if the chosen one has it.
Schema baseline_settings() {
  Schema rows;
  std::vector<std::pair<std::string_view, Schema>> own;
  for (const ReferenceKind* reference : references()) {
    own.emplace_back(reference->name, reference->settings());
    append(rows, own.back().second);
  }
  for (Setting& row : rows)
    row.unused = [own, path = row.path](const OptionSet& options) -> Unused {
      const std::string& solver = options.get<SolverOptions>().solver;
      for (const auto& [name, schema] : own)
        if (name == solver)
          if (const Setting* setting = find_setting(schema, path)) return setting->unused(options);
      return "algorithm.solver is " + solver;
    };
  SchemaOf<SolverOptions> s("algorithm");
  s.name("solver", &SolverOptions::solver, names_of(references()),
         "centralized and local: PPDNMF's block coordinate descent, RRI-NMF, or singular vectors of samples "
         "as they are or centered");
  append(rows, s.take());
  return rows;
}

template <bool one_place>
std::unique_ptr<Algorithm> make_baseline(const OptionSet& options, const PublicFacts&, const Kit& kit) {
  return reference_of(options).make(options, one_place, kit);
}

template <bool one_place>
std::string baseline_start(const OptionSet& options) {
  const ReferenceKind& reference = reference_of(options);
  return reference.start != nullptr ? reference.start(options, one_place) : std::string();
}

template <bool one_place>
CentralStart baseline_central_start(const OptionSet& options, const CentralData& data) {
  const ReferenceKind& reference = reference_of(options);
  if (!one_place || reference.central_start == nullptr) return {};
  return reference.central_start(options, data);
}

constexpr auto baseline_needs = [](const OptionSet& options) { return reference_of(options).needs(options); };
constexpr auto baseline_gives = [](const OptionSet& options) { return reference_of(options).gives(options); };
constexpr auto check_baseline = [](const MethodCheck& c) { reference_of(c.options).check(c); };
constexpr auto baseline_title = [](const OptionSet& options) {
  return fmt::format("{} with algorithm.solver = \"{}\"", options.get<AlgorithmOptions>().name,
                     options.get<SolverOptions>().solver);
};
constexpr auto baseline_workload = [](const OptionSet& options, const Sizes& sizes) {
  return reference_of(options).workload(options, sizes);
};

/// Any algorithm's reference, with everybody's samples in one place or with every agent alone.
template <bool one_place>
constexpr AlgorithmKind baseline_kind(std::string_view name, std::string_view help) {
  return {
      .name = name,
      .help = help,
      .baseline = one_place ? Baseline::one_place : Baseline::local,
      .settings = baseline_settings,
      .needs = baseline_needs,
      .gives = baseline_gives,
      .check = check_baseline,
      .title = baseline_title,
      .workload = baseline_workload,
      .start = baseline_start<one_place>,
      .central_start = baseline_central_start<one_place>,
      .make = make_baseline<one_place>,
  };
}

}  // namespace

extern const AlgorithmKind centralized_kind;
const AlgorithmKind centralized_kind =
    baseline_kind<true>("centralized", "all samples in one place: what gaps are measured against");

extern const AlgorithmKind local_kind;
const AlgorithmKind local_kind = baseline_kind<false>(
    "local", "every agent on its own samples, without messages: what uplift is measured against");

}  // namespace sotto
