// The data of one trial: samples as columns, dealt out to the agents, and samples that nobody trains on.
#pragma once

#include <vector>

#include "base/matrix.h"
#include "base/random_stream.h"
#include "core/experiment/scenario.h"

namespace sotto {

struct TrialData {
  Matrix all;                 ///< features x samples, agent after agent
  std::vector<Matrix> parts;  ///< by agent
  Matrix held_out;            ///< features x held-out samples
};

/// Samples of each agent: adds up to `samples`, at least one each.
std::vector<Index> split_sizes(const DataSettings& settings, std::size_t agents, RandomStream& random);

TrialData make_data(const Scenario& scenario, std::uint64_t trial);

}  // namespace sotto
