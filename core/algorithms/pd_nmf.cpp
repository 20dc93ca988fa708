// SPDX-License-Identifier: MIT
// PD-NMF: the exact centralized RRI-NMF of everybody's samples, of which only sums are ever revealed (Tsikhanovich et al. 2019, section 2).
//
//  paper, algorithm 1 (PD-NMF-ITER, as party m)   | here
// ------------------------------------------------+-----------------------------------------------------------
//  1    repeat until convergence                  | live(): while (!s_.finished)
//  2      for t = 1, ..., k                       | sweep()
//  3        R_t = X - W T + W_t T_t               | never formed: core/factorization/rri.h
//  4        W_t = [R_t T_t' - gamma]_+            | half.update_weights(t)
//                 / (|T_t|^2 + delta)             |
//  5-6      num = SECSUM(W_t' R_t)                | ONE secure sum of d + 1 numbers (2 d where only observed
//           den = SECSUM(|W_t|^2)                 |   entries count: every feature has a denominator of its own)
//  7-8      T_t = [num - alpha]_+ / (den + beta), | half.set_topic(t, ...); the simplex only with topics = "simplex"
//           projected onto the simplex            |
//
//  algorithm 2 (PD-NMF-INIT), initialization = "pd-nmf-init"
//  1-2  a model of the own samples from NNDSVD    | local_model()
//  3-5  its topics, weighted                      | pseudo_samples(); weights_published = "gram": with all of W' W (topic_merge.h), not
//                                                 |   its diagonal alone, which is not published in either case
//  6-8  T0 = SECSUM(own random / M), normalized   | shared_random_topics()
//  9    PD-NMF-ITER on the weighted topics        | merged_topics()
//
// Who learns what: everybody the sums, so T after every step; the summary says what coalitions learn (secure_sum.h).
// All parties hold the same T to the bit, so all see convergence in the same iteration: |T - T'| <= tolerance |T| for `dwell`
// sweeps. Other initializations: `random` from a seed all share; `random-2x` the same with twice the iterations; `best-of-m`
// everybody publishes the topics of its own model, and the sum of errors picks one: labeled; `nndsvd` from everybody's data
// in one place: labeled, what the others are measured against; `pd-svd` the same from singular vectors that secure sums find, by
// `local_iterations` of block power iteration (shared_power.h): everybody learns them, and the singular values.
#include <cmath>
#include <optional>

#include "core/algorithms/references.h"
#include "core/algorithms/shared_power.h"
#include "core/algorithms/topic_start.h"
#include "core/factorization/nndsvd.h"
#include "core/protocols/broadcast.h"
#include "core/protocols/max_consensus.h"
#include "core/protocols/secure_sum.h"

namespace sotto {

namespace {

/// e with x < 2^e.
double exponent_of(double x) {
  int e = 0;
  std::frexp(x, &e);
  return e;
}

struct PdNmfState {
  std::uint64_t iteration = 0;
  bool finished = false;
  bool converged = false;
  std::uint64_t quiet_sweeps = 0;
  SumFigures figures;  ///< as saved
  const RriHalf* half = nullptr;
  const SecureSum* sums = nullptr;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.put<std::uint8_t>(converged);
    w.put(quiet_sweeps);
    w.put(sums->figures());
    half->save(w);
    sums->save(w);
  }
  /// Everything but the half and the sums, which the reader still holds.
  static PdNmfState load(Reader& r) {
    PdNmfState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.converged = r.get<std::uint8_t>() != 0;
    s.quiet_sweeps = r.get<std::uint64_t>();
    s.figures = r.get<SumFigures>();
    return s;
  }
};

class PdNmfParty {
 public:
  PdNmfParty(Agent& me, const OptionSet& options, const PublicFacts& facts, const Kit& kit, const Samples& Z)
      : me_(me),
        options_(options),
        rank_(options_.limits.rank),
        facts_(facts),
        kit_(kit),
        Z_(Z),
        sums_(me, options.get<SecureSumOptions>(), *kit.sums, kit.scheme) {}

  Task<void> live(const Bytes& start) {
    if (start.empty()) {
      co_await sums_.open();
      const Matrix T0 = co_await first_topics();
      half_.emplace(Z_, options_.rri, T0);
      me_.compute(Operation::flop,
                  weight_fit_flops(Z_, rank_, initial_weight_sweeps, options_.rri.observed_only()));
    } else {
      resume(start);
    }
    s_.half = &*half_;
    s_.sums = &sums_;
    while (!s_.finished) {
      const Matrix before = half_->T();
      co_await sweep(*half_, rri_sweep_flops(Z_, rank_, options_.rri.observed_only()));
      ++s_.iteration;
      watch_convergence(before, half_->T());
      co_await me_.boundary(s_);
    }
  }

 private:
  void resume(const Bytes& start) {
    Reader r(start);
    s_ = PdNmfState::load(r);
    half_ = RriHalf::loaded(Z_, options_.rri, r);
    sums_.load(r);
    r.finish();
  }

  /// Algorithm 1, lines 2 to 8, of samples or of topics that stand for them.
  template <class Half>
  Task<void> sweep(Half& half, std::uint64_t sweep_flops) {
    const std::uint64_t flops = sweep_flops / static_cast<std::uint64_t>(half.rank());
    half.begin_sweep();
    for (Index t = 0; t < half.rank(); ++t) {
      half.update_weights(t);
      const TopicSums own = half.sums(t);
      me_.compute(Operation::flop, flops);
      Vector both(own.numerator.size() + own.denominator.size());
      both << own.numerator, own.denominator;
      const Vector all = co_await sums_.sum(std::move(both));
      const double curvature = all.tail(own.denominator.size()).maxCoeff();
      if (own.denominator.maxCoeff() > 0 && curvature < sums_.coarse_below()) sums_.note_coarse();
      half.set_topic(t, {all.head(own.numerator.size()), all.tail(own.denominator.size())});
    }
  }

  void watch_convergence(const Matrix& before, const Matrix& now) {
    const bool quiet = (now - before).norm() <= options_.limits.tolerance * now.norm();
    s_.quiet_sweeps = quiet ? s_.quiet_sweeps + 1 : 0;
    s_.converged = options_.limits.converged(s_.quiet_sweeps);
    s_.finished = s_.converged || s_.iteration >= options_.most_sweeps();
  }

  Task<Matrix> first_topics() {
    switch (options_.start.initialization) {
      case Initialization::pd_nmf_init:
        co_return co_await merged_topics();
      case Initialization::best_of_m:
        co_return co_await best_topics();
      case Initialization::pd_svd:
        co_return co_await singular_topics();
      case Initialization::nndsvd:
        me_.compute(Operation::flop, kit_.central_start.flops);  // everybody waits for it
        co_return kit_.central_start.T;
      default:
        co_return random_topics(options_, me_.shared_random("initialization"), Z_.rows());
    }
  }

  /// Algorithm 2, lines 6 to 8: nobody alone decides what it is.
  Task<Matrix> shared_random_topics() {
    RandomStream random = me_.random("initialization");
    Vector own(Z_.rows() * rank_);
    for (double& x : own) x = random.uniform() / static_cast<double>(facts_.agents);
    const Vector all = co_await sums_.sum(std::move(own));
    Matrix T = all.reshaped(Z_.rows(), rank_);
    normalize_topics(T);
    co_return T;
  }

  /// Algorithm 2.
  Task<Matrix> merged_topics() {
    const LocalModel own = local_model(options_, Z_);
    me_.compute(Operation::flop, own.flops);
    const Matrix T0 = co_await shared_random_topics();
    if (options_.own.gram()) {
      TopicMerge merge({own.model()}, options_.merging(), T0);
      me_.compute(Operation::flop, merge.first_flops());
      co_return co_await merged(merge, merge.sweep_flops());
    }
    const Samples pseudo = pseudo_samples(own);
    RriHalf half(pseudo, options_.merging(), T0);
    me_.compute(Operation::flop, weight_fit_flops(pseudo, rank_, initial_weight_sweeps));
    co_return co_await merged(half, rri_sweep_flops(pseudo, rank_));
  }

  template <class Half>
  Task<Matrix> merged(Half& half, std::uint64_t sweep_flops) {
    for (std::int64_t n = 0; n < options_.own.local_iterations; ++n) co_await sweep(half, sweep_flops);
    co_return half.T();
  }

  /// Everybody's own topics in turn, in the clear, and those with the least error on all data.
  Task<Matrix> best_topics() {
    const LocalModel mine = local_model(options_, Z_);
    me_.compute(Operation::flop, mine.flops);
    Writer w;
    w.matrix(mine.T);
    const Bytes own = w.take();
    // errors in a unit that is above each of them: the largest party's |X|^2, up to a power of two, becomes public
    const double unit = co_await max_consensus(me_, exponent_of(Z_.squared_norm()), facts_.reach);
    double least = 0;
    Matrix best;
    for (AgentId candidate = 0; candidate < facts_.agents; ++candidate) {
      Bytes message;
      if (me_.id() == candidate) message = own;
      const Bytes model = co_await broadcast_from(me_, facts_.agents, candidate, std::move(message));
      const Matrix T = Reader(model).matrix();
      me_.compute(Operation::flop,
                  weight_fit_flops(Z_, T.cols(), candidate_sweeps, options_.rri.observed_only()));
      const RriHalf fitted(Z_, options_.rri, T, fit_weights(Z_, T, options_.rri, candidate_sweeps));
      Vector error(1);
      error[0] = std::ldexp(fitted.own_objective(), -static_cast<int>(unit));
      error = co_await sums_.sum(error);
      if (candidate > 0 && error[0] >= least) continue;
      least = error[0];
      best = T;
    }
    co_return filled_up(options_, me_.shared_random("initialization"),
                        best);  // it may be of a party with fewer samples than topics
  }

  /// NNDSVD's choice of halves, u_+ v_+' or u_- v_-', from singular vectors V that secure sums find; of u = X v all parties' sums of
  /// squares are enough.
  Task<Matrix> singular_topics() {
    const TruncatedSvd own = truncated_svd(Z_, 1);
    me_.compute(Operation::flop, own.flops);
    Vector bound = Vector::Constant(1, own.sigma[0] * own.sigma[0]);
    bound = co_await sums_.sum(std::move(bound));
    const Vector not_centered;
    Matrix V = co_await shared_normal_basis(me_, sums_, facts_.agents, Z_.rows(), rank_);
    for (std::int64_t n = 0; n < options_.own.local_iterations; ++n)
      V = co_await revealing_power_step(me_, sums_, Z_, not_centered, V, bound[0]);
    me_.compute(Operation::flop, covariance_flops(Z_, rank_) / 2);  // of X V
    const Vector halves = co_await sums_.sum(half_sizes(Z_, V, std::sqrt(bound[0])));
    co_return halves_of(V, halves);
  }

  Agent& me_;
  TopicOptions options_;
  Index rank_;
  const PublicFacts& facts_;
  const Kit& kit_;
  const Samples& Z_;
  SecureSum sums_;
  std::optional<RriHalf> half_;
  PdNmfState s_;
};

class PdNmf final : public Algorithm {
 public:
  PdNmf(const OptionSet& options, const PublicFacts& facts, const Kit& kit)
      : options_(options), facts_(facts), kit_(kit) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    PdNmfParty party(me, options_, facts_, kit_, input.samples);
    co_await party.live(start);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    PdNmfState s = PdNmfState::load(r);
    FactorView view;
    view.iteration = s.iteration;
    view.round = s.figures.calls;
    view.finished = s.finished;
    view.converged = s.converged;
    view.X = r.matrix();
    view.Y = r.matrix().transpose();
    s.figures.count("sums", view.counters);
    return view;
  }

  std::vector<std::string> labels() const override {
    auto labels = SecureSum::labels(options_.get<SecureSumOptions>(), *kit_.sums, kit_.scheme.get());
    const Initialization start = options_.get<StartOptions>().initialization;
    if (start == Initialization::nndsvd)
      labels.emplace_back(
          "initialization = nndsvd: computed from everybody's data in one place: not private");
    if (start == Initialization::best_of_m)
      labels.emplace_back(
          "initialization = best-of-m: everybody publishes the topics of its own model, and the size of the "
          "largest party's data");
    if (kit_.seeded) labels.emplace_back(seeded_label);
    return labels;
  }

 private:
  OptionSet options_;
  PublicFacts facts_;
  Kit kit_;
};

Schema pd_nmf_settings() {
  Schema rows = iteration_settings();
  append(rows, start_settings());
  append(rows, stopping_settings());
  append(rows, rri_settings());
  append(rows, local_model_settings());
  restrict_use(rows, "algorithm.local_iterations", fits_own_models, chosen_start);
  restrict_use(rows, "algorithm.weights_published", merges_own_models, chosen_start);
  return rows;
}

Workload pd_nmf_workload(const OptionSet& options, const Sizes& n) {
  Workload work = topic_workload(options, n);
  work.sum_calls = n.rank;
  work.sum_numbers = n.rank * n.agents * (n.features + 1);
  return work;
}

}  // namespace

extern const AlgorithmKind pd_nmf_kind;
const AlgorithmKind pd_nmf_kind{
    .name = "pd-nmf",
    .help = "the centralized RRI-NMF of everybody's samples, of which only secure sums are revealed",
    .has_stopping_rule = true,
    .reference = &rri_reference,
    .settings = pd_nmf_settings,
    .needs = [](const OptionSet&) { return Needs{.sums = true}; },
    .gives = topic_gives,
    .check = [](const MethodCheck& c) { check_topics(c, true); },
    .workload = pd_nmf_workload,
    .start = [](const OptionSet& options) { return options.get<StartOptions>().in_words(); },
    .central_start = [](const OptionSet& options, const CentralData& data) -> CentralStart {
      if (options.get<StartOptions>().initialization != Initialization::nndsvd) return {};
      return topics_in_one_place(options, data);
    },
    .make = [](const OptionSet& options, const PublicFacts& facts, const Kit& kit)
        -> std::unique_ptr<Algorithm> { return std::make_unique<PdNmf>(options, facts, kit); },
};

}  // namespace sotto
