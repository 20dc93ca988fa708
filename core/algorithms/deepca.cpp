// SPDX-License-Identifier: MIT
// DeEPCA: the leading left singular vectors of everybody's samples by block power iteration over gossip, with subspace tracking
// (H. Ye and T. Zhang, "DeEPCA: Decentralized exact PCA with linear convergence rate", JMLR 22, 2021).
//
//  paper, algorithm 1 (as agent j)                  | here
// --------------------------------------------------+----------------------------------------------------------
//  1    the same W0 for everybody; S = W, A W = W    | begin(): V0 from a stream that all share, S = 0 and A V' = 0:
//                                                    |   mean S = mean A_j V' holds from the start (the paper starts with
//                                                    |   S = W0 and A W' = W0: the same invariant)
//  3      S = S + A_j W - A_j W'                     | track(): A_j = Z_j Z_j', never formed: Z (Z' V)
//  4      S = FastMix(S, K)                          | core/protocols/gossip.h: Chebyshev's polynomial, which contracts more
//  5      W = QR(S)                                  | core/factorization/orthonormal.h
//  6      W = SignAdjust(W, W0)                      | not needed: Gram-Schmidt's R has a positive diagonal, so W is a
//                                                    |   continuous function of S, signs included. (With the rounds below
//                                                    |   the iterations are the same with it and without.)
//
// The invariant mean_j S_j = mean_j A_j V_j' holds however few rounds there are, and a fixed point has all S_j alike: what is
// found is exact, with a number of rounds K that does not depend on the precision. The angle falls by
// (sigma_{k+1} / sigma_k)^2 in an iteration, as in one place, once K is large enough. The paper's theorem takes a contraction
// that depends on singular values which nobody knows beforehand. What matters is how much an agent's A_j may differ from
// the mean M = sum_j A_j / n where V can still move. A_j <= n M as quadratic forms, so (heuristically) a disagreement d in S
// becomes (1 + 2 n) d at most, before the agents mix it away:
//
//     gossip_rounds = 0:   K = the fewest rounds with contraction 1 / (1 + 2 n)
//
// Measured on all generators with 10 to 50 agents, sigma_k / sigma_{k+1} = 1.1: it always converges, even if every singular
// vector is one agent's alone, in 0.4 to 1.25 times the iterations of one place (samples alike: 0.98 to 1.01). With twice as
// much (1 / n) it does too, with 4 times some stars and trees do not, with 0.3 most graphs do not. sigma_1 / sigma_k = 100
// makes no difference. The floor is rounding: angles of 1e-15 to 1e-13, 2.5e-14 after 3000 iterations on a path of 10.
//
// Stopping: an agent whose own basis changes by at most `tolerance` in `dwell` iterations in a row raises the flag of
// stop_flag.h, which travels with the gossip: all stop in the first iteration that ends after it has reached everybody.
// Who learns what: neighbors see each other's S in the clear in every round. In the first round that is Z_j Z_j' V0 with a V0
// that all know, later how the samples act on the common V: no cryptography, no noise. An agent with one neighbor sends it all
// of its S. Everybody ends with V. Samples and scores are not sent, but those products may reveal them.
// Threading: belongs to its agent.
#include "core/algorithms/iteration_options.h"
#include "core/algorithms/references.h"
#include "core/algorithms/shared_power.h"
#include "core/protocols/gossip.h"

namespace sotto {

namespace {

/// Part of [algorithm].
struct DeepcaOptions {
  std::int64_t gossip_rounds = 0;
};

struct DeepcaState {
  std::uint64_t iteration = 0;
  bool finished = false;
  bool converged = false;
  std::uint64_t quiet = 0;  ///< iterations in a row below the tolerance
  StopFlag stop;            ///< in rounds of gossip
  Matrix V, S;              ///< features x rank
  Matrix product;           ///< A V of the iteration before
  GossipFigures figures;    ///< as saved
  const Samples* Z = nullptr;
  const Gossip* gossip = nullptr;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.put<std::uint8_t>(converged);
    w.put(quiet);
    w.put(stop.word());
    w.matrix(V);
    w.matrix(S);
    w.matrix(product);
    w.matrix(Z->transposed_times(V).transpose());
    w.put(gossip->figures());
    gossip->save(w);
  }
  /// Everything but the gossip, which the reader still holds. `scores`: rank x own samples.
  static DeepcaState load(Reader& r, Matrix& scores) {
    DeepcaState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.converged = r.get<std::uint8_t>() != 0;
    s.quiet = r.get<std::uint64_t>();
    s.stop.hear(r.get<std::uint64_t>());
    s.V = r.matrix();
    s.S = r.matrix();
    s.product = r.matrix();
    scores = r.matrix();
    s.figures = r.get<GossipFigures>();
    return s;
  }
};

class DeepcaParty {
 public:
  DeepcaParty(Agent& me, const IterationOptions& limits, const PublicFacts& facts, std::uint64_t rounds,
              const Samples& Z)
      : me_(me), limits_(limits), facts_(facts), rounds_(rounds), Z_(Z), gossip_(me, facts.mixing) {}

  Task<void> live(const Bytes& start) {
    if (start.empty()) {
      co_await gossip_.open();
      begin();
    } else {
      resume(start);
    }
    s_.Z = &Z_;
    s_.gossip = &gossip_;
    while (!s_.finished) {
      track();
      s_.S = co_await gossip_.average(std::move(s_.S), rounds_, s_.stop);
      const Matrix before = std::move(s_.V);
      s_.V = s_.S;
      me_.compute(Operation::flop, orthonormalize_flops(s_.V));
      orthonormalize(s_.V);
      ++s_.iteration;
      watch_convergence(before);
      co_await me_.boundary(s_);
    }
  }

 private:
  void begin() {
    RandomStream random = me_.shared_random("initialization");
    s_.V.resize(Z_.rows(), limits_.rank);
    for (double& x : s_.V.reshaped()) x = random.normal();
    orthonormalize(s_.V);
    s_.S = s_.product = Matrix::Zero(Z_.rows(), limits_.rank);
  }

  void resume(const Bytes& start) {
    Reader r(start);
    Matrix scores;
    s_ = DeepcaState::load(r, scores);
    gossip_.load(r);
    r.finish();
  }

  /// Line 3.
  void track() {
    me_.compute(Operation::flop, covariance_flops(Z_, s_.V.cols()));
    Matrix product = covariance_product(Z_, {}, s_.V);
    s_.S += product - s_.product;
    s_.product = std::move(product);
  }

  void watch_convergence(const Matrix& before) {
    s_.quiet = basis_change(before, s_.V) <= limits_.tolerance ? s_.quiet + 1 : 0;
    const std::uint64_t round = gossip_.figures().rounds;
    if (limits_.converged(s_.quiet) && !s_.stop.raised()) s_.stop.raise(round, facts_.reach);
    s_.converged = s_.stop.reached(round);
    s_.finished = s_.converged || s_.iteration >= limits_.most_iterations();
  }

  Agent& me_;
  const IterationOptions& limits_;
  const PublicFacts& facts_;
  std::uint64_t rounds_;  // of gossip, per iteration
  const Samples& Z_;
  Gossip gossip_;
  DeepcaState s_;
};

class Deepca final : public Algorithm {
 public:
  Deepca(const OptionSet& options, const PublicFacts& facts)
      : limits_(options.get<IterationOptions>()),
        facts_(facts),
        rounds_(rounds_per_iteration(options.get<DeepcaOptions>(), facts)) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    DeepcaParty party(me, limits_, facts_, rounds_, input.samples);
    co_await party.live(start);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    FactorView view;
    DeepcaState s = DeepcaState::load(r, view.Y);
    view.iteration = s.iteration;
    view.round = s.figures.rounds;
    view.finished = s.finished;
    view.converged = s.converged;
    view.X = std::move(s.V);
    s.figures.count(view.counters);
    return view;
  }

  std::vector<std::string> labels() const override {
    return {"deepca: neighbors see each other's iterates in the clear",
            "deepca: the first of them is Z Z' V0 of an agent's own samples, with a V0 that everybody knows"};
  }

 private:
  static std::uint64_t rounds_per_iteration(const DeepcaOptions& options, const PublicFacts& facts) {
    if (options.gossip_rounds > 0) return static_cast<std::uint64_t>(options.gossip_rounds);
    return Gossip::rounds_for(1 / (1 + 2 * static_cast<double>(facts.agents)), facts.mixing);
  }

  IterationOptions limits_;
  PublicFacts facts_;
  std::uint64_t rounds_;
};

Schema deepca_settings() {
  Schema rows = iteration_settings();
  append(rows, stopping_settings());
  SchemaOf<DeepcaOptions> s("algorithm");
  s.whole("gossip_rounds", &DeepcaOptions::gossip_rounds, {0, 1'000'000},
          "deepca: rounds of gossip per iteration; 0: as many as the graph and the number of agents need");
  append(rows, s.take());
  return rows;
}

Workload deepca_workload(const OptionSet& options, const Sizes& n) {
  constexpr double usual_rounds = 10;
  const std::int64_t rounds = options.get<DeepcaOptions>().gossip_rounds;
  Workload work;
  work.iterations = static_cast<double>(options.get<IterationOptions>().outer_iterations);
  work.multiply_adds = basis_multiply_adds(n);
  work.gossip_rounds = rounds > 0 ? static_cast<double>(rounds) : usual_rounds;
  return work;
}

}  // namespace

extern const AlgorithmKind deepca_kind;
const AlgorithmKind deepca_kind{
    .name = "deepca",
    .help =
        "leading singular vectors by power iteration over gossip between neighbors, in the clear (Ye and "
        "Zhang)",
    .has_stopping_rule = true,
    .reference = &svd_reference,
    .settings = deepca_settings,
    .needs = [](const OptionSet&) { return Needs{.mixing = true, .signed_data = true}; },
    .gives = basis_gives,
    .workload = deepca_workload,
    .make = [](const OptionSet& options, const PublicFacts& facts, const Kit&) -> std::unique_ptr<Algorithm> {
      return std::make_unique<Deepca>(options, facts);
    },
};

}  // namespace sotto
