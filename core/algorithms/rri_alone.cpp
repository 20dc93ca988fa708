// RRI-NMF (core/factorization/rri.h) without a network: solver = "rri".
//   centralized   one agent holds everybody's samples: what PD-NMF equals (paper 000, theorem 1)
//   local         every agent factorises its own samples and tells nobody: what uplift is measured against
// They run to `outer_iterations` (twice that with random-2x): a reference that stops early is no reference. Starts that are
// made by several parties, best-of-m, pd-nmf-init and pd-svd, are `nndsvd` here.
#include <optional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/rri_start.h"
#include "core/experiment/scenario.h"

namespace sotto {

namespace {

struct State {
  std::uint64_t iteration = 0;
  bool finished = false;
  const RriHalf* half = nullptr;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    half->save(w);
  }
  /// Everything but the half, which the reader still holds.
  static State load(Reader& r) {
    State s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    return s;
  }
};

class RriAlone final : public Algorithm {
 public:
  RriAlone(const Scenario& scenario, bool one_place) : a_(scenario.algorithm), one_place_(one_place) {}

  bool one_place() const override { return one_place_; }

  Task<void> party(Agent& me, const Samples& Z, const Bytes& start) const override {
    State s;
    std::optional<RriHalf> half;
    if (start.empty()) {
      half.emplace(Z, rri_settings(a_), start_topics(me, Z));
    } else {
      Reader r(start);
      s = State::load(r);
      half = RriHalf::loaded(Z, rri_settings(a_), r);
      r.finish();
    }
    s.half = &*half;
    while (!s.finished) {
      me.compute(Operation::flop, rri_sweep_flops(Z, half->rank(), a_.weights == "observed"));
      rri_sweep(*half);
      s.finished = ++s.iteration >= most_sweeps(a_);
      co_await me.boundary(s);
    }
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    const State s = State::load(r);
    FactorView view;
    view.iteration = s.iteration;
    view.finished = s.finished;
    view.X = r.matrix();
    view.Y = r.matrix().transpose();
    return view;
  }

  std::vector<std::string> labels() const override {
    if (one_place_) return {"centralized: everybody's data in one place"};
    return {};
  }

 private:
  bool random_start() const { return a_.initialization == "random" || a_.initialization == "random-2x"; }

  /// An agent with fewer samples than topics gets those that its own data cannot give from the seed that all share.
  Matrix start_topics(const Agent& me, const Samples& Z) const {
    if (a_.initialization == "own-random") return random_topics(a_, me.random("initialization"), Z.rows());
    if (random_start()) return random_topics(a_, me.shared_random("initialization"), Z.rows());
    return filled_up(a_, me, nndsvd_topics(Z, a_.rank));
  }

  AlgorithmSettings a_;
  bool one_place_;
};

}  // namespace

std::unique_ptr<Algorithm> make_rri_alone(const Scenario& scenario, bool one_place) {
  return std::make_unique<RriAlone>(scenario, one_place);
}

}  // namespace sotto
