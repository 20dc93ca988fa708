// SPDX-License-Identifier: MIT
// What the RRI-NMF algorithms share: options and checks, and where topics start. T is features x rank here (columns are topics).
// Tests: tests/core/algorithms/topic_start_test.cpp, tests/core/algorithms/pd_nmf_test.cpp
#pragma once

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/kinds.h"
#include "core/algorithms/start_options.h"
#include "core/data/samples.h"
#include "core/factorization/rri.h"
#include "core/factorization/topic_merge.h"
#include "network/runtime/agent.h"

namespace sotto {

/// What a party's weights W are to the others, in a merge of the parties' own topics.
enum class WeightsPublished : std::uint8_t {
  diagonal,  ///< of W' W
  gram,      ///< W' W
};
template <>
struct Words<WeightsPublished> {
  static constexpr std::string_view setting = "algorithm.weights_published";
  static constexpr Word<WeightsPublished> all[] = {{WeightsPublished::diagonal, "diagonal"},
                                                   {WeightsPublished::gram, "gram"}};
};

/// Part of [algorithm]: a party's own model.
struct LocalModelOptions {
  std::int64_t local_iterations = 100;
  WeightsPublished weights_published = WeightsPublished::diagonal;

  bool gram() const { return weights_published == WeightsPublished::gram; }
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

/// local_iterations, weights_published
Schema local_model_settings();
/// Whether parties fit models of their own before anything else, and whether these are merged.
bool fits_own_models(const OptionSet& options);
bool merges_own_models(const OptionSet& options);
/// Why their settings are not used where they do not.
std::string chosen_start(const OptionSet& options);
/// What no start of RRI-NMF can be, and what excludes each other. `one_start`: all parties start from the same topics.
void check_topics(const MethodCheck& check, bool one_start);
Workload topic_workload(const OptionSet& options, const Sizes& sizes);
/// All errors are over the entries that count.
Gives topic_gives(const OptionSet& options);

/// Topics uniform in [0, 1), each brought to sum to 1, times initialization_scale.
Matrix random_topics(const TopicOptions& options, RandomStream random, Index features);
/// Topics, and the multiply-adds that they took, for simulated time.
struct StartTopics {
  Matrix T;
  std::uint64_t flops = 0;
};
/// NNDSVD's topics, each brought to sum to 1. At most as many as the data has rank for.
StartTopics nndsvd_topics(const Samples& Z, Index rank);
/// NNDSVD's choice of halves, v_+ or v_-, for singular vectors V; `halves`: |u_+|^2 of all, then |u_-|^2. Each brought to sum to 1.
Matrix halves_of(const Matrix& V, const Vector& halves);
/// |u_+|^2 and |u_-|^2 of this party's part of u = X V / scale.
Vector half_sizes(const Samples& Z, const Matrix& V, double scale);
/// best-of-m: sweeps that fit weights to another party's topics.
inline constexpr int candidate_sweeps = 20;

/// Every column divided by its sum, where it has one.
void normalize_topics(Matrix& T);

/// `few` topics, and those that are missing from `shared`, a stream that all share.
Matrix filled_up(const TopicOptions& options, RandomStream shared, const Matrix& few);

/// A party's own model, from NNDSVD by RRI-NMF; with fewer samples than `rank` it has fewer topics.
struct LocalModel {
  Matrix T;                 ///< features x topics
  Vector weights;           ///< v_t
  Matrix gram;              ///< W' W + beta; empty unless weights_published = "gram"
  std::uint64_t flops = 0;  ///< multiply-adds that it took

  TopicModel model() const { return {T, gram}; }
};
/// v_t = sqrt(sum_i W_it^2 + beta) (Tsikhanovich's thesis, algorithm 6; Tsikhanovich et al. 2019, algorithm 2, line 4, has no beta; a negative beta
/// counts as 0). Where only observed entries count, the largest of ((W_t)^2)' Psi instead of the sum (Tsikhanovich's thesis, corollary 4, in
/// the maximum norm).
///
/// What these weights are, and are not. If a party's samples are modeled by other topics Z, with weights W A, the error changes by
///     <W' (W T - X), A Z>  +  1/2 tr(Delta' W' W Delta),      Delta = T - A Z
/// (the first term is never negative at a minimum over T >= 0, and 0 for features where T is positive). The merge minimizes
/// 1/2 sum_t v_t^2 |Delta_t|^2: it leaves out the first term, and of W' W all but the diagonal. That is NOT a bound of the error from
/// above, as Tsikhanovich's thesis, theorem 1, has it: W' W is not below its diagonal. T = (1,0,1; 0,1,1), W = all ones (3 x 2) and
/// Z = (1,1,0) give an error of 6 and a "bound" of 4.5. With `gram` the second term is exact (observed entries only: bounded from
/// above, since leaving entries out can but lower it); the first is left out still.
LocalModel local_model(const TopicOptions& options, const Samples& Z);
/// Its topics times their weights, as samples: what stands for the party's data.
Samples pseudo_samples(const LocalModel& model);

/// The start of `centralized`: what the parties of PD-NMF compute together, in one place and without the grid of secure sums, so that both
/// start alike. Empty for starts that the agent draws or computes itself.
CentralStart topics_in_one_place(const OptionSet& options, const CentralData& data);

}  // namespace sotto
