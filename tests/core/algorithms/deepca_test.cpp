// SPDX-License-Identifier: MIT
// DeEPCA: the subspace of the singular value decomposition on every generator, at the speed of the power iteration in one place,
// however the data are spread; rounds beside those of PD-SVD; stopping together; going on from a saved state.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/algorithms/iteration_options.h"
#include "core/algorithms/kinds.h"
#include "core/algorithms/shared_power.h"
#include "core/experiment/settings.h"
#include "core/factorization/nndsvd.h"
#include "core/protocols/gossip.h"
#include "network/runtime/runtime.h"
#include "network/topology/analysis.h"
#include "network/topology/generators.h"
#include "tests/support/graphs.h"
#include "tests/support/repetitions.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

constexpr Index feature_count = 20;
constexpr Index true_rank = 3;

Matrix random_basis(Index rows, Index cols, std::string_view purpose) {
  RandomStream random({5, 0, StreamName::everyone, purpose});
  Matrix V(rows, cols);
  for (double& x : V.reshaped()) x = random.normal();
  orthonormalize(V);
  return V;
}

/// Falling by `decay` up to the rank, by `gap` behind it, then slowly.
Vector spectrum(double decay, double gap) {
  Vector sigma(feature_count);
  sigma[true_rank - 1] = 1;
  for (Index i = true_rank - 1; i > 0; --i) sigma[i - 1] = decay * sigma[i];
  sigma[true_rank] = 1 / gap;
  for (Index i = true_rank + 1; i < feature_count; ++i) sigma[i] = 0.95 * sigma[i - 1];
  return sigma;
}

enum class Spread : std::uint8_t {
  alike,   ///< everybody has 20 samples of the same distribution
  skewed,  ///< the first agent has half of all samples, the next half of the rest, ...
  apart,   ///< every singular vector is one agent's alone; the others have zeros
};

std::vector<Samples> spread_data(Spread spread, std::size_t agents, const Vector& sigma) {
  const Matrix U = random_basis(feature_count, feature_count, "left");
  std::vector<Samples> parts;
  if (spread == Spread::apart) {
    std::vector<Matrix> own(agents, Matrix::Zero(feature_count, 1));
    for (Index j = 0; j < feature_count; ++j) {
      Matrix& Z = own[static_cast<std::size_t>(7 * j) % agents];
      Z.conservativeResize(feature_count, Z.cols() + 1);
      Z.col(Z.cols() - 1) = sigma[j] * U.col(j);
    }
    parts.assign(own.begin(), own.end());
    return parts;
  }
  const auto samples = static_cast<Index>(20 * agents);
  const Samples all(
      Matrix(U * sigma.asDiagonal() * random_basis(samples, feature_count, "right").transpose()));
  Index at = 0;
  for (std::size_t i = 0; i < agents; ++i) {
    const auto others = static_cast<Index>(agents - 1 - i);
    Index count = 20;
    if (spread == Spread::skewed)
      count = others == 0 ? samples - at
                          : std::min(std::max<Index>(1, (samples - at) / 2), samples - at - others);
    parts.push_back(all.columns(at, count));
    at += count;
  }
  return parts;
}

/// The sine of the largest angle to the truth after every iteration, over all agents.
class Angles : public BoundaryWatcher {
 public:
  Angles(const Algorithm& algorithm, Matrix truth) : algorithm_(algorithm), truth_(std::move(truth)) {}

  bool wants_states(std::uint64_t /*iteration*/, bool /*finished*/) override { return true; }
  Next at_boundary(const BoundaryView& boundary) override {
    double worst = 0;
    last.clear();
    for (const Bytes& state : boundary.states) {
      last.push_back(algorithm_.view(state));
      worst = std::max(worst, subspace_distance(last.back().X, truth_));
    }
    states.assign(boundary.states.begin(), boundary.states.end());
    angle.push_back(worst);
    return boundary.iteration == stop_at ? Next::stop : Next::go_on;
  }

  std::uint64_t stop_at = 0;
  std::vector<double> angle;
  std::vector<FactorView> last;
  std::vector<Bytes> states;

 private:
  const Algorithm& algorithm_;
  Matrix truth_;
};

struct Case {
  Topology topology;
  std::vector<PartyInput> parts;
  Matrix truth;  ///< left singular vectors
  OptionSet options;
  PublicFacts facts;

  Case(std::string_view generator, std::size_t agents, Spread spread, const Vector& sigma)
      : topology(graph(generator, agents, std::string_view(generator) == "geometric" && agents > 20 ? 7 : 4)),
        truth(random_basis(feature_count, feature_count, "left").leftCols(true_rank)) {
    for (const Samples& part : spread_data(spread, agents, sigma)) parts.push_back({part, {}});
    limits().rank = true_rank;
    limits().stops = false;
    facts.agents = agents;
    facts.reach = topology.diameter();
    facts.mixing = metropolis_second_eigenvalue_bound(topology);
  }

  IterationOptions& limits() { return options.edit<IterationOptions>(); }
  void set(const char* path, const SettingValue& value) {
    REQUIRE(!scenario_settings().find(path)->read(options, value));
  }

  /// What an algorithm makes of it. `starts`: saved states, or none.
  Angles run(const Algorithm& algorithm, std::uint64_t stop_at = 0, const std::vector<Bytes>& starts = {},
             int threads = 1) const {
    Angles angles(algorithm, truth);
    angles.stop_at = stop_at;
    RuntimeOptions how;
    how.watcher = &angles;
    how.event_log = false;
    Workers workers(threads);
    run_agents(
        workers, topology,
        [&](Agent& me) {
          return algorithm.party(me, parts[me.id()], starts.empty() ? none : starts[me.id()]);
        },
        how);
    return angles;
  }
  Angles deepca(std::int64_t iterations) {
    limits().outer_iterations = iterations;
    return run(*find_algorithm("deepca").make(options, facts, {}));
  }

 private:
  const Bytes none;
};

/// Iterations until the angle is below `limit` for the first time; none: -1.
int first_below(const std::vector<double>& angle, double limit) {
  const auto at = std::find_if(angle.begin(), angle.end(), [&](double a) { return a < limit; });
  return at == angle.end() ? -1 : static_cast<int>(at - angle.begin()) + 1;
}

/// Iterations of the block power iteration in one place, from the same start, to an angle of 1e-10.
int power_iterations(const Case& c) {
  RandomStream random({1, 0, StreamName::everyone, "initialization"});
  Matrix V(feature_count, true_rank);
  for (double& x : V.reshaped()) x = random.normal();
  orthonormalize(V);
  int count = 0;
  for (; count < 1000 && subspace_distance(V, c.truth) >= 1e-10; ++count) {
    Matrix next = Matrix::Zero(feature_count, true_rank);
    for (const PartyInput& party : c.parts) next += covariance_product(party.samples, {}, V);
    V = next;
    orthonormalize(V);
  }
  return count;
}

/// Hops that follow on each other in one of PD-SVD's sums (revealing): edge-masks where the graph allows it, else shares,
/// whose one round goes across the graph.
double pd_svd_rounds(Case c) {
  c.set("algorithm.sums", std::string("revealing"));
  c.set("algorithm.norm_bound", 100.0);
  c.limits().outer_iterations = 4;
  const bool shares = !cut_vertices(c.topology).empty();
  const SumKind kind = shares ? SumKind::shares : SumKind::edge_masks;
  c.options.edit<SecureSumOptions>().kind = kind;
  Kit kit;
  kit.sums = std::make_shared<const SumPlan>(SumPlan::make(kind, c.topology));
  const Angles angles = c.run(*find_algorithm("pd-svd").make(c.options, c.facts, kit));
  const Counters& counters = angles.last[0].counters;
  return counters.get("sums.rounds") / counters.get("sums.calls") * (shares ? c.topology.diameter() : 1);
}

/// 10 agents, and `many` besides; under sanitizers 10 alone.
std::vector<std::size_t> few_or_many(std::size_t many) {
  std::vector<std::size_t> counts{10, many};
  counts.resize(repetitions<std::size_t>(2, 1));
  return counts;
}

}  // namespace

TEST_CASE("deepca: on all generators, to 1e-10 at the speed of the power iteration in one place") {
  constexpr double gap = 1.1;
  const double predicted = 2 * std::log10(gap);  // digits per iteration
  std::string table = fmt::format(
      "{} digits an iteration predicted\n{:12} {:6} {:7} {:7} {:11} {:10} {:13} {:13} {:12} {:8}\n",
      predicted, "generator", "agents", "lambda", "rounds", "iterations", "one place", "digits/iter.",
      "rounds/digit", "pd-svd's", "floor");
  for (const GeneratorEntry& g : generators())
    for (const std::size_t agents : few_or_many(50)) {
      Case c(g.name, agents, Spread::alike, spectrum(1.5, gap));
      const Angles angles = c.deepca(240);
      CAPTURE(g.name);
      CAPTURE(agents);
      const int to_3 = first_below(angles.angle, 1e-3);
      const int to_10 = first_below(angles.angle, 1e-10);
      REQUIRE(to_3 > 0);
      REQUIRE(to_10 > 0);
      const double measured = 7.0 / (to_10 - to_3);
      CHECK(measured == doctest::Approx(predicted).epsilon(0.1));
      CHECK(std::abs(to_10 - power_iterations(c)) <= 8);
      CHECK(angles.angle.back() < 1e-11);
      const double rounds = static_cast<double>(angles.last[0].round) / 240;
      table += fmt::format("{:12} {:6} {:7.4f} {:7} {:11} {:10} {:13.4f} {:13.0f} {:12.0f} {:8.0e}\n", g.name,
                           agents, c.facts.mixing, rounds, to_10, power_iterations(c), measured,
                           rounds / measured, pd_svd_rounds(c) / predicted, angles.angle.back());
    }
  MESSAGE(table);
}

TEST_CASE("deepca: data of different sizes and directions, and a wide spectrum") {
  std::string table = "iterations to 1e-10, those in one place, floor\n";
  for (const GeneratorEntry& g : generators())
    for (const std::size_t agents : few_or_many(30))
      for (const Spread spread : {Spread::skewed, Spread::apart}) {
        Case c(g.name, agents, spread, spectrum(5, 1.1));  // sigma_1 / sigma_k = 25
        const Angles angles = c.deepca(240);
        const int to_10 = first_below(angles.angle, 1e-10);
        CAPTURE(g.name);
        CAPTURE(agents);
        CHECK(to_10 > 0);
        CHECK(to_10 <= 1.4 * power_iterations(c));
        CHECK(angles.angle.back() < 1e-11);
        table += fmt::format("{:12} {:6} {:7} {:4} {:4} {:8.0e}\n", g.name, agents,
                             spread == Spread::apart ? "apart" : "skewed", to_10, power_iterations(c),
                             angles.angle.back());
      }
  MESSAGE(table);
}

TEST_CASE("deepca: too few rounds do not converge where data differ, which is why there is a rule") {
  Case c("star", 30, Spread::apart, spectrum(1.5, 1.1));
  c.set("algorithm.gossip_rounds", static_cast<std::int64_t>(Gossip::rounds_for(0.3, c.facts.mixing)));
  CHECK(c.deepca(240).angle.back() > 1e-3);
}

TEST_CASE("deepca: the tracked mean does not drift away over many iterations") {
  Case c("path", 10, Spread::apart, spectrum(1.5, 1.5));
  const Angles angles = c.deepca(repetitions(3000, 400));
  const double early = *std::max_element(angles.angle.begin() + 200, angles.angle.begin() + 300);
  MESSAGE(fmt::format("floor after 200 iterations {:.1e}, after {} {:.1e}", early, angles.angle.size(),
                      angles.angle.back()));
  CHECK(early < 1e-12);
  CHECK(angles.angle.back() < 1e-12);
}

TEST_CASE("deepca: all agents stop in the same iteration, with the subspace at the tolerance") {
  for (const char* name : {"path", "star", "random", "complete"}) {
    Case c(name, 12, Spread::skewed, spectrum(1.5, 1.5));
    c.limits().stops = true;
    c.limits().tolerance = 1e-8;
    c.limits().dwell = 3;
    const Angles angles = c.deepca(1000);
    CAPTURE(name);
    for (const FactorView& agent : angles.last) {
      CHECK(agent.converged);
      CHECK(agent.finished);
      CHECK(agent.iteration == angles.angle.size());
      CHECK(agent.round == angles.last[0].round);
    }
    CHECK(angles.angle.size() < 200);
    CHECK(angles.angle.back() < 1e-7);
  }
}

TEST_CASE("deepca: a run goes on from a saved state to the same bytes, on any number of threads") {
  Case c("small-world", 10, Spread::alike, spectrum(1.5, 1.3));
  c.limits().outer_iterations = 12;
  const auto algorithm = find_algorithm("deepca").make(c.options, c.facts, {});
  const Angles whole = c.run(*algorithm);
  const Angles half = c.run(*algorithm, 5);
  REQUIRE(half.angle.size() == 5);
  const Angles rest = c.run(*algorithm, 0, half.states, 2);
  CHECK(rest.states == whole.states);
  CHECK(whole.last[3].Y.isApprox(c.parts[3].samples.transposed_times(whole.last[3].X).transpose()));
}

TEST_CASE("deepca: one agent, more columns than the data have directions, and what it says of itself") {
  Case alone("path", 1, Spread::alike, spectrum(1.5, 1.5));
  CHECK(alone.deepca(150).angle.back() < 1e-10);
  Case flat("ring", 6, Spread::alike, spectrum(1.5, 1e9));  // nothing behind the third
  flat.limits().rank = 5;
  const Angles angles = flat.deepca(60);
  for (const FactorView& agent : angles.last) {
    CHECK((agent.X.transpose() * agent.X - Matrix::Identity(5, 5)).norm() < 1e-12);
    CHECK(subspace_distance(flat.truth, agent.X) < 1e-10);
  }
  const auto labels = find_algorithm("deepca").make(flat.options, flat.facts, {})->labels();
  CHECK(labels.at(0) == "deepca: neighbors see each other's iterates in the clear");
}
