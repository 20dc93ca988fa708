// The table of algorithms. To add one: a new .cpp with the class hidden inside, its `make_...` declared in
// algorithms.cpp, and one line in the table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/algorithms/algorithm.h"
#include "core/experiment/scenario.h"

namespace sotto {

/// How parties talk to each other.
enum class Communication : std::uint8_t {
  none,
  exchange,  ///< with neighbors, by [exchange]
  sums,      ///< in secure sums, by [secure_sum]
  publish,   ///< to everybody, in the clear
};

/// What the factors are, and how they are found.
enum class Model : std::uint8_t {
  descent,  ///< nonnegative, PPDNMF's block coordinate descent
  rri,      ///< nonnegative, RRI-NMF
  svd,      ///< an orthonormal basis, and samples projected onto it
};

struct AlgorithmEntry {
  std::string_view name;  ///< algorithm.name
  std::unique_ptr<Algorithm> (*make)(const Scenario& scenario, const PublicFacts& facts);
  bool has_variants;  ///< algorithm.variant names its method
  Communication communication;
  bool has_stopping_rule;  ///< algorithm.stop; without one it runs to outer_iterations
  Model (*model)(const AlgorithmSettings& settings);

  bool exchanges() const { return communication == Communication::exchange; }
  bool sums() const { return communication == Communication::sums; }
  bool rri(const AlgorithmSettings& settings) const { return model(settings) == Model::rri; }
  bool svd(const AlgorithmSettings& settings) const { return model(settings) == Model::svd; }
  /// Takes nonnegative data only (noise below zero in synthetic data aside).
  bool nonnegative(const AlgorithmSettings& settings) const { return model(settings) != Model::svd; }
};

std::span<const AlgorithmEntry> algorithms();
const AlgorithmEntry* find_algorithm(std::string_view name);

}  // namespace sotto
