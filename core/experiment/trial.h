// SPDX-License-Identifier: MIT
// A trial: the graph and the data that all its methods share, and what each of them may know of it.
// Tests: tests/core/algorithms/ppdnmf_test.cpp, tests/core/data/dataset_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace sotto {

/// What all methods of a trial share.
struct Trial {
  Trial(const Experiment& experiment, std::uint64_t number);

  std::uint64_t number;
  Topology topology;
  std::vector<LinkAttributes> link_attributes;
  std::optional<std::uint32_t> diameter;
  PublicFacts facts;                    ///< as far as any method needs them
  TrialData data;                       ///< the simulation's: no party sees it
  std::shared_ptr<const Dataset> file;  ///< where the data came from one
  std::shared_ptr<SharedSchemes> schemes;
  std::string source;  ///< the scenario file, for messages
  std::vector<std::string> agent_names;

  /// What every agent of the graph holds.
  std::vector<PartyInput> parties() const;
  /// What a place with everybody's data holds.
  PartyInput center() const;
  /// What every agent may know, as far as the algorithm of a method needs it.
  PublicFacts public_facts(const OptionSet& options) const;
  /// What the algorithm of a method needs, and nothing else.
  Kit kit(const OptionSet& options) const;
};

}  // namespace sotto
