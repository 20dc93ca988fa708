// The same block coordinate descent without a network: c = 0, no Lambda, no exchange.
//   centralized   one agent holds everybody's samples: what PPDNMF is measured against
//   local         every agent factorises its own samples and tells nobody
// `variant` chooses the order of the updates (published: X, U, P as in eqs. (8)-(10); corrected: U, X, P).
// With penalty = "scale-free" mu follows the data here too.
// They run to `outer_iterations`: a reference that stops early is no reference. (solver = "rri": rri_alone.cpp.)
#include "core/algorithms/algorithm.h"
#include "core/algorithms/initialization.h"
#include "core/experiment/scenario.h"
#include "core/factorization/hals.h"

namespace sotto {

namespace {

struct State {
  std::uint64_t iteration = 0;
  bool finished = false;
  double mu = 0;
  Factors f;

  void save(Writer& w) const {
    w.put(iteration);
    w.put<std::uint8_t>(finished);
    w.put(mu);
    f.save(w);
  }
  static State load(Reader& r) {
    State s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.mu = r.get<double>();
    s.f = Factors::load(r);
    r.finish();
    return s;
  }
};

void left_step(const AlgorithmSettings& a, double mu, const Samples& Z, Factors& f) {
  LeftProblem problem(Z, f.Y);
  const bool nonnegative = a.left_factor == "nonnegative";
  problem.set_shift(nonnegative ? 0.0 : mu);
  for (std::int64_t m = 0; m < a.inner_iterations; ++m) {
    if (nonnegative) {
      hals_columns(problem.hessian(), problem.ZYt, f.U, nonnegative_sweeps);
      f.X = f.U;
      continue;
    }
    if (a.variant == "published") f.X = (f.U + f.P).cwiseMax(0.0);
    f.U = problem.solve(problem.ZYt + mu * (f.X - f.P));
    if (a.variant != "published") f.X = (f.U + f.P).cwiseMax(0.0);
    f.P -= f.X - f.U;
  }
}

class Alone final : public Algorithm {
 public:
  Alone(const Scenario& scenario, bool one_place) : a_(scenario.algorithm), one_place_(one_place) {}

  bool one_place() const override { return one_place_; }

  Task<void> party(Agent& me, const Samples& Z, const Bytes& start) const override {
    State s;
    if (start.empty()) {
      s.f = start_factors(a_, me, Z);
    } else {
      Reader r(start);
      s = State::load(r);
    }
    while (!s.finished) {
      const bool first = s.iteration == 0;  // Y = 0: the X step is the identity
      if (!first) {
        me.compute(Operation::flop,
                   left_problem_flops(Z, s.f) +
                       static_cast<std::uint64_t>(a_.inner_iterations) * left_update_flops(s.f));
        left_step(a_, s.mu, Z, s.f);
      }
      me.compute(Operation::flop, right_update_flops(a_, Z, s.f, first));
      update_right(a_, Z, s.f, first);
      if (first) s.mu = a_.scale_free ? scale_free_mu * right_factor_scale(s.f) : a_.mu;
      ++s.iteration;
      s.finished = s.iteration >= static_cast<std::uint64_t>(a_.outer_iterations);
      co_await me.boundary(s);
    }
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    State s = State::load(r);
    return {s.iteration, 0, s.finished, false, std::move(s.f.X), std::move(s.f.Y), {}};
  }

  std::vector<std::string> labels() const override {
    if (one_place_) return {"centralized: everybody's data in one place"};
    return {};
  }

 private:
  AlgorithmSettings a_;
  bool one_place_;
};

}  // namespace

std::unique_ptr<Algorithm> make_rri_alone(const Scenario& scenario, bool one_place);
std::unique_ptr<Algorithm> make_svd_alone(const Scenario& scenario, bool one_place);

std::unique_ptr<Algorithm> make_alone(const Scenario& scenario, bool one_place) {
  const std::string& solver = scenario.algorithm.solver;
  if (solver == "rri") return make_rri_alone(scenario, one_place);
  if (solver == "svd" || solver == "pca") return make_svd_alone(scenario, one_place);
  return std::make_unique<Alone>(scenario, one_place);
}

std::unique_ptr<Algorithm> make_centralized(const Scenario& scenario, const PublicFacts&) {
  return make_alone(scenario, true);
}

std::unique_ptr<Algorithm> make_local(const Scenario& scenario, const PublicFacts&) {
  return make_alone(scenario, false);
}

}  // namespace sotto
