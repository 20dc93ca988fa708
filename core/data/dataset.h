// SPDX-License-Identifier: MIT
// The data of one trial: samples as columns, dealt out to the agents, and samples that nobody trains on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random_stream.h"
#include "core/data/data_options.h"
#include "core/data/formats.h"
#include "core/data/samples.h"

namespace sotto {

/// What data files hold, scaled but for tf-idf, which depends on the trial.
struct Dataset {
  Samples samples;
  std::vector<Index> sizes;  ///< a file per agent: samples of each; empty: one file for all
  ImageShape image;
  std::vector<std::string> words;  ///< names of the features, where there are any
};

struct TrialData {
  Samples all;                 ///< features x samples, agent after agent
  std::vector<Samples> parts;  ///< by agent: columns of `all`, in memory of their own
  Samples held_out;            ///< features x held-out samples
  Samples held_out_entries;    ///< sparse, as `all`: what was taken out of it; empty: nothing was
  Vector response;             ///< of every sample of `all`, no longer one of its features; empty: none
  Vector held_out_response;    ///< the same
  std::vector<Index> numbers;  ///< where each sample of `all` was in its file; empty: synthetic
  std::vector<Index> held_out_numbers;  ///< the same
};

/// Samples of each agent: adds up to `samples`, at least one each.
std::vector<Index> split_sizes(const SplitOptions& split, Index samples, std::size_t agents,
                               RandomStream& random);

/// Which data a trial gets, beside its options.
struct TrialDraw {
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;
  std::size_t agents = 1;
  std::optional<Index> response;  ///< a feature that becomes the response, from 0
};

/// `file`: what data.file holds, else null.
TrialData make_data(const DataOptions& options, const Dataset* file, const TrialDraw& draw);

}  // namespace sotto
