// SPDX-License-Identifier: MIT
// Averages by gossip: the mean is kept, the bound holds on every generator and is attained, and Chebyshev's polynomial
// is better than FastMix and plain averaging.
#include "core/protocols/gossip.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "base/decompositions.h"
#include "network/runtime/runtime.h"
#include "network/topology/analysis.h"
#include "network/topology/generators.h"
#include "tests/support/graphs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

/// Numbers of an agent, far from those of others: 1e3 (agent + 1) more.
Matrix own_numbers(AgentId agent) {
  RandomStream random({1, 0, agent, "numbers"});
  Matrix x(3, 2);
  for (double& entry : x.reshaped()) entry = random.normal() + 1e3 * (agent + 1);
  return x;
}

struct Averaged {
  Matrix mean;        ///< before
  double drift = 0;   ///< of the mean, relative
  double before = 0;  ///< |x - mean| over all agents
  double after = 0;
  GossipFigures figures;  ///< of agent 0
};

Averaged average(const Topology& topology, double lambda, std::uint64_t rounds) {
  std::vector<Matrix> x(topology.agents());
  Averaged a;
  Workers workers(2);
  run_agents(workers, topology, [&](Agent& me) -> Task<void> {
    Gossip gossip(me, lambda);
    co_await gossip.open();
    x[me.id()] = co_await gossip.average(own_numbers(me.id()), rounds);
    if (me.id() == 0) a.figures = gossip.figures();
  });
  a.mean = Matrix::Zero(3, 2);
  Matrix mean_after = a.mean;
  for (AgentId i = 0; i < topology.agents(); ++i) {
    a.mean += own_numbers(i) / static_cast<double>(topology.agents());
    mean_after += x[i] / static_cast<double>(topology.agents());
  }
  a.drift = (mean_after - a.mean).norm() / a.mean.norm();
  for (AgentId i = 0; i < topology.agents(); ++i) {
    a.before += (own_numbers(i) - a.mean).squaredNorm();
    a.after += (x[i] - a.mean).squaredNorm();
  }
  a.before = std::sqrt(a.before);
  a.after = std::sqrt(a.after);
  return a;
}

/// What `rounds` rounds of FastMix leave of a disagreement with eigenvalues in [-lambda, lambda], at most.
double fast_mix(double lambda, int rounds) {
  const double root = std::sqrt(1 - lambda * lambda);
  const double eta = (1 - root) / (1 + root);
  double most = 0;
  for (int point = -100; point <= 100; ++point) {
    const double eigenvalue = lambda * point / 100;
    double before = 1;
    double x = 1;
    for (int k = 0; k < rounds; ++k) {
      const double next = (1 + eta) * eigenvalue * x - eta * before;
      before = x;
      x = next;
    }
    most = std::max(most, std::abs(x));
  }
  return most;
}

}  // namespace

TEST_CASE(
    "gossip: the mean stays, the error is below the bound and below plain gossip's, on all generators") {
  for (const GeneratorEntry& g : generators())
    for (const std::size_t agents : {10U, 30U}) {
      const Topology topology = graph(g.name, agents, std::string_view(g.name) == "geometric" ? 6 : 4);
      const double lambda = metropolis_second_eigenvalue_bound(topology);
      CAPTURE(g.name);
      CAPTURE(agents);
      for (const std::uint64_t rounds : {1U, 2U, 3U, 10U, 40U}) {
        CAPTURE(rounds);
        const Averaged fast = average(topology, lambda, rounds);
        const double rounding = 1e-13 * fast.before;
        CHECK(fast.drift < 1e-14);
        CHECK(fast.after <= Gossip::contraction(rounds, lambda) * fast.before + rounding);
        const Averaged plain = average(topology, 0, rounds);  // with lambda = 0 every omega is 1
        CHECK(plain.drift < 1e-14);
        if (rounds == 40 && g.name != "complete") CHECK(fast.after < 0.2 * plain.after);
      }
      const std::uint64_t rounds = Gossip::rounds_for(1e-6, lambda);
      const Averaged wanted = average(topology, lambda, rounds);
      CHECK(wanted.after <= 1.001e-6 * wanted.before);
    }
}

TEST_CASE("gossip: the bound is attained by the slowest disagreement") {
  const Topology ring = graph("ring", 12);
  Matrix W = Matrix::Identity(12, 12) / 3;
  for (const auto& [a, b] : ring.edge_list()) W(a, b) = W(b, a) = 1.0 / 3;
  const SymmetricEigen all = symmetric_eigen(W);
  const double lambda = all.values[10];
  const Vector slowest = all.vectors.col(10);
  for (const std::uint64_t rounds : {1U, 4U, 15U}) {
    Vector x(12);
    Workers workers(1);
    run_agents(workers, ring, [&](Agent& me) -> Task<void> {
      Gossip gossip(me, lambda);
      co_await gossip.open();
      const Matrix own = Matrix::Constant(1, 1, slowest[me.id()]);
      x[me.id()] = (co_await gossip.average(own, rounds))(0, 0);
    });
    CHECK(x.norm() == doctest::Approx(Gossip::contraction(rounds, lambda)).epsilon(1e-9));
  }
}

TEST_CASE("gossip: rounds for a contraction, and what FastMix and plain averaging would leave") {
  for (const double lambda : {0.3, 0.764, 0.941, 0.985, 0.9987}) {
    const double q = lambda / (1 + std::sqrt(1 - lambda * lambda));
    for (const int k : {2, 5, 20, 80}) {
      const double left = Gossip::contraction(static_cast<std::uint64_t>(k), lambda);
      CHECK(left == doctest::Approx(2 * std::pow(q, k) / (1 + std::pow(q, 2 * k))).epsilon(1e-10));
      CHECK(left < fast_mix(lambda, k));
    }
    for (const double wanted : {0.5, 0.05, 1e-3, 1e-12}) {
      const std::uint64_t rounds = Gossip::rounds_for(wanted, lambda);
      CHECK(Gossip::contraction(rounds, lambda) <= wanted);
      CHECK(Gossip::contraction(rounds - 1, lambda) > wanted);
      int slower = 0;
      while (fast_mix(lambda, slower) > wanted) ++slower;
      CHECK(static_cast<std::uint64_t>(slower) >= rounds);
      MESSAGE(fmt::format("lambda {}: contraction {} in {} rounds, FastMix {}, plain {:.0f}", lambda, wanted,
                          rounds, slower, std::ceil(std::log(wanted) / std::log(lambda))));
    }
  }
  CHECK(fast_mix(0.9987, 20) > 10);  // toward -lambda it grows first
  CHECK(Gossip::contraction(20, 0.9987) < 1);
  CHECK(Gossip::rounds_for(1, 0.9) == 0);
  CHECK(Gossip::rounds_for(1e-9, 0) == 1);
  CHECK(Gossip::contraction(1, 0) == 0);
  CHECK_THROWS_AS(Gossip::rounds_for(0, 0.5), RunError);
  CHECK_THROWS_AS(Gossip::rounds_for(2, 0.5), RunError);
}

TEST_CASE("gossip: figures, and a flag that travels one hop a round") {
  const Topology path = graph("path", 6);
  const Averaged a = average(path, 0.9, 7);  // agent 0 has one neighbor
  CHECK(a.figures == GossipFigures{1, 7, 8, 8 + 7 * (8 + 6 * 8)});
  for (const std::uint64_t rounds : {4U, 5U}) {
    std::vector<int> heard(6);
    Workers workers(2);
    run_agents(workers, path, [&](Agent& me) -> Task<void> {
      Gossip gossip(me, 0.9);
      co_await gossip.open();
      StopFlag flag;
      if (me.id() == 0) flag.raise(0, 5);
      co_await gossip.average(Matrix::Ones(1, 1), rounds, flag);
      heard[me.id()] = flag.raised() ? 1 : 0;
    });
    CHECK(std::count(heard.begin(), heard.end(), 1) == static_cast<long>(rounds) + 1);
  }
}

TEST_CASE("gossip: saved weights go on as if nothing had happened; others are refused") {
  const Topology star = graph("star", 5);
  std::vector<Bytes> saved(5);
  std::vector<Matrix> whole(5);
  std::vector<Matrix> resumed(5);
  Workers workers(1);
  run_agents(workers, star, [&](Agent& me) -> Task<void> {
    Gossip gossip(me, 0.8);
    co_await gossip.open();
    Writer w;
    gossip.save(w);
    saved[me.id()] = w.take();
    whole[me.id()] = co_await gossip.average(own_numbers(me.id()), 3);
  });
  run_agents(workers, star, [&](Agent& me) -> Task<void> {
    Gossip gossip(me, 0.8);
    Reader r(saved[me.id()]);
    gossip.load(r);
    r.finish();
    resumed[me.id()] = co_await gossip.average(own_numbers(me.id()), 3);
    CHECK(gossip.figures().messages == 4 * me.neighbors().size());
  });
  CHECK(resumed == whole);
  CHECK_THROWS_AS(run_agents(workers, star,
                             [&](Agent& me) -> Task<void> {
                               Gossip gossip(me, 0.8);
                               Reader r(saved[4 - me.id()]);  // a leaf's weights for the hub
                               gossip.load(r);
                               co_return;
                             }),
                  RunError);
  CHECK_THROWS_AS(average(star, 1, 1), RunError);
}

TEST_CASE("gossip: an agent alone keeps its numbers") {
  const Averaged a = average(Topology(1, {}), 0, 3);
  CHECK(a.after == 0);
}
