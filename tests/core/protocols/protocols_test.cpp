// SPDX-License-Identifier: MIT
// Max-consensus, the stop flag and the plain exchange between neighbors.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/protocols/max_consensus.h"
#include "core/protocols/neighbor_exchange.h"
#include "core/protocols/tags.h"
#include "crypto/schemes.h"
#include "network/runtime/runtime.h"
#include "network/topology/generators.h"
#include "tests/support/graphs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

Matrix own_u(const Agent& me, int round) {
  RandomStream random = me.random("U");
  Matrix U(4, 3);
  for (Index k = 0; k < U.size(); ++k) U.data()[k] = 2 * random.uniform() - 0.5 + 0.1 * round;
  return U;
}

struct Exchanged {
  std::vector<Matrix> U, D;
  RunResult run;
};

/// A few rounds of the exchange on a graph; what came out in the last.
Exchanged exchange_rounds(const Topology& topology, const ExchangeOptions& settings, double g, bool in_clear,
                          int rounds) {
  Exchanged out{std::vector<Matrix>(topology.agents()), std::vector<Matrix>(topology.agents()), {}};
  Workers workers(2);
  const std::shared_ptr<const AdditiveScheme> scheme =
      make_scheme(settings.scheme, {{}, topology.agents(), nullptr});
  RuntimeOptions options;
  options.transcript = true;
  out.run = run_agents(
      workers, topology,
      [&](Agent& me) -> Task<void> {
        NeighborExchange exchange(me, scheme, settings, {g, g}, 12, in_clear);
        co_await exchange.open();
        StopFlag flag;
        for (int round = 0; round < rounds; ++round) {
          out.U[me.id()] = own_u(me, round);
          out.D[me.id()] = co_await exchange.round(out.U[me.id()], flag);
        }
      },
      options);
  return out;
}

}  // namespace

TEST_CASE("max consensus: everybody knows the largest after diameter rounds, and not before") {
  for (const char* shape : {"path", "ring", "star", "complete"}) {
    const Topology topology = graph(shape, 7);
    Workers workers(2);
    for (const std::uint64_t reach :
         {std::uint64_t{topology.diameter()}, std::uint64_t{topology.diameter() - 1}}) {
      std::vector<double> known(7);
      run_agents(workers, topology, [&](Agent& me) -> Task<void> {
        known[me.id()] = co_await max_consensus(me, me.id() == 6 ? 9.0 : 1.0, reach);
      });
      CHECK((std::ranges::count(known, 9.0) == 7) == (reach == topology.diameter()));
    }
  }
}

TEST_CASE("exchange: D_i = sum_j g_ij g_ji (Uq_j - Uq_i), and all D add up to zero exactly") {
  const Topology topology = graph("random", 8);
  for (const bool in_clear : {false, true}) {
    ExchangeOptions settings;
    const Exchanged e = exchange_rounds(topology, settings, 0.5, in_clear, 4);
    Matrix sum = Matrix::Zero(4, 3);
    for (const Matrix& D : e.D) sum += D;
    CHECK(sum.cwiseAbs().maxCoeff() < 1e-12);
    // a leaf sees one neighbor: its D is one positive factor times the quantized difference
    for (AgentId a = 0; a < 8; ++a) {
      if (topology.degree(a) != 1) continue;
      const AgentId b = topology.neighbors(a)[0];
      const auto grid = [](double x) { return std::nearbyint(1e4 * x) / 1e4; };
      const Matrix difference = e.U[b].unaryExpr(grid) - e.U[a].unaryExpr(grid);
      const double rho = e.D[a](0, 0) / difference(0, 0);
      CHECK(rho > 0);
      CHECK(rho <= 0.25);
      CHECK((e.D[a] - rho * difference).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("exchange: g_ij grows toward its bound over rounds and never passes it") {
  const Topology pair(2, {{0, 1}});
  ExchangeOptions settings;
  double before = 0;
  for (const int rounds : {1, 2, 5, 20}) {
    const Exchanged e = exchange_rounds(pair, settings, 0.5, false, rounds);
    const double rho = e.D[0].norm() / (e.U[1] - e.U[0]).norm();
    CHECK(rho > before);
    CHECK(rho <= 0.25 * 1.001);
    before = rho;
  }
  CHECK(before == doctest::Approx(0.25).epsilon(0.01));
}

TEST_CASE("exchange: what published leaks: the gcd of one reply is the factor, so a neighbor reads U") {
  const Topology pair(2, {{0, 1}});
  ExchangeOptions settings;
  const Exchanged e = exchange_rounds(pair, settings, 0.5, false, 1);
  const auto& seen = e.run.transcript[0];  // agent 0: a request and a reply from agent 1
  const auto reply =
      std::ranges::find_if(seen, [](const Message& m) { return m.tag == tags::exchange_reply; });
  REQUIRE(reply != seen.end());
  Reader r(reply->bytes);
  r.get<std::uint64_t>();  // the stop flag
  std::vector<std::int64_t> values;
  while (r.left() > 0) values.push_back(r.get<std::int64_t>());
  REQUIRE(values.size() == 12);
  std::int64_t factor = 0;
  for (const std::int64_t v : values) factor = std::gcd(factor, v);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double u_j = static_cast<double>(values[k] / factor + std::llrint(1e4 * e.U[0].data()[k])) / 1e4;
    CHECK(u_j == doctest::Approx(e.U[1].data()[k]).epsilon(1e-4));
  }
}

TEST_CASE("exchange: a value beyond max_abs ends the run and names the agent") {
  ExchangeOptions settings;
  settings.max_abs = 1;
  CHECK_THROWS_WITH_AS(exchange_rounds(graph("ring", 4), settings, 0.5, false, 3),
                       doctest::Contains("exchange.max_abs = 1"), CryptoError);
}

TEST_CASE("exchange: integers that cannot fit are refused before the first message") {
  ExchangeOptions settings;
  settings.quantization = 1e15;
  settings.penalty_bits = 40;
  CHECK_THROWS_WITH_AS(exchange_rounds(graph("ring", 4), settings, 0.5, false, 1),
                       doctest::Contains("more than 127"), CryptoError);
}

TEST_CASE("exchange: a penalty that no integer holds is refused for what it is") {
  const ExchangeOptions settings;
  for (const double g : {3e21, HUGE_VAL, std::nan("")})
    CHECK_THROWS_WITH_AS(exchange_rounds(graph("ring", 4), settings, g, false, 1),
                         doctest::Contains("does not fit 61 bits"), CryptoError);
}

TEST_CASE("stop flag: the earliest wins and everybody stops after the same round") {
  const Topology path = graph("path", 9);
  Workers workers(2);
  std::vector<int> stopped_after(9);
  const std::shared_ptr<const AdditiveScheme> scheme = make_scheme("plain");
  run_agents(workers, path, [&](Agent& me) -> Task<void> {
    const ExchangeOptions settings;
    NeighborExchange exchange(me, scheme, settings, {0.1, 0.1}, 12, false);
    co_await exchange.open();
    StopFlag flag;
    int round = 0;
    while (!flag.reached(static_cast<std::uint64_t>(round))) {
      co_await exchange.round(own_u(me, 0), flag);
      ++round;
      // one end converges in round 5, the other in round 7, unless it heard first
      if (me.id() == 0 && round == 5) flag.raise(5, 8);
      if (me.id() == 8 && round == 7) flag.raise(7, 8);
    }
    stopped_after[me.id()] = round;
  });
  for (const int r : stopped_after) CHECK(r == 13);
}
