// SPDX-License-Identifier: MIT
// The table of algorithms. To add one: a file with its options, its checks, its coroutine and its AlgorithmKind, and one
// row in kinds.cpp. Nobody outside core/algorithms asks for an algorithm's name: what others need to know is said here.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema.h"
#include "core/algorithms/algorithm.h"
#include "core/data/data_options.h"
#include "core/factorization/rri.h"

namespace sotto {

/// What the experiment prepares (Kit), and what data it must find.
struct Needs {
  bool exchange = false;     ///< with neighbors, by [exchange]
  bool sums = false;         ///< secure sums, by [secure_sum]
  bool normed_sums = false;  ///< normalized ones besides
  bool mixing = false;       ///< gossip: PublicFacts::mixing
  bool signed_data = false;  ///< takes negative entries (noise below zero in synthetic data aside)
};

enum class Model : std::uint8_t {
  nonnegative_factors,  ///< Z ~ X Y, both nonnegative
  orthonormal_basis,    ///< samples projected onto X
};

/// What a result is: measures and applications choose by it.
struct Gives {
  Model model = Model::nonnegative_factors;
  CountedEntries entries = CountedEntries::all;  ///< that errors are over
};

/// Settings of a method, before there is a graph.
struct MethodCheck {
  const OptionSet& options;
  const SettingPlaces& places;
  DataShape shape;  ///< without the response, where there is one
  bool sparse;
  std::size_t agents;
};

/// The same on a graph.
struct GraphCheck {
  const OptionSet& options;
  const SettingPlaces& places;
  const Topology& topology;
  const std::vector<std::string>& agent_names;
};

/// Sizes of a trial, as numbers to compute with.
struct Sizes {
  double agents = 1, links = 0, features = 0, samples = 0, held_out = 0, rank = 0;
  double stored = 0;  ///< entries
};

/// What a run will do, for forecasts: within a factor of two or three.
struct Workload {
  double iterations = 0;
  double multiply_adds = 0;    ///< of all agents in one iteration
  double exchange_rounds = 0;  ///< in one iteration
  std::optional<double> penalty{};
  double sum_calls = 0;      ///< sums, or openings of normalized ones, in one iteration
  double sum_numbers = 0;    ///< of all parties in one iteration
  double gossip_rounds = 0;  ///< in one iteration; their number is known once the graph is: a guess
};

/// What an algorithm is without a network: in one place that holds all data, and for every party on its own. `centralized` and
/// `local` run it, chosen by algorithm.solver.
struct ReferenceKind {
  std::string_view name;  ///< algorithm.solver
  Schema (*settings)();
  Gives (*gives)(const OptionSet& options);
  Needs (*needs)(const OptionSet& options);
  void (*check)(const MethodCheck& check);
  Workload (*workload)(const OptionSet& options, const Sizes& sizes);
  /// As that of AlgorithmKind; null: its result does not depend on where it starts.
  std::string (*start)(const OptionSet& options, bool one_place) = nullptr;
  /// For one place; null: there is none.
  CentralStart (*central_start)(const OptionSet& options, const CentralData& data) = nullptr;
  std::unique_ptr<Algorithm> (*make)(const OptionSet& options, bool one_place, const Kit& kit);
};

enum class Baseline : std::uint8_t {
  none,
  one_place,  ///< one agent holds everybody's samples: what gaps are measured against
  local,      ///< every agent on its own: what uplift is measured against
};

struct AlgorithmKind {
  std::string_view name;  ///< algorithm.name
  std::string_view help;  ///< one line
  Baseline baseline = Baseline::none;
  bool has_stopping_rule = false;  ///< algorithm.stop; without one it runs to outer_iterations
  const ReferenceKind* reference = nullptr;
  Schema (*settings)() = nullptr;
  Needs (*needs)(const OptionSet& options) = nullptr;
  Gives (*gives)(const OptionSet& options) = nullptr;
  void (*check)(const MethodCheck& check) = nullptr;               ///< null: nothing to check
  void (*check_graph)(const GraphCheck& check) = nullptr;          ///< the same
  std::string (*method_name)(const OptionSet& options) = nullptr;  ///< null: its own name
  std::string (*title)(const OptionSet& options) = nullptr;        ///< for messages; null: its own name
  Workload (*workload)(const OptionSet& options, const Sizes& sizes) = nullptr;
  /// Where its factors start, in words that are the same for methods that start alike; null or an empty text: its result does not
  /// depend on it.
  std::string (*start)(const OptionSet& options) = nullptr;
  /// From everybody's samples in one place, where the options ask for such a start: Kit::central_start.
  CentralStart (*central_start)(const OptionSet& options, const CentralData& data) = nullptr;
  std::unique_ptr<Algorithm> (*make)(const OptionSet& options, const PublicFacts& facts,
                                     const Kit& kit) = nullptr;
};

/// [algorithm] name.
struct AlgorithmOptions {
  std::string name = "ppdnmf";
};

std::span<const AlgorithmKind* const> algorithms();
/// Before anything runs, from one thread: an algorithm that the program was not built with. It must outlive the program's work.
void add_algorithm(const AlgorithmKind& kind);
/// UnknownWord for an unknown name.
const AlgorithmKind& find_algorithm(std::string_view name);
const AlgorithmKind& algorithm_of(const OptionSet& options);

/// The reference kinds of all algorithms.
std::vector<const ReferenceKind*> references();
/// The rows of one algorithm; kept.
const Schema& settings_of(const AlgorithmKind& kind);
/// [algorithm]: its name, and the rows of all algorithms. A row is used if the chosen algorithm has it.
Schema algorithm_settings();
/// The name of the main method: what the algorithm calls itself under these options.
std::string method_name(const OptionSet& options);
/// Where its factors start, in words; empty: its result does not depend on it.
std::string start_of(const OptionSet& options);
/// What messages call it: with what else decides what it is.
std::string algorithm_title(const OptionSet& options);

}  // namespace sotto
