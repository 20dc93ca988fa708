// SPDX-License-Identifier: MIT
// The same block coordinate descent without a network: c = 0, no Lambda, no exchange.
//   centralized   one agent holds everybody's samples: what PPDNMF is measured against
//   local         every agent factorizes its own samples and tells nobody
// `variant` chooses the order of the updates (published: X, U, P as in eqs. (8)-(10); corrected: U, X, P).
// With penalty = "scale-free" mu follows the data here too.
// They run to `outer_iterations`: a reference that stops early is no reference.
// Tests: tests/core/algorithms/ppdnmf_test.cpp
#include <fmt/format.h>

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/references.h"
#include "core/algorithms/start_options.h"
#include "core/factorization/bcd.h"
#include "core/factorization/hals.h"

namespace sotto {

namespace {

struct DescentReferenceState {
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
  static DescentReferenceState load(Reader& r) {
    DescentReferenceState s;
    s.iteration = r.get<std::uint64_t>();
    s.finished = r.get<std::uint8_t>() != 0;
    s.mu = r.get<double>();
    s.f = Factors::load(r);
    r.finish();
    return s;
  }
};

void left_step(const DescentOptions& a, double mu, const Samples& Z, Factors& f) {
  LeftProblem problem(Z, f.Y);
  const bool nonnegative = a.left_factor == LeftFactor::nonnegative;
  problem.set_shift(nonnegative ? 0.0 : mu);
  for (std::int64_t m = 0; m < a.inner_iterations; ++m) {
    if (nonnegative) {
      hals_columns(problem.hessian(), problem.ZYt, f.U, nonnegative_sweeps);
      f.X = f.U;
      continue;
    }
    if (a.variant == Variant::published) f.X = (f.U + f.P).cwiseMax(0.0);
    f.U = problem.solve(problem.ZYt + mu * (f.X - f.P));
    if (a.variant != Variant::published) f.X = (f.U + f.P).cwiseMax(0.0);
    f.P -= f.X - f.U;
  }
}

class DescentReference final : public Algorithm {
 public:
  DescentReference(const OptionSet& options, bool one_place)
      : limits_(options.get<IterationOptions>()),
        a_(options.get<DescentOptions>()),
        start_(options.get<StartOptions>()),
        one_place_(one_place) {}

  Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const override {
    const Samples& Z = input.samples;
    DescentReferenceState s;
    if (start.empty()) {
      s.f = Factors::from(a_, start_.left_factor(me, Z.rows(), limits_.rank), Z.cols());
    } else {
      Reader r(start);
      s = DescentReferenceState::load(r);
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
      s.finished = s.iteration >= limits_.most_iterations();
      co_await me.boundary(s);
    }
  }

  FactorView view(std::span<const std::uint8_t> state) const override {
    Reader r(state);
    DescentReferenceState s = DescentReferenceState::load(r);
    return {s.iteration, 0, s.finished, false, std::move(s.f.X), std::move(s.f.Y)};
  }

  std::vector<std::string> labels() const override { return labels_of_place(one_place_); }

 private:
  IterationOptions limits_;
  DescentOptions a_;
  StartOptions start_;
  bool one_place_;
};

Schema descent_reference_settings() {
  Schema rows = iteration_settings();
  append(rows, descent_settings());
  restrict_use(
      rows, "algorithm.penalty",
      [](const OptionSet& options) { return options.get<DescentOptions>().scale_free; },
      [](const OptionSet&) { return "without a network there is no consensus"; });
  append(rows, start_settings());
  return rows;
}

}  // namespace

void check_descent_start(const MethodCheck& c, std::string_view name, std::string_view besides) {
  const Initialization start = c.options.get<StartOptions>().initialization;
  if (start == Initialization::random || start == Initialization::own_random || start == Initialization::ones)
    return;
  c.places.refuse("algorithm.initialization",
                  fmt::format("\"{}\" belongs to RRI-NMF: {} takes \"random\", \"own-random\" or \"ones\"{}",
                              word_of(start), name, besides));
}

std::string descent_start(const OptionSet& options, bool one_place) {
  const auto& start = options.get<StartOptions>();
  if (one_place && start.initialization == Initialization::own_random) return "random of its own";
  return start.in_words();
}

Workload descent_workload(const OptionSet& options, const Sizes& n) {
  const auto& d = options.get<DescentOptions>();
  const double sweeps = d.right_iterations > 0                ? static_cast<double>(d.right_iterations)
                        : d.right_factor == RightFactor::hals ? 5
                                                              : 30;
  const double right = n.features * n.samples * n.rank + sweeps * n.rank * n.rank * n.samples;
  const double left = n.features * n.samples * n.rank +
                      static_cast<double>(d.inner_iterations) * n.agents * n.features * n.rank * n.rank * 4;
  Workload work;
  work.iterations = static_cast<double>(options.get<IterationOptions>().outer_iterations);
  work.multiply_adds = right + left;
  return work;
}

std::vector<std::string> labels_of_place(bool one_place) {
  if (one_place) return {"centralized: everybody's data in one place"};
  return {};
}

const ReferenceKind descent_reference{
    .name = "bcd",
    .settings = descent_reference_settings,
    .gives = [](const OptionSet&) { return Gives{}; },
    .needs = [](const OptionSet&) { return Needs{}; },
    .check =
        [](const MethodCheck& c) {
          check_descent_start(c, algorithm_of(c.options).name, " (or algorithm.solver = \"rri\")");
        },
    .workload = descent_workload,
    .start = descent_start,
    .make = [](const OptionSet& options, bool one_place, const Kit&) -> std::unique_ptr<Algorithm> {
      return std::make_unique<DescentReference>(options, one_place);
    },
};

}  // namespace sotto
