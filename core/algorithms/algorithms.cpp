#include "core/algorithms/algorithms.h"

#include <array>

namespace sotto {

std::unique_ptr<Algorithm> make_ppdnmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_centralized(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_local(const Scenario& scenario, const PublicFacts& facts);

namespace {
constexpr std::array<AlgorithmEntry, 3> table{{
    {"ppdnmf", make_ppdnmf, true, true, true, true},
    {"centralized", make_centralized, false, false, false, true},
    {"local", make_local, false, false, false, true},
}};
}  // namespace

std::span<const AlgorithmEntry> algorithms() {
  return table;
}

const AlgorithmEntry* find_algorithm(std::string_view name) {
  for (const AlgorithmEntry& entry : table)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace sotto
