// SPDX-License-Identifier: MIT
#include "core/experiment/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/algorithms/iteration_options.h"
#include "core/data/synthetic.h"
#include "core/measures/application.h"

namespace sotto {

namespace {

bool is_sparse(const Experiment& experiment) {
  return experiment.data ? experiment.data->samples.sparse()
                         : synthetic_is_sparse(experiment.main.get<DataOptions>().source);
}

void check_rank(std::int64_t rank, const DataShape& shape, std::size_t agents, const SettingPlaces& places) {
  const std::int64_t most = std::min(shape.features, shape.samples);
  if (rank > most)
    places.refuse("algorithm.rank",
                  fmt::format("is {}, but data of {} features and {} samples has rank {} at most", rank,
                              shape.features, shape.samples, most));
  refuse_too_large(
      static_cast<double>(rank) * (static_cast<double>(agents) * static_cast<double>(shape.features) * 5 +
                                   static_cast<double>(shape.samples) * 3),
      "algorithm.rank", places);
}

}  // namespace

void check_trial(const Experiment& experiment, const SettingPlaces& places) {
  if (!experiment.run().seeded() && experiment.output().checkpoint_every > 0)
    places.refuse("output.checkpoint_every",
                  "needs entropy = \"seed\": a run whose keys come from the system cannot go on");
  const auto& data = experiment.main.get<DataOptions>();
  check_data(data, experiment.shape, experiment.agents(), places);
  if (data.held_out_entries > 0 && !is_sparse(experiment))
    places.refuse("data.held_out_entries", "takes entries out of sparse data, and this is dense");
}

void check_method(const Experiment& experiment, const OptionSet& options, const SettingPlaces& places) {
  const AlgorithmKind& algorithm = algorithm_of(options);
  const Needs needs = algorithm.needs(options);
  const std::size_t agents = experiment.agents();
  DataShape shape = experiment.shape;
  if (response_of(options, shape.features)) --shape.features;
  check_rank(options.get<IterationOptions>().rank, shape, agents, places);
  const DataSource source = options.get<DataOptions>().source;
  if (!needs.signed_data && synthetic_is_signed(source))
    places.refuse("data.source", fmt::format("{} draws negative numbers, which {} does not take",
                                             word_of(source), algorithm.name));
  if (algorithm.check != nullptr) algorithm.check({options, places, shape, is_sparse(experiment), agents});
  const auto& keys = options.get<SchemeOptions>();
  if (needs.sums) check_sums(options.get<SecureSumOptions>(), keys, places);
  check_application({options, places, experiment.shape});
  if (needs.normed_sums)
    check_normed_sums(options.get<NormedSumOptions>(), keys, agents, static_cast<std::size_t>(shape.features),
                      places);
}

void check_graph(const GraphCheck& c) {
  const AlgorithmKind& algorithm = algorithm_of(c.options);
  if (algorithm.needs(c.options).sums) {
    try {
      SumPlan::check(c.options.get<SecureSumOptions>().kind, c.topology);
    } catch (const RunError& e) {
      c.places.refuse("secure_sum.kind", e.what());
    }
  }
  if (algorithm.check_graph != nullptr) algorithm.check_graph(c);
}

}  // namespace sotto
