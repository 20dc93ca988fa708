#include "core/algorithms/algorithms.h"

#include <array>

namespace sotto {

std::unique_ptr<Algorithm> make_ppdnmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_centralized(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_local(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_pd_nmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_wr_nmf(const Scenario& scenario, const PublicFacts& facts);

namespace {
bool never(const AlgorithmSettings&) {
  return false;
}
bool always(const AlgorithmSettings&) {
  return true;
}
bool by_solver(const AlgorithmSettings& a) {
  return a.solver == "rri";
}

constexpr std::array<AlgorithmEntry, 5> table{{
    {"ppdnmf", make_ppdnmf, true, Communication::exchange, true, true, never},
    {"pd-nmf", make_pd_nmf, false, Communication::sums, true, true, always},
    {"wr-nmf", make_wr_nmf, false, Communication::publish, false, true, always},
    {"centralized", make_centralized, false, Communication::none, false, true, by_solver},
    {"local", make_local, false, Communication::none, false, true, by_solver},
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
