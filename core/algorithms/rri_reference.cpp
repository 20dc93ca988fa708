// SPDX-License-Identifier: MIT
// RRI-NMF (core/factorization/rri.h) without a network: solver = "rri".
//   centralized   one agent holds everybody's samples: what PD-NMF equals (Tsikhanovich et al. 2019, theorem 1)
//   local         every agent factorizes its own samples and tells nobody: what uplift is measured against
// They run to `outer_iterations` (twice that with random-2x): a reference that stops early is no reference. Starts that are
// made by several parties, best-of-m, pd-nmf-init and pd-svd, are `nndsvd` here.
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#include <optional>

#include "core/algorithms/references.h"
#include "core/algorithms/topic_start.h"

namespace sotto {

namespace {

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
  RriReference(const OptionSet& options, bool one_place) : options_(options), one_place_(one_place) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    const Samples& Z = input.samples;
    RriReferenceState s;
    std::optional<RriHalf> half;
    if (start.empty()) {
      half.emplace(Z, options_.rri, start_topics(me, Z));
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

  std::vector<std::string> labels() const override { return labels_of_place(one_place_); }

 private:
  /// An agent with fewer samples than topics gets those that its own data cannot give from the seed that all share.
  Matrix start_topics(const Agent& me, const Samples& Z) const {
    const Initialization start = options_.start.initialization;
    if (start == Initialization::own_random)
      return random_topics(options_, me.random("initialization"), Z.rows());
    if (start == Initialization::random || start == Initialization::random_2x)
      return random_topics(options_, me.shared_random("initialization"), Z.rows());
    return filled_up(options_, me, nndsvd_topics(Z, options_.limits.rank));
  }

  TopicOptions options_;
  bool one_place_;
};

Schema rri_reference_settings() {
  Schema rows = iteration_settings();
  append(rows, start_settings());
  append(rows, rri_settings());
  return rows;
}

}  // namespace

const ReferenceKind rri_reference{
    .name = "rri",
    .settings = rri_reference_settings,
    .gives = topic_gives,
    .needs = [](const OptionSet&) { return Needs{}; },
    .check = [](const MethodCheck& c) { check_topics(c, false); },
    .workload = topic_workload,
    .make = [](const OptionSet& options, bool one_place) -> std::unique_ptr<Algorithm> {
      return std::make_unique<RriReference>(options, one_place);
    },
};

}  // namespace sotto
