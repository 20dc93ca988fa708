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
//               + rho (U + 2Q - Q')]     (9)   |   c U + 2 Lambda - Lambda', with c = d g G >= rho,
//             x [YY' + (mu + rho) I]^-1        |   because i must not know rho = sum_j g_ij g_ji
//  7        P = P - (X - U)             (10)   | the same
//  8-14     encrypt, send, answer, decrypt     | NeighborExchange::round
//  15       Q = Q + sum_j g_ij g_ji (U_j-U_i)  | corrected: Lambda += D / 2, from S_ij = (U_i + U_j) / 2
//                                       (11)   |
//  16-17  keep X, U, P, Q, Q'                  | State
//  18-22  Y by ADMM                  (12)-(14) | update_right(): ADMM as printed, or HALS
//
// variant = "published" runs (8)-(11) and their order as printed; it needs rho, so factors go in clear and the result is
// labelled. left_factor = "nonnegative" (corrected only) has no split: U = X >= 0 by HALS on the same quadratic.
// In the first outer iteration Y = 0 and U = X solves the X step: it is skipped and costs no round. (With own-random starts
// a round would already pull the agents together; it is skipped all the same.)
// Stopping: an agent whose U changes by less than the tolerance over a whole X step, and disagrees with its neighbors by
// less than it, |D| / (2 c |U|), for `dwell` X steps in a row, raises the flag of stop_flag.h. One such agent stops all.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/initialization.h"
#include "core/experiment/scenario.h"
#include "core/factorization/hals.h"
#include "core/protocols/max_consensus.h"
#include "core/protocols/neighbor_exchange.h"

namespace sotto {

namespace {

struct State {
  std::uint64_t iteration = 0;
  std::uint64_t round = 0;
  bool finished = false;
  bool opened = false;  ///< penalties are fixed and keys exchanged
  Factors f;
  Matrix Lambda, Lambda_prev;
  double mu = 0;
  double own_bound = 0;     ///< g_i
  double public_bound = 0;  ///< G
  StopFlag stop;
  std::uint64_t quiet_steps = 0;               ///< X steps in a row below the tolerance
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
    w.matrix(Lambda_prev);
    w.put(mu);
    w.put(own_bound);
    w.put(public_bound);
    if (opened) exchange->save(w);
  }
  /// Everything but the exchange, which the reader still holds.
  static State load(Reader& r) {
    State s;
    s.iteration = r.get<std::uint64_t>();
    s.round = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.opened = r.get<std::uint8_t>() != 0;
    s.stop.hear(r.get<std::uint64_t>());
    s.quiet_steps = r.get<std::uint64_t>();
    s.f = Factors::load(r);
    s.Lambda = r.matrix();
    s.Lambda_prev = r.matrix();
    s.mu = r.get<double>();
    s.own_bound = r.get<double>();
    s.public_bound = r.get<double>();
    return s;
  }
};

class Party {
 public:
  Party(Agent& me, const Scenario& scenario, const PublicFacts& facts, const Matrix& Z)
      : me_(me),
        a_(scenario.algorithm),
        exchange_settings_(scenario.exchange),
        facts_(facts),
        Z_(Z),
        published_(a_.variant == "published") {}

  Task<void> live(const Bytes& start) {
    if (start.empty())
      begin();
    else
      resume(start);
    while (!s_.finished) {
      if (s_.iteration == 1) co_await open();
      if (s_.iteration >= 1) co_await left_step();
      me_.compute(Operation::flop, right_update_flops(a_, s_.f, s_.iteration == 0));
      update_right(a_, Z_, s_.f, s_.iteration == 0);
      ++s_.iteration;
      s_.finished =
          s_.stop.reached(s_.round) || s_.iteration >= static_cast<std::uint64_t>(a_.outer_iterations);
      co_await me_.boundary(s_);
    }
  }

 private:
  void begin() {
    s_.f = start_factors(a_, me_, Z_);
    s_.Lambda = s_.Lambda_prev = Matrix::Zero(s_.f.U.rows(), s_.f.U.cols());
  }

  void resume(const Bytes& start) {
    Reader r(start);
    s_ = State::load(r);
    if (s_.opened) {
      make_exchange();
      exchange_->load(r);
    }
    r.finish();
  }

  void make_exchange() {
    exchange_.emplace(me_, exchange_settings_, NeighborExchange::Bounds{s_.own_bound, s_.public_bound},
                      static_cast<std::size_t>(s_.f.U.size()), published_);
    s_.exchange = &*exchange_;
  }

  /// Penalties after the first Y step, then keys. Scale-free: kappa_i = tr(Y Y') / K, g_i = sqrt(f kappa_i /
  /// d_i), mu_i = 0.1 kappa_i; G by max-consensus, because it is public.
  Task<void> open() {
    s_.mu = a_.mu;
    s_.own_bound = s_.public_bound = a_.penalty;
    if (a_.scale_free) {
      const double kappa = right_factor_scale(s_.f);
      s_.mu = scale_free_mu * kappa;
      s_.own_bound = std::sqrt(a_.penalty_factor * kappa / std::max<double>(1, degree()));
      s_.public_bound = co_await max_consensus(me_, s_.own_bound, facts_.reach);
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
    me_.compute(Operation::flop, left_problem_flops(s_.f));
    LeftProblem problem(Z_, s_.f.Y);
    const Matrix U_before = s_.f.U;
    for (std::int64_t m = 0; m < a_.inner_iterations && !s_.stop.reached(s_.round); ++m) {
      // c_i = d_i g_i G, which bounds rho_i
      const double c = published_ ? exchange_->rho() : exchange_->proximal_weight();
      me_.compute(Operation::flop, left_update_flops(s_.f));
      if (published_)
        update_published(problem, c);
      else if (a_.left_factor == "nonnegative")
        update_nonnegative(problem, c);
      else
        update_split(problem, c);
      const Matrix D = co_await exchange_->round(s_.f.U, s_.stop);
      ++s_.round;
      s_.Lambda_prev = s_.Lambda;
      s_.Lambda += published_ ? D : Matrix(D / 2);  // (11) as printed; corrected: S_ij = (U_i + U_j) / 2
      if (m + 1 == a_.inner_iterations) watch_convergence(U_before, D, c);
    }
  }

  /// (8)-(10) in the order that survives few inner iterations: U, then X, then P.
  void update_split(LeftProblem& problem, double c) {
    Factors& f = s_.f;
    // U = [ZY' + mu (X - P) + c U + 2 Lambda - Lambda'] [YY' + (mu + c) I]^-1
    problem.set_shift(s_.mu + c);
    f.U = problem.solve(problem.ZYt + s_.mu * (f.X - f.P) + c * f.U + 2 * s_.Lambda - s_.Lambda_prev);
    f.X = (f.U + f.P).cwiseMax(0.0);
    f.P -= f.X - f.U;
  }

  /// U = X = argmin_{U >= 0} 1/2 <U (YY' + c I), U> - <ZY' + c U + 2 Lambda - Lambda', U>
  void update_nonnegative(LeftProblem& problem, double c) {
    Factors& f = s_.f;
    problem.set_shift(c);
    const Matrix rhs = problem.ZYt + c * f.U + 2 * s_.Lambda - s_.Lambda_prev;
    hals_columns(problem.hessian(), rhs, f.U, nonnegative_sweeps);
    f.X = f.U;
  }

  /// Lines 5 to 7 as printed.
  void update_published(LeftProblem& problem, double rho) {
    Factors& f = s_.f;
    f.X = (f.U + f.P).cwiseMax(0.0);
    problem.set_shift(s_.mu + rho);
    f.U = problem.solve(problem.ZYt + s_.mu * (f.X - f.P) + rho * (f.U + 2 * s_.Lambda - s_.Lambda_prev));
    f.P -= f.X - f.U;
  }

  /// Once per X step, over the whole of it: within a step Y stands still, and quiet rounds only show that ADMM settled.
  void watch_convergence(const Matrix& U_before, const Matrix& D, double c) {
    if (!a_.stops) return;
    const double size = s_.f.U.norm();
    const bool quiet =
        (s_.f.U - U_before).norm() < a_.tolerance * size && D.norm() <= a_.tolerance * 2 * c * size;
    s_.quiet_steps = quiet ? s_.quiet_steps + 1 : 0;
    if (s_.quiet_steps >= static_cast<std::uint64_t>(a_.dwell) && !s_.stop.raised())
      s_.stop.raise(s_.round, facts_.reach);
  }

  double degree() const { return static_cast<double>(me_.neighbors().size()); }

  Agent& me_;
  const AlgorithmSettings& a_;
  const ExchangeSettings& exchange_settings_;
  const PublicFacts& facts_;
  const Matrix& Z_;
  bool published_;
  State s_;
  std::optional<NeighborExchange> exchange_;
};

class Ppdnmf final : public Algorithm {
 public:
  Ppdnmf(const Scenario& scenario, const PublicFacts& facts) : scenario_(scenario), facts_(facts) {}

  Task<void> party(Agent& me, const Matrix& Z, const Bytes& start) const override {
    Party party(me, scenario_, facts_, Z);
    co_await party.live(start);
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    State s = State::load(r);
    return {s.iteration,      s.round,         s.finished, s.finished && s.stop.reached(s.round),
            std::move(s.f.X), std::move(s.f.Y)};
  }

  std::vector<std::string> labels() const override {
    return NeighborExchange::labels(scenario_.exchange, scenario_.algorithm.variant == "published");
  }

 private:
  Scenario scenario_;
  PublicFacts facts_;
};

}  // namespace

std::unique_ptr<Algorithm> make_ppdnmf(const Scenario& scenario, const PublicFacts& facts) {
  return std::make_unique<Ppdnmf>(scenario, facts);
}

}  // namespace sotto
