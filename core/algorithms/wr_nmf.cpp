// SPDX-License-Identifier: MIT
// WR-NMF: one exchange, then everybody computes alone (Tsikhanovich's thesis, algorithm 6).
//   1  every party fits a model of its own samples, X ~ W T, and publishes T and v_t = sqrt(sum_i W_it^2 + beta)
//      (where only observed entries count: corollary 4); with weights_published = "gram", T and W' W + beta
//   2  everybody stacks the weighted topics v_t T_t of all parties and factorizes them by RRI-NMF from a seed all share:
//      the same T everywhere; with "gram" by the same steps under the metric W' W (core/factorization/topic_merge.h)
//   3  everybody fits its own W to that T
// What T minimizes is no bound of the error on all data, which theorem 1 says it is: counterexample and derivation in topic_start.h. With
// "gram" its quadratic term is exact.
// Who learns what: everybody every party's topics and their weights, in the clear; with "gram" also how topics occur together in
// the samples of every party; labeled. There is no second round.
// Tests: tests/core/algorithms/pd_nmf_test.cpp
#include <functional>
#include <optional>

#include "core/algorithms/references.h"
#include "core/algorithms/topic_start.h"
#include "core/protocols/broadcast.h"

namespace sotto {

namespace {

/// Sweeps that fit W to the topics at hand. Observers see W at every boundary; the algorithm needs and pays for the last one.
constexpr int own_sweeps = 10;

struct WrNmfState {
  std::uint64_t iteration = 0;
  bool finished = false;
  Matrix stacked;  ///< features x all parties' topics, weighted; "gram": empty
  Matrix W;        ///< of the own samples
  std::function<void(Writer&)> save_merge;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.matrix(stacked);
    w.matrix(W);
    save_merge(w);
  }
  /// Everything but the merge, which the reader still holds.
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
    if (options_.own.gram())
      co_await merge_by_gram(me, Z, start);
    else
      co_await merge_by_diagonal(me, Z, start);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    const WrNmfState s = WrNmfState::load(r);
    FactorView view;
    view.iteration = s.iteration;
    view.round = 1;
    view.finished = s.finished;
    view.X = r.matrix();  // the merge's T comes first
    view.Y = s.W.transpose();
    return view;
  }

  std::vector<std::string> labels() const override {
    if (options_.own.gram())
      return {
          "wr-nmf: everybody publishes the topics of its own model and W'W of their weights: how much every "
          "topic, and every pair of them, occurs in its samples"};
    return {"wr-nmf: everybody publishes the topics of its own model and their weights"};
  }

 private:
  Matrix first_topics(const Agent& me, const Samples& Z) const {
    return random_topics(options_, me.shared_random("initialization"), Z.rows());
  }

  Task<void> merge_by_diagonal(Agent& me, const Samples& Z, const Bytes& start) const {
    WrNmfState s;
    std::optional<RriHalf> half;
    if (start.empty()) {
      const std::vector<TopicModel> models = co_await everybodys_models(me, Z);
      for (const TopicModel& model : models) {
        const Index at = s.stacked.cols();
        s.stacked.conservativeResize(Z.rows(), at + model.T.cols());
        s.stacked.rightCols(model.T.cols()) = model.T * model.G.col(0).asDiagonal();
      }
      half.emplace(s.stacked, options_.merging(), first_topics(me, Z));
      me.compute(Operation::flop, weight_fit_flops(s.stacked, half->rank(), initial_weight_sweeps));
    } else {
      Reader r(start);
      s = WrNmfState::load(r);
      half = RriHalf::loaded(s.stacked, options_.merging(), r);
      r.finish();
    }
    co_await iterate(me, Z, s, *half, rri_sweep_flops(s.stacked, half->rank()), rri_sweep);
  }

  Task<void> merge_by_gram(Agent& me, const Samples& Z, const Bytes& start) const {
    WrNmfState s;
    std::optional<TopicMerge> merge;
    if (start.empty()) {
      std::vector<TopicModel> models = co_await everybodys_models(me, Z);
      merge.emplace(std::move(models), options_.merging(), first_topics(me, Z));
      me.compute(Operation::flop, merge->first_flops());
    } else {
      Reader r(start);
      s = WrNmfState::load(r);
      merge = TopicMerge::loaded(options_.merging(), r);
      r.finish();
    }
    co_await iterate(me, Z, s, *merge, merge->sweep_flops(), merge_sweep);
  }

  template <class Merge>
  Task<void> iterate(Agent& me, const Samples& Z, WrNmfState& s, Merge& merge, std::uint64_t sweep_flops,
                     void (*sweep)(Merge&)) const {
    s.save_merge = [&merge](Writer& w) { merge.save(w); };
    while (!s.finished) {
      me.compute(Operation::flop, sweep_flops);
      sweep(merge);
      s.finished = ++s.iteration >= options_.limits.most_iterations();
      if (s.finished)
        me.compute(Operation::flop,
                   weight_fit_flops(Z, merge.rank(), own_sweeps, options_.rri.observed_only()));
      s.W = fit_weights(Z, merge.T(), options_.rri, own_sweeps);
      co_await me.boundary(s);
    }
  }

  /// Every party's topics, with W' W, or with the weights v as a single column.
  Task<std::vector<TopicModel>> everybodys_models(Agent& me, const Samples& Z) const {
    const LocalModel own = local_model(options_, Z);
    me.compute(Operation::flop, own.flops);
    Writer w;
    w.matrix(own.T);
    w.matrix(options_.own.gram() ? own.gram : Matrix(own.weights));
    const std::vector<Bytes> all = co_await broadcast(me, agents_, w.take());
    std::vector<TopicModel> models;
    for (const Bytes& bytes : all) {
      Reader r(bytes);
      TopicModel model;
      model.T = r.matrix();
      model.G = r.matrix();
      r.finish();
      models.push_back(std::move(model));
    }
    co_return models;
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
    .start = [](const OptionSet&) { return std::string("nndsvd of own samples, merged from random"); },
    .make = [](const OptionSet& options, const PublicFacts& facts, const Kit&) -> std::unique_ptr<Algorithm> {
      return std::make_unique<WrNmf>(options, facts);
    },
};

}  // namespace sotto
