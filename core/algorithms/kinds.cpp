// SPDX-License-Identifier: MIT
#include "core/algorithms/kinds.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace sotto {

extern const AlgorithmKind ppdnmf_kind;
extern const AlgorithmKind pd_nmf_kind;
extern const AlgorithmKind wr_nmf_kind;
extern const AlgorithmKind pd_svd_kind;
extern const AlgorithmKind pd_pca_kind;
extern const AlgorithmKind deepca_kind;
extern const AlgorithmKind centralized_kind;
extern const AlgorithmKind local_kind;

namespace {

std::vector<const AlgorithmKind*>& algorithm_table() {
  static std::vector<const AlgorithmKind*> kinds{&ppdnmf_kind, &pd_nmf_kind, &wr_nmf_kind,      &pd_svd_kind,
                                                 &pd_pca_kind, &deepca_kind, &centralized_kind, &local_kind};
  return kinds;
}

}  // namespace

std::span<const AlgorithmKind* const> algorithms() {
  return algorithm_table();
}

void add_algorithm(const AlgorithmKind& kind) {
  algorithm_table().push_back(&kind);
}

const AlgorithmKind& find_algorithm(std::string_view name) {
  for (const AlgorithmKind* kind : algorithm_table())
    if (kind->name == name) return *kind;
  throw UnknownWord("no algorithm is called '" + std::string(name) + "': must be " +
                    one_of(names_of(algorithm_table())));
}

const AlgorithmKind& algorithm_of(const OptionSet& options) {
  return find_algorithm(options.get<AlgorithmOptions>().name);
}

std::vector<const ReferenceKind*> references() {
  std::vector<const ReferenceKind*> all;
  for (const AlgorithmKind* kind : algorithm_table())
    if (kind->reference != nullptr && std::find(all.begin(), all.end(), kind->reference) == all.end())
      all.push_back(kind->reference);
  return all;
}

const Schema& settings_of(const AlgorithmKind& kind) {
  static std::mutex mutex;
  static std::map<const AlgorithmKind*, Schema> kept;
  const std::lock_guard lock(mutex);
  const auto at = kept.find(&kind);
  if (at != kept.end()) return at->second;
  return kept.emplace(&kind, kind.settings()).first->second;
}

Schema algorithm_settings() {
  SchemaOf<AlgorithmOptions> s("algorithm");
  s.name("name", &AlgorithmOptions::name, names_of(algorithm_table()), "what runs");
  Schema rows = s.take();
  for (const AlgorithmKind* kind : algorithm_table()) append(rows, settings_of(*kind));
  for (std::size_t k = 1; k < rows.size(); ++k)
    rows[k].unused = [path = rows[k].path](const OptionSet& options) -> Unused {
      const AlgorithmKind& kind = algorithm_of(options);
      if (const Setting* own = find_setting(settings_of(kind), path)) return own->unused(options);
      return "algorithm.name is " + std::string(kind.name);
    };
  return rows;
}

std::string algorithm_title(const OptionSet& options) {
  const AlgorithmKind& kind = algorithm_of(options);
  return kind.title != nullptr ? kind.title(options) : std::string(kind.name);
}

std::string start_of(const OptionSet& options) {
  const AlgorithmKind& kind = algorithm_of(options);
  return kind.start != nullptr ? kind.start(options) : std::string();
}

std::string method_name(const OptionSet& options) {
  const AlgorithmKind& kind = algorithm_of(options);
  return kind.method_name != nullptr ? kind.method_name(options) : std::string(kind.name);
}

}  // namespace sotto
