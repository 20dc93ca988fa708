// SPDX-License-Identifier: MIT
#include "core/experiment/trial.h"

#include <algorithm>

#include "core/measures/application.h"
#include "core/protocols/exchange_options.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

/// The diameter, or, where a search from every agent would take too long, twice the distance to the agent farthest from
/// agent 0: never less than the diameter.
std::uint64_t reach_of(const Topology& topology, const std::optional<std::uint32_t>& diameter) {
  if (diameter) return *diameter;
  const auto distances = topology.distances(0);
  const std::uint64_t farthest = *std::max_element(distances.begin(), distances.end());
  return std::min<std::uint64_t>(2 * farthest, topology.agents() - 1);
}

bool needs_mixing(const OptionSet& options) {
  return algorithm_of(options).needs(options).mixing;
}

TrialDraw draw_of(const Experiment& experiment, std::uint64_t trial) {
  return {experiment.run().seed, trial, experiment.agents(),
          response_of(experiment.main, experiment.shape.features)};
}

}  // namespace

Trial::Trial(const Experiment& experiment, std::uint64_t trial)
    : number(trial),
      topology(experiment.topology(trial)),
      link_attributes(experiment.link_attributes),
      diameter(exact_diameter(topology)),
      data(make_data(experiment.main.get<DataOptions>(), experiment.data.get(), draw_of(experiment, trial))) {
  file = experiment.data;
  schemes = experiment.schemes;
  source = experiment.source;
  agent_names = experiment.agent_names;
  facts.agents = topology.agents();
  facts.reach = reach_of(topology, diameter);
  if (std::any_of(experiment.methods.begin(), experiment.methods.end(),
                  [](const Method& m) { return needs_mixing(m.options); }))
    facts.mixing = metropolis_second_eigenvalue_bound(topology);
}

std::vector<PartyInput> Trial::parties() const {
  std::vector<PartyInput> inputs;
  Index at = 0;
  for (const Samples& part : data.parts) {
    PartyInput& input = inputs.emplace_back(PartyInput{part, {}});
    if (data.response.size() > 0) input.response = data.response.segment(at, part.cols());
    at += part.cols();
  }
  return inputs;
}

PartyInput Trial::center() const {
  return {data.all, data.response};
}

PublicFacts Trial::public_facts(const OptionSet& options) const {
  PublicFacts known = facts;
  if (!needs_mixing(options)) known.mixing = 0;
  return known;
}

Kit Trial::kit(const OptionSet& options) const {
  const AlgorithmKind& algorithm = algorithm_of(options);
  const Needs needs = algorithm.needs(options);
  const auto& run = options.get<RunOptions>();
  const auto scheme = [&](std::string_view name) {
    return schemes->get(name, options.get<SchemeOptions>(), topology.agents(), run.key_seed());
  };
  Kit kit;
  kit.seeded = run.seeded();
  if (needs.exchange) kit.scheme = scheme(options.get<ExchangeOptions>().scheme);
  if (needs.sums) {
    const auto& sums = options.get<SecureSumOptions>();
    kit.sums = std::make_shared<const SumPlan>(SumPlan::make(sums.kind, topology));
    if (const auto name = sums.scheme()) kit.scheme = scheme(*name);
  }
  if (needs.normed_sums) {
    const auto& normed = options.get<NormedSumOptions>();
    const auto name = normed.scheme();
    kit.normed = std::make_shared<const NormedSumFacts>(
        NormedSumFacts::make(normed, topology.agents(), static_cast<std::size_t>(data.all.rows()),
                             name ? scheme(*name) : nullptr));
  }
  if (algorithm.central_start != nullptr)
    kit.central_start = algorithm.central_start(options, {data.all, data.parts, run.seed, number});
  return kit;
}

}  // namespace sotto
