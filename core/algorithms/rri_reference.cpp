// SPDX-License-Identifier: MIT
// RRI-NMF (core/factorization/rri.h) without a network: solver = "rri".
//   centralized   one agent holds everybody's samples: what PD-NMF equals (Tsikhanovich et al. 2019, theorem 1)
//   local         every agent factorizes its own samples and tells nobody: what uplift is measured against
// They run to `outer_iterations` (twice that with random-2x): a reference that stops early is no reference. Starts that are
// made by several parties, best-of-m, nndsvd, pd-nmf-init and pd-svd, are computed in one place for `centralized` (topic_start.h): it starts
// where PD-NMF starts. A party alone starts from NNDSVD of its own samples instead; labeled.
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#include <fmt/format.h>

#include <optional>

#include "core/algorithms/references.h"
#include "core/algorithms/topic_start.h"

namespace sotto {

namespace {

/// Starts that are made of more than one party's samples.
bool needs_all_data(Initialization start) {
  return start == Initialization::nndsvd || start == Initialization::pd_nmf_init ||
         start == Initialization::best_of_m || start == Initialization::pd_svd;
}

struct RriReferenceState {
  std::uint64_t iteration = 0;
  bool finished = false;
  const RriHalf* half = nullptr;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    half->save(w);
  }
  /// Everything but the half, which the reader still holds.
  static RriReferenceState load(Reader& r) {
    RriReferenceState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    return s;
  }
};

class RriReference final : public Algorithm {
 public:
  RriReference(const OptionSet& options, bool one_place, const Kit& kit)
      : options_(options), one_place_(one_place), central_(kit.central_start) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    const Samples& Z = input.samples;
    RriReferenceState s;
    std::optional<RriHalf> half;
    if (start.empty()) {
      half.emplace(Z, options_.rri, start_topics(me, Z));
      me.compute(Operation::flop,
                 weight_fit_flops(Z, half->rank(), initial_weight_sweeps, options_.rri.observed_only()));
    } else {
      Reader r(start);
      s = RriReferenceState::load(r);
      half = RriHalf::loaded(Z, options_.rri, r);
      r.finish();
    }
    s.half = &*half;
    while (!s.finished) {
      me.compute(Operation::flop, rri_sweep_flops(Z, half->rank(), options_.rri.observed_only()));
      rri_sweep(*half);
      s.finished = ++s.iteration >= options_.most_sweeps();
      co_await me.boundary(s);
    }
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    const RriReferenceState s = RriReferenceState::load(r);
    FactorView view;
    view.iteration = s.iteration;
    view.finished = s.finished;
    view.X = r.matrix();
    view.Y = r.matrix().transpose();
    return view;
  }

  std::vector<std::string> labels() const override {
    auto labels = labels_of_place(one_place_);
    const Initialization start = options_.start.initialization;
    if (!one_place_ && needs_all_data(start))
      labels.push_back(fmt::format("initialization = {}: a party alone starts from nndsvd of its own samples",
                                   word_of(start)));
    return labels;
  }

 private:
  /// An agent with fewer samples than topics gets those that its own data cannot give from the seed that all share.
  Matrix start_topics(Agent& me, const Samples& Z) const {
    if (central_.T.size() > 0) {
      me.compute(Operation::flop, central_.flops);
      return central_.T;
    }
    const Initialization start = options_.start.initialization;
    if (start == Initialization::own_random)
      return random_topics(options_, me.random("initialization"), Z.rows());
    if (start == Initialization::random || start == Initialization::random_2x)
      return random_topics(options_, me.shared_random("initialization"), Z.rows());
    const StartTopics own = nndsvd_topics(Z, options_.limits.rank);
    me.compute(Operation::flop, own.flops);
    return filled_up(options_, me.shared_random("initialization"), own.T);
  }

  TopicOptions options_;
  bool one_place_;
  CentralStart central_;
};

bool in_one_place(const OptionSet& options) {
  return algorithm_of(options).baseline == Baseline::one_place;
}

std::string unused_because(const OptionSet& options) {
  return in_one_place(options) ? chosen_start(options) : "every party computes by itself";
}

Schema rri_reference_settings() {
  Schema rows = iteration_settings();
  append(rows, start_settings());
  append(rows, rri_settings());
  append(rows, local_model_settings());
  restrict_use(
      rows, "algorithm.local_iterations",
      [](const OptionSet& options) { return in_one_place(options) && fits_own_models(options); },
      unused_because);
  restrict_use(
      rows, "algorithm.weights_published",
      [](const OptionSet& options) { return in_one_place(options) && merges_own_models(options); },
      unused_because);
  return rows;
}

std::string rri_reference_start(const OptionSet& options, bool one_place) {
  const auto& start = options.get<StartOptions>();
  if (!one_place && needs_all_data(start.initialization)) return "nndsvd of own samples";
  if (one_place && start.initialization == Initialization::own_random) return "random of its own";
  return start.in_words();
}

}  // namespace

const ReferenceKind rri_reference{
    .name = "rri",
    .settings = rri_reference_settings,
    .gives = topic_gives,
    .needs = [](const OptionSet&) { return Needs{}; },
    .check = [](const MethodCheck& c) { check_topics(c, false); },
    .workload = topic_workload,
    .start = rri_reference_start,
    .central_start = topics_in_one_place,
    .make = [](const OptionSet& options, bool one_place, const Kit& kit) -> std::unique_ptr<Algorithm> {
      return std::make_unique<RriReference>(options, one_place, kit);
    },
};

}  // namespace sotto
