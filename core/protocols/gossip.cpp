// SPDX-License-Identifier: MIT
#include "core/protocols/gossip.h"

#include <algorithm>

#include "base/error.h"
#include "core/protocols/tags.h"

namespace sotto {

namespace {

/// omega_k and 1 / T_k(1 / lambda), k = 0, 1, ..., from + - * / alone: everybody counts the same rounds on every machine.
class Recursion {
 public:
  explicit Recursion(double lambda) : lambda_(lambda) {}

  void step() {
    ++k_;
    if (k_ > 1) omega_ = 1 / (1 - lambda_ * lambda_ * omega_ / (k_ == 2 ? 2 : 4));
    contraction_ *= k_ == 1 ? lambda_ : omega_ * lambda_ / 2;
  }
  double omega() const { return omega_; }
  double contraction() const { return contraction_; }

 private:
  double lambda_;
  std::uint64_t k_ = 0;
  double omega_ = 1;
  double contraction_ = 1;
};

}  // namespace

void GossipFigures::count(Counters& counters) const {
  counters.add("gossip.rounds", Fold::largest, static_cast<double>(rounds));
  counters.add("gossip.bytes", Fold::sum, static_cast<double>(bytes));
}

namespace {

constexpr CounterFigure gossip_figure_table[] = {
    {{"gossip_rounds", "rounds", "rounds of gossip", Better::lower, Scope::cost},
     [](const Counters& c) { return c.get("gossip.rounds"); }},
    {{"gossip_bytes", "bytes", "bytes of gossip, of all agents", Better::lower, Scope::cost},
     [](const Counters& c) { return c.get("gossip.bytes"); }},
};

}  // namespace

std::span<const CounterFigure> gossip_figures() {
  return gossip_figure_table;
}

Gossip::Gossip(Agent& me, double lambda) : me_(me), lambda_(lambda) {
  if (!(lambda >= 0 && lambda < 1))
    throw RunError("gossip: the bound on the second eigenvalue must be from 0 to below 1");
}

void Gossip::send(AgentId to, Tag tag, Bytes message) {
  ++figures_.messages;
  figures_.bytes += message.size();
  me_.send(to, tag, std::move(message));
}

Task<void> Gossip::open() {
  const std::uint64_t own = me_.neighbors().size();
  for (const AgentId j : me_.neighbors()) {
    Writer w(sizeof(own));
    w.put(own);
    send(j, tags::gossip_degree, w.take());
  }
  weights_.clear();
  for (const AgentId j : me_.neighbors()) {
    const Bytes heard = co_await me_.receive(j, tags::gossip_degree);
    const auto degree = std::max(own, Reader(heard).get<std::uint64_t>());
    weights_.push_back(1 / (1 + static_cast<double>(degree)));
  }
}

/// W x as x_i + sum_j w_ij (x_j - x_i): near agreement the differences are small, and so is what rounding does to the mean.
Task<Matrix> Gossip::neighborhood_mean(const Matrix& x, StopFlag& flag) {
  const std::size_t bytes = static_cast<std::size_t>(x.size()) * sizeof(double);
  Writer w(sizeof(std::uint64_t) + bytes);
  w.put(flag.word());
  w.raw({reinterpret_cast<const std::uint8_t*>(x.data()), bytes});
  const Bytes message = w.take();
  for (const AgentId j : me_.neighbors()) send(j, tags::gossip_value, message);
  me_.compute(Operation::flop, 2 * static_cast<std::uint64_t>(x.size()) * (me_.neighbors().size() + 1));
  Matrix change = Matrix::Zero(x.rows(), x.cols());
  for (std::size_t k = 0; k < me_.neighbors().size(); ++k) {
    const Bytes heard = co_await me_.receive(me_.neighbors()[k], tags::gossip_value);
    Reader r(heard);
    flag.hear(r.get<std::uint64_t>());
    for (Index e = 0; e < x.size(); ++e) change.data()[e] += weights_[k] * (r.get<double>() - x.data()[e]);
    r.finish();
  }
  ++figures_.rounds;
  co_return x + change;
}

Task<Matrix> Gossip::average(Matrix own, std::uint64_t rounds, StopFlag& flag) {
  ++figures_.averages;
  Matrix before;
  Matrix x = std::move(own);
  Recursion recursion(lambda_);
  for (std::uint64_t k = 0; k < rounds; ++k) {
    Matrix next = co_await neighborhood_mean(x, flag);
    recursion.step();
    if (k > 0) next = before + recursion.omega() * (next - before);
    before = std::move(x);
    x = std::move(next);
  }
  co_return x;
}

Task<Matrix> Gossip::average(Matrix own, std::uint64_t rounds) {
  StopFlag nobody_stops;
  co_return co_await average(std::move(own), rounds, nobody_stops);
}

double Gossip::contraction(std::uint64_t rounds, double lambda) {
  Recursion recursion(lambda);
  for (std::uint64_t k = 0; k < rounds && recursion.contraction() > 0; ++k) recursion.step();
  return recursion.contraction();
}

std::uint64_t Gossip::rounds_for(double wanted, double lambda) {
  if (!(wanted > 0 && wanted <= 1)) throw RunError("gossip: a wanted contraction is above 0 and at most 1");
  Recursion recursion(lambda);
  std::uint64_t rounds = 0;
  for (; recursion.contraction() > wanted; ++rounds) recursion.step();
  return rounds;
}

void Gossip::save(Writer& w) const {
  w.list(weights_);
  w.put(figures_);
}

void Gossip::load(Reader& r) {
  weights_ = r.list<double>();
  if (weights_.size() != me_.neighbors().size()) throw FormatError("gossip: weights of another graph");
  figures_ = r.get<GossipFigures>();
}

}  // namespace sotto
