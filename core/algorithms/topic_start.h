// SPDX-License-Identifier: MIT
// What the RRI-NMF algorithms share: options and checks, and where topics start. T is features x rank here (columns are topics).
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#pragma once

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/kinds.h"
#include "core/algorithms/start_options.h"
#include "core/data/samples.h"
#include "core/factorization/rri.h"
#include "network/runtime/agent.h"

namespace sotto {

/// Part of [algorithm]: a party's own model.
struct LocalModelOptions {
  std::int64_t local_iterations = 100;
};

/// The options of an RRI-NMF algorithm.
struct TopicOptions {
  explicit TopicOptions(const OptionSet& options)
      : limits(options.get<IterationOptions>()),
        rri(options.get<RriOptions>()),
        start(options.get<StartOptions>()),
        own(options.get<LocalModelOptions>()) {}

  IterationOptions limits;
  RriOptions rri;
  StartOptions start;
  LocalModelOptions own;

  /// For weighted topics of several parties, of which every entry is known. Regularization stays: without it topics would
  /// come out at a scale of their own, and weights fitted to them with it would be far off.
  RriOptions merging() const;
  /// Sweeps of a run: with random-2x twice outer_iterations.
  std::uint64_t most_sweeps() const;
};

/// local_iterations
Schema local_model_settings();
/// What no start of RRI-NMF can be, and what excludes each other. `one_start`: all parties start from the same topics.
void check_topics(const MethodCheck& check, bool one_start);
Workload topic_workload(const OptionSet& options, const Sizes& sizes);
/// All errors are over the entries that count.
Gives topic_gives(const OptionSet& options);

/// Topics uniform in [0, 1), each brought to sum to 1, times initialization_scale.
Matrix random_topics(const TopicOptions& options, RandomStream random, Index features);
/// NNDSVD's topics, each brought to sum to 1. At most as many as the data has rank for.
Matrix nndsvd_topics(const Samples& Z, Index rank);
/// Every column divided by its sum, where it has one.
void normalize_topics(Matrix& T);

/// `few` topics, and those that are missing from the seed that all share.
Matrix filled_up(const TopicOptions& options, const Agent& me, const Matrix& few);

/// A party's own model, from NNDSVD by RRI-NMF; with fewer samples than `rank` it has fewer topics.
struct LocalModel {
  Matrix T;        ///< features x topics
  Vector weights;  ///< v_t: how much an error in topic t costs on this party's data
};
/// v_t = sqrt(sum_i W_it^2 + beta) (Tsikhanovich's thesis, algorithm 6; Tsikhanovich et al. 2019, algorithm 2, line 4, has no beta; a negative beta, which bounds
/// nothing, counts as 0). Where only observed entries count, the largest of ((W_t)^2)' Psi instead of the sum (Tsikhanovich's thesis,
/// corollary 4, in the maximum norm: it bounds the quadratic form).
LocalModel local_model(const TopicOptions& options, const Samples& Z);
/// Its topics times their weights, as samples: what stands for the party's data.
Samples pseudo_samples(const LocalModel& model);

/// Multiply-adds of a local model, for simulated time.
std::uint64_t local_model_flops(const TopicOptions& options, const Samples& Z);

}  // namespace sotto
