// SPDX-License-Identifier: MIT
// WR-NMF: one exchange, then everybody computes alone (Tsikhanovich's thesis, algorithm 6).
//   1  every party fits a model of its own samples, X ~ W T, and publishes T and v_t = sqrt(sum_i W_it^2 + beta)
//      (where only observed entries count: corollary 4)
//   2  everybody stacks the weighted topics v_t T_t of all parties and factorizes them by RRI-NMF from a seed all share:
//      the same T everywhere
//   3  everybody fits its own W to that T
// T minimizes an upper bound of the error on all data (theorem 1). Who learns what: everybody every party's topics and their
// weights, in the clear; labeled. There is no second round.
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#include <optional>

#include "core/algorithms/references.h"
#include "core/algorithms/topic_start.h"
#include "core/protocols/broadcast.h"

namespace sotto {

namespace {

/// Sweeps that fit W to the topics at hand, at every boundary.
constexpr int own_sweeps = 10;

struct WrNmfState {
  std::uint64_t iteration = 0;
  bool finished = false;
  Matrix stacked;                 ///< features x all parties' topics, weighted
  Matrix W;                       ///< of the own samples
  const RriHalf* half = nullptr;  ///< of the stack

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.matrix(stacked);
    w.matrix(W);
    half->save(w);
  }
  /// Everything but the half, which the reader still holds.
  static WrNmfState load(Reader& r) {
    WrNmfState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.stacked = r.matrix();
    s.W = r.matrix();
    return s;
  }
};

class WrNmf final : public Algorithm {
 public:
  WrNmf(const OptionSet& options, const PublicFacts& facts) : options_(options), agents_(facts.agents) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    const Samples& Z = input.samples;
    WrNmfState s;
    std::optional<RriHalf> half;
    if (start.empty()) {
      s.stacked = co_await everybodys_topics(me, Z);
      half.emplace(s.stacked, options_.merging(),
                   random_topics(options_, me.shared_random("initialization"), Z.rows()));
    } else {
      Reader r(start);
      s = WrNmfState::load(r);
      half = RriHalf::loaded(s.stacked, options_.merging(), r);
      r.finish();
    }
    s.half = &*half;
    while (!s.finished) {
      me.compute(Operation::flop, rri_sweep_flops(s.stacked, half->rank()));
      rri_sweep(*half);
      s.finished = ++s.iteration >= options_.limits.most_iterations();
      s.W = fit_weights(Z, half->T(), options_.rri, own_sweeps);
      co_await me.boundary(s);
    }
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    const WrNmfState s = WrNmfState::load(r);
    FactorView view;
    view.iteration = s.iteration;
    view.round = 1;
    view.finished = s.finished;
    view.X = r.matrix();  // the half's T comes first
    view.Y = s.W.transpose();
    return view;
  }

  std::vector<std::string> labels() const override {
    return {"wr-nmf: everybody publishes the topics of its own model and their weights"};
  }

 private:
  Task<Matrix> everybodys_topics(Agent& me, const Samples& Z) const {
    me.compute(Operation::flop, local_model_flops(options_, Z));
    const LocalModel own = local_model(options_, Z);
    Writer w;
    w.matrix(own.T);
    w.matrix(own.weights);
    const std::vector<Bytes> all = co_await broadcast(me, agents_, w.take());
    Matrix stacked(Z.rows(), 0);
    for (const Bytes& bytes : all) {
      Reader r(bytes);
      LocalModel model{r.matrix(), {}};
      model.weights = r.matrix();
      r.finish();
      const Index at = stacked.cols();
      stacked.conservativeResize(Eigen::NoChange, at + model.T.cols());
      stacked.rightCols(model.T.cols()) = model.T * model.weights.asDiagonal();
    }
    co_return stacked;
  }

  TopicOptions options_;
  std::size_t agents_;
};

Schema wr_nmf_settings() {
  Schema rows = iteration_settings();
  append(rows, only(start_settings(), {"algorithm.initialization_scale"}));
  append(rows, rri_settings());
  append(rows, local_model_settings());
  return rows;
}

}  // namespace

extern const AlgorithmKind wr_nmf_kind;
const AlgorithmKind wr_nmf_kind{
    .name = "wr-nmf",
    .help = "one exchange: every party publishes the topics of its own model, all factorize them",
    .reference = &rri_reference,
    .settings = wr_nmf_settings,
    .needs = [](const OptionSet&) { return Needs{}; },
    .gives = topic_gives,
    .check = [](const MethodCheck& c) { check_topics(c, true); },
    .workload = topic_workload,
    .make = [](const OptionSet& options, const PublicFacts& facts, const Kit&) -> std::unique_ptr<Algorithm> {
      return std::make_unique<WrNmf>(options, facts);
    },
};

}  // namespace sotto
