#include "core/algorithms/algorithms.h"

#include <array>

namespace sotto {

std::unique_ptr<Algorithm> make_ppdnmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_centralized(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_local(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_pd_nmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_wr_nmf(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_pd_svd(const Scenario& scenario, const PublicFacts& facts);
std::unique_ptr<Algorithm> make_pd_pca(const Scenario& scenario, const PublicFacts& facts);

namespace {
Model descent(const AlgorithmSettings&) {
  return Model::descent;
}
Model rri(const AlgorithmSettings&) {
  return Model::rri;
}
Model svd(const AlgorithmSettings&) {
  return Model::svd;
}
Model by_solver(const AlgorithmSettings& a) {
  if (a.solver == "svd" || a.solver == "pca") return Model::svd;
  return a.solver == "rri" ? Model::rri : Model::descent;
}

constexpr std::array<AlgorithmEntry, 7> table{{
    {"ppdnmf", make_ppdnmf, true, Communication::exchange, true, descent},
    {"pd-nmf", make_pd_nmf, false, Communication::sums, true, rri},
    {"wr-nmf", make_wr_nmf, false, Communication::publish, false, rri},
    {"pd-svd", make_pd_svd, false, Communication::sums, true, svd},
    {"pd-pca", make_pd_pca, false, Communication::sums, true, svd},
    {"centralized", make_centralized, false, Communication::none, false, by_solver},
    {"local", make_local, false, Communication::none, false, by_solver},
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
