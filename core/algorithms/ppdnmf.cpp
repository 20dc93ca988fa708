// SPDX-License-Identifier: MIT
// PPDNMF: privacy-preserving distributed NMF (Lari, Arablouei, Werner), an agent's view.
//
//  paper, algorithm 1 (as agent i)             | here
// ---------------------------------------------+---------------------------------------------------------------
//  1-2  X = U = 1, P = Q = 0, Y = V = R = 0    | begin(): Lambda = 0; X0 shared random by default, because
//                                              |   X = U = 1 is a saddle: all K columns stay equal
//  3    for n = 1, 2, ... until convergence    | live(): while (!s_.finished)
//  4      for m = 1, 2, ... until convergence  | left_step(): inner_iterations rounds
//  5        X = max(0, U + P)            (8)   | corrected: after U; the printed order fails with few rounds
//  6        U = [ZY' + mu (X - P)              | corrected: Q holds rho already, so the last term is
//               + rho (U + 2Q - Q')]     (9)   |   c U + 2 Lambda - Lambda' = c U + Lambda + D / 2, with
//             x [YY' + (mu + rho) I]^-1        |   c = d g G >= rho: i must not know rho = sum_j g_ij g_ji
//  7        P = P - (X - U)             (10)   | the same
//  8-14     encrypt, send, answer, decrypt     | NeighborExchange::round
//  15       Q = Q + sum_j g_ij g_ji (U_j-U_i)  | corrected: Lambda += D / 2, from S_ij = (U_i + U_j) / 2
//                                       (11)   |
//  16-17  keep X, U, P, Q, Q'                  | PpdnmfState
//  18-22  Y by ADMM                  (12)-(14) | update_right(): ADMM as printed, or HALS
//
// variant = "published" runs (8)-(11) and their order as printed; it needs rho, so factors go in clear and the result is
// labeled. left_factor = "nonnegative" (corrected only) has no split: U = X >= 0 by HALS on the same quadratic.
// acceleration = "inertial" (corrected, split, one inner iteration) changes what an agent does between two exchanges, never
// what is exchanged: see Pace. On experiment 1 it takes half the rounds, on faces the consensus is an order better.
// In the first outer iteration Y = 0 and U = X solves the X step: it is skipped and costs no round. (With own-random starts
// a round would already pull the agents together; it is skipped all the same.)
// Stopping: an agent whose U changes by less than the tolerance over a whole X step, and disagrees with its neighbors by
// less than it, |D| / (2 c |U|), for `dwell` X steps in a row, raises the flag of stop_flag.h. One such agent stops all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/kinds.h"
#include "core/algorithms/references.h"
#include "core/algorithms/start_options.h"
#include "core/factorization/bcd.h"
#include "core/factorization/hals.h"
#include "core/protocols/max_consensus.h"
#include "core/protocols/neighbor_exchange.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

constexpr std::string_view name = "ppdnmf";

enum class Acceleration : std::uint8_t { inertial, none };

/// Part of [algorithm].
struct PpdnmfOptions {
  double penalty_factor = 0.1;
  Acceleration acceleration = Acceleration::inertial;
};

/// What a round does besides the exchange, which is the same for all. The pull toward the neighbors is
///     c (U + inertia (U - U')) + Lambda + primal s D,   Lambda += dual s D
/// with s = 1 + early * fading^round. Plain ADMM is the default: 2 Lambda - Lambda' = Lambda + D / 2.
struct Pace {
  int alternations = 1;  ///< U and Y by turns, each agent on its own, within a round
  double inertia = 0;
  double primal = 0.5;
  double dual = 0.5;
  double early = 0;
  double fading = 0;

  /// Slow modes of consensus are stable for primal (1 - inertia) > dual inertia, fast ones for 2 primal + dual < 2 + 2
  /// inertia. The early strength keeps agents from giving the same column to different parts of the data. The private
  /// exchanges have edges that stay weak, and need more of it.
  static Pace inertial(ExchangePrivacy privacy) {
    return {3, 0.6, 1.0, 0.5, privacy == ExchangePrivacy::published ? 8.0 : 30.0, 0.9};
  }

  double strength(std::uint64_t round) const {
    double power = 1;  // of `fading`: the same bits everywhere, unlike pow
    double square = fading;
    for (std::uint64_t n = round; n > 0; n >>= 1, square *= square)
      if ((n & 1) != 0) power *= square;
    return 1 + early * power;
  }
};

/// Inertia needs the split form, and rounds that belong to one X step each.
bool can_accelerate(const DescentOptions& d) {
  return d.variant == Variant::corrected && d.left_factor == LeftFactor::split && d.inner_iterations == 1;
}
/// Why not, where it cannot.
std::string why_not_accelerated(const OptionSet& options) {
  const auto& d = options.get<DescentOptions>();
  if (d.variant != Variant::corrected) return setting_is(d.variant);
  if (d.left_factor != LeftFactor::split) return setting_is(d.left_factor);
  return fmt::format("algorithm.inner_iterations is {}", d.inner_iterations);
}
bool accelerates(const OptionSet& options) {
  return options.get<PpdnmfOptions>().acceleration == Acceleration::inertial &&
         can_accelerate(options.get<DescentOptions>());
}

/// algorithm.penalty, where it does not come from the data.
std::optional<double> given_penalty(const OptionSet& options) {
  const auto& descent = options.get<DescentOptions>();
  if (descent.scale_free) return {};
  return descent.penalty;
}

struct PpdnmfState {
  std::uint64_t iteration = 0;
  std::uint64_t round = 0;
  bool finished = false;
  bool opened = false;  ///< penalties are fixed and keys exchanged
  Factors f;
  Matrix Lambda, D;  ///< D of the round before
  Matrix U_prev;
  double mu = 0;
  double own_bound = 0;     ///< g_i
  double public_bound = 0;  ///< G
  StopFlag stop;
  std::uint64_t quiet_steps = 0;               ///< X steps in a row below the tolerance
  ExchangeFigures figures;                     ///< as saved
  const NeighborExchange* exchange = nullptr;  ///< saved with the state once opened

  void save(Writer& w) const {
    w.put(iteration);
    w.put(round);
    w.put<std::uint8_t>(finished);
    w.put<std::uint8_t>(opened);
    w.put(stop.word());
    w.put(quiet_steps);
    f.save(w);
    w.matrix(Lambda);
    w.matrix(D);
    w.matrix(U_prev);
    w.put(mu);
    w.put(own_bound);
    w.put(public_bound);
    w.put(opened ? exchange->figures() : ExchangeFigures{});
    if (opened) exchange->save(w);
  }
  /// Everything but the exchange, which the reader still holds.
  static PpdnmfState load(Reader& r) {
    PpdnmfState s;
    s.iteration = r.get<std::uint64_t>();
    s.round = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.opened = r.get<std::uint8_t>() != 0;
    s.stop.hear(r.get<std::uint64_t>());
    s.quiet_steps = r.get<std::uint64_t>();
    s.f = Factors::load(r);
    s.Lambda = r.matrix();
    s.D = r.matrix();
    s.U_prev = r.matrix();
    s.mu = r.get<double>();
    s.own_bound = r.get<double>();
    s.public_bound = r.get<double>();
    s.figures = r.get<ExchangeFigures>();
    return s;
  }
};

class PpdnmfParty {
 public:
  PpdnmfParty(Agent& me, const OptionSet& options, const PublicFacts& facts, const Kit& kit, const Samples& Z)
      : me_(me),
        options_(options),
        limits_(options.get<IterationOptions>()),
        descent_(options.get<DescentOptions>()),
        exchange_options_(options.get<ExchangeOptions>()),
        facts_(facts),
        kit_(kit),
        Z_(Z),
        accelerated_(accelerates(options)),
        published_(descent_.variant == Variant::published),
        privacy_(exchange_options_.privacy),
        pace_(accelerated_ ? Pace::inertial(privacy_) : Pace{}) {}

  Task<void> live(const Bytes& start) {
    if (start.empty())
      begin();
    else
      resume(start);
    while (!s_.finished) {
      if (s_.iteration == 1) co_await open();
      if (s_.iteration >= 1) co_await left_step();
      right_step();
      ++s_.iteration;
      s_.finished = s_.stop.reached(s_.round) || s_.iteration >= limits_.most_iterations();
      co_await me_.boundary(s_);
    }
  }

 private:
  void begin() {
    s_.f = Factors::from(descent_, options_.get<StartOptions>().left_factor(me_, Z_.rows(), limits_.rank),
                         Z_.cols());
    s_.Lambda = s_.D = Matrix::Zero(s_.f.U.rows(), s_.f.U.cols());
    s_.U_prev = s_.f.U;
  }

  void resume(const Bytes& start) {
    Reader r(start);
    s_ = PpdnmfState::load(r);
    if (s_.opened) {
      make_exchange();
      exchange_->load(r);
    }
    r.finish();
  }

  void make_exchange() {
    exchange_.emplace(me_, kit_.scheme, exchange_options_,
                      NeighborExchange::Bounds{s_.own_bound, s_.public_bound},
                      static_cast<std::size_t>(s_.f.U.size()), published_);
    s_.exchange = &*exchange_;
  }

  /// Penalties after the first Y step, then keys. Scale-free: kappa_i = tr(Y Y') / K and mu_i = 0.1 kappa_i; accelerated,
  /// one g for all from the largest kappa, otherwise g_i = sqrt(f kappa_i / d_i). G by max-consensus: it is public.
  Task<void> open() {
    s_.mu = descent_.mu;
    s_.own_bound = s_.public_bound = factor_bound(privacy_, descent_.penalty);
    if (descent_.scale_free) {
      const double kappa = right_factor_scale(s_.f);
      s_.mu = scale_free_mu * kappa;
      const double share = accelerated_ ? 1.0 : std::max(1.0, degree());
      s_.own_bound =
          factor_bound(privacy_, std::sqrt(options_.get<PpdnmfOptions>().penalty_factor * kappa / share));
      s_.public_bound = co_await max_consensus(me_, s_.own_bound, facts_.reach);
      if (accelerated_) s_.own_bound = s_.public_bound;
      if (!(s_.mu > 0))
        throw RunError(
            "penalty = \"scale-free\" finds no scale: the right factor is zero after its first step");
    }
    make_exchange();
    co_await exchange_->open();
    s_.opened = true;
  }

  /// Lines 4 to 17.
  Task<void> left_step() {
    me_.compute(Operation::flop, left_problem_flops(Z_, s_.f));
    LeftProblem problem(Z_, s_.f.Y);
    const Matrix U_before = s_.f.U;
    for (std::int64_t m = 0; m < descent_.inner_iterations && !s_.stop.reached(s_.round); ++m) {
      // c_i = d_i g_i G, which bounds rho_i
      const double c = published_ ? exchange_->rho() : exchange_->proximal_weight();
      const double strength = pace_.strength(s_.round + 1);
      if (published_)
        update_published(problem, c);
      else
        update_corrected(problem, strength * c, strength);
      s_.D = co_await exchange_->round(s_.f.U, s_.stop);
      ++s_.round;
      s_.Lambda += (published_ ? 1.0 : pace_.dual * strength) * s_.D;  // (11), with the 1/2 that it lacks
      if (m + 1 == descent_.inner_iterations) watch_convergence(U_before, c);
    }
  }

  /// (8)-(10) in the order that survives few inner iterations: U, then X, then P; with Y in between where a round has
  /// several of them.
  void update_corrected(LeftProblem& problem, double c, double strength) {
    Factors& f = s_.f;
    const Matrix pull =
        c * (f.U + pace_.inertia * (f.U - s_.U_prev)) + s_.Lambda + (pace_.primal * strength) * s_.D;
    s_.U_prev = f.U;
    for (int k = 0; k < pace_.alternations; ++k) {
      if (k > 0) {
        right_step();
        me_.compute(Operation::flop, left_problem_flops(Z_, f));
        problem.renew(Z_, f.Y);
      }
      me_.compute(Operation::flop, left_update_flops(f));
      if (descent_.left_factor == LeftFactor::nonnegative)
        update_nonnegative(problem, c, pull);
      else
        update_split(problem, c, pull);
    }
  }

  /// U = [ZY' + mu (X - P) + pull] [YY' + (mu + c) I]^-1
  void update_split(LeftProblem& problem, double c, const Matrix& pull) {
    Factors& f = s_.f;
    problem.set_shift(s_.mu + c);
    f.U = problem.solve(problem.ZYt + s_.mu * (f.X - f.P) + pull);
    f.X = (f.U + f.P).cwiseMax(0.0);
    f.P -= f.X - f.U;
  }

  /// U = X = argmin_{U >= 0} 1/2 <U (YY' + c I), U> - <ZY' + pull, U>
  void update_nonnegative(LeftProblem& problem, double c, const Matrix& pull) {
    Factors& f = s_.f;
    problem.set_shift(c);
    hals_columns(problem.hessian(), problem.ZYt + pull, f.U, nonnegative_sweeps);
    f.X = f.U;
  }

  /// Lines 5 to 7 as printed.
  void update_published(LeftProblem& problem, double rho) {
    Factors& f = s_.f;
    me_.compute(Operation::flop, left_update_flops(f));
    f.X = (f.U + f.P).cwiseMax(0.0);
    problem.set_shift(s_.mu + rho);
    f.U =
        problem.solve(problem.ZYt + s_.mu * (f.X - f.P) + rho * (f.U + s_.Lambda + s_.D));  // 2Q - Q' = Q + D
    f.P -= f.X - f.U;
  }

  void right_step() {
    const bool first = s_.iteration == 0;
    me_.compute(Operation::flop, right_update_flops(descent_, Z_, s_.f, first));
    update_right(descent_, Z_, s_.f, first);
  }

  /// Once per X step, over the whole of it: within a step Y stands still, and quiet rounds only show that ADMM settled.
  void watch_convergence(const Matrix& U_before, double c) {
    if (!limits_.stops) return;
    const double size = s_.f.U.norm();
    const bool quiet = (s_.f.U - U_before).norm() < limits_.tolerance * size &&
                       s_.D.norm() <= limits_.tolerance * 2 * c * size;
    s_.quiet_steps = quiet ? s_.quiet_steps + 1 : 0;
    if (limits_.converged(s_.quiet_steps) && !s_.stop.raised()) s_.stop.raise(s_.round, facts_.reach);
  }

  double degree() const { return static_cast<double>(me_.neighbors().size()); }

  Agent& me_;
  const OptionSet& options_;
  const IterationOptions& limits_;
  const DescentOptions& descent_;
  const ExchangeOptions& exchange_options_;
  const PublicFacts& facts_;
  const Kit& kit_;
  const Samples& Z_;
  bool accelerated_;
  bool published_;
  ExchangePrivacy privacy_;
  Pace pace_;
  PpdnmfState s_;
  std::optional<NeighborExchange> exchange_;
};

class Ppdnmf final : public Algorithm {
 public:
  Ppdnmf(const OptionSet& options, const PublicFacts& facts, const Kit& kit)
      : options_(options), facts_(facts), kit_(kit) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    PpdnmfParty party(me, options_, facts_, kit_, input.samples);
    co_await party.live(start);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    PpdnmfState s = PpdnmfState::load(r);
    FactorView view{s.iteration,      s.round,         s.finished, s.finished && s.stop.reached(s.round),
                    std::move(s.f.X), std::move(s.f.Y)};
    s.figures.count(view.counters);
    return view;
  }

  std::vector<std::string> labels() const override {
    const auto& exchange = options_.get<ExchangeOptions>();
    auto labels = NeighborExchange::labels(*kit_.scheme, exchange,
                                           options_.get<DescentOptions>().variant == Variant::published);
    if (options_.get<StartOptions>().initialization == Initialization::ones)
      labels.emplace_back("initialization = ones: a saddle, all columns of X stay equal");
    if (kit_.seeded && !find_scheme(exchange.scheme).readable) labels.emplace_back(seeded_label);
    return labels;
  }

 private:
  OptionSet options_;
  PublicFacts facts_;
  Kit kit_;
};

}  // namespace

template <>
struct Words<Acceleration> {
  static constexpr std::string_view setting = "algorithm.acceleration";
  static constexpr Word<Acceleration> all[] = {{Acceleration::inertial, "inertial"},
                                               {Acceleration::none, "none"}};
};

namespace {

Schema ppdnmf_settings() {
  Schema rows = iteration_settings();
  append(rows, descent_settings());
  restrict_use(
      rows, "algorithm.left_factor",
      [](const OptionSet& options) { return options.get<DescentOptions>().variant == Variant::corrected; },
      [](const OptionSet& options) { return setting_is(options.get<DescentOptions>().variant); });
  SchemaOf<PpdnmfOptions> s("algorithm");
  s.real("penalty_factor", &PpdnmfOptions::penalty_factor, {0, 1e6, true},
         "scale-free: f in g_i = sqrt(f tr(Y_i Y_i') / (K d_i))");
  s.word(&PpdnmfOptions::acceleration,
         "inertial: three local turns of U and Y a round, inertia, a strong start, one g for all; none: "
         "plain ADMM steps");
  append(rows, s.take());
  restrict_use(
      rows, "algorithm.penalty_factor",
      [](const OptionSet& options) { return options.get<DescentOptions>().scale_free; },
      [](const OptionSet&) { return "algorithm.penalty is not scale-free"; });
  restrict_use(
      rows, "algorithm.acceleration",
      [](const OptionSet& options) { return can_accelerate(options.get<DescentOptions>()); },
      why_not_accelerated);
  append(rows, start_settings());
  append(rows, stopping_settings());
  return rows;
}

ExchangeCheck exchange_check(const OptionSet& options, const SettingPlaces& places) {
  return {options.get<ExchangeOptions>(), options.get<SchemeOptions>(), given_penalty(options), places};
}

void check_ppdnmf(const MethodCheck& c) {
  const auto& exchange = c.options.get<ExchangeOptions>();
  if (c.options.get<DescentOptions>().variant == Variant::published &&
      exchange.privacy != ExchangePrivacy::published)
    c.places.refuse("exchange.privacy",
                    fmt::format("is \"{}\", but algorithm.variant = \"published\" sends every factor in "
                                "clear: it goes with \"published\" alone",
                                word_of(exchange.privacy)));
  check_exchange(exchange_check(c.options, c.places), c.agents);
  check_descent_start(c, name, "");
}

Workload ppdnmf_workload(const OptionSet& options, const Sizes& n) {
  Workload work = descent_workload(options, n);
  if (accelerates(options)) work.multiply_adds *= 3;
  work.exchange_rounds = static_cast<double>(options.get<DescentOptions>().inner_iterations);
  work.penalty = given_penalty(options);
  return work;
}

}  // namespace

extern const AlgorithmKind ppdnmf_kind;
const AlgorithmKind ppdnmf_kind{
    .name = name,
    .help =
        "distributed NMF by ADMM and block coordinate descent with encrypted exchanges between neighbors "
        "(Lari, Arablouei, Werner)",
    .has_stopping_rule = true,
    .reference = &descent_reference,
    .settings = ppdnmf_settings,
    .needs = [](const OptionSet&) { return Needs{.exchange = true}; },
    .gives = [](const OptionSet&) { return Gives{}; },
    .check = check_ppdnmf,
    .check_graph =
        [](const GraphCheck& c) {
          check_exchange_on(exchange_check(c.options, c.places), c.topology, c.agent_names);
        },
    .method_name =
        [](const OptionSet& options) { return std::string(word_of(options.get<DescentOptions>().variant)); },
    .workload = ppdnmf_workload,
    .start = [](const OptionSet& options) { return descent_start(options, false); },
    .make = [](const OptionSet& options, const PublicFacts& facts, const Kit& kit)
        -> std::unique_ptr<Algorithm> { return std::make_unique<Ppdnmf>(options, facts, kit); },
};

}  // namespace sotto
