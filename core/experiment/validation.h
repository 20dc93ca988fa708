// What one key alone cannot tell: that the settings fit each other. ScenarioError at the place of the key to
// change.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "core/experiment/scenario.h"
#include "network/topology/topology.h"

namespace sotto {

/// Where each key was set last; the scenario file as a whole for those that were not.
class SettingPlaces {
 public:
  explicit SettingPlaces(std::string source) : source_(std::move(source)) {}
  void add(const std::string& key, const SourcePlace& place) { places_[key] = place; }
  bool has(const std::string& key) const { return places_.contains(key); }
  SourcePlace of(const std::string& key) const {
    const auto at = places_.find(key);
    return at == places_.end() ? SourcePlace{source_, 0, 0} : at->second;
  }

 private:
  std::string source_;
  std::map<std::string, SourcePlace> places_;
};

/// Whether it has a stopping rule and was not told to run on: then reaching its limit is not what was hoped for.
bool expects_convergence(const Scenario& scenario);

/// Speeds: that they are of agents that exist.
void validate_costs(const Scenario& scenario, const SettingPlaces& places);
/// Data and split: what all methods share.
void validate_trial(const Scenario& scenario, const DataShape& shape, const SettingPlaces& places);
/// Algorithm and exchange of one method.
void validate_method(const Scenario& scenario, const DataShape& shape, const SettingPlaces& places);
/// What counts entries by whether they are stored: that the data is sparse.
void validate_entries(const Scenario& scenario, bool sparse, const SettingPlaces& places);
/// That an exchange which hides an agent among the neighbors of another finds two everywhere; names who has one.
void check_neighborhoods(const Scenario& scenario, const Topology& topology, const SettingPlaces& places,
                         const std::vector<std::string>& agent_names);

}  // namespace sotto
