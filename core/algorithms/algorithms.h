// The table of algorithms. To add one: a new .cpp with the class hidden inside, its `make_...` declared in
// algorithms.cpp, and one line in the table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/algorithms/algorithm.h"

namespace sotto {

struct AlgorithmEntry {
  std::string_view name;  ///< algorithm.name
  std::unique_ptr<Algorithm> (*make)(const Scenario& scenario, const PublicFacts& facts);
  bool has_variants;  ///< algorithm.variant names its method
  bool communicates;
  bool has_stopping_rule;  ///< algorithm.stop; without one it runs to outer_iterations
  bool nonnegative;        ///< takes nonnegative data only (noise below zero in synthetic data aside)
};

std::span<const AlgorithmEntry> algorithms();
const AlgorithmEntry* find_algorithm(std::string_view name);

}  // namespace sotto
