#include "core/protocols/neighbor_exchange.h"

#include <fmt/format.h>

#include <cmath>

#include "core/experiment/scenario.h"
#include "core/protocols/tags.h"
#include "crypto/schemes.h"

namespace sotto {

NeighborExchange::NeighborExchange(Agent& me, const ExchangeSettings& settings, Bounds bounds,
                                   std::size_t entries, bool factors_in_clear)
    : me_(me),
      bounds_(bounds),
      grid_(settings.quantization, settings.max_abs),
      penalty_bits_(static_cast<int>(settings.penalty_bits)),
      factors_in_clear_(factors_in_clear),
      scheme_(make_scheme(settings.scheme)),
      factor_stream_(me.random("exchange factors")),
      cipher_stream_(me.random("exchange randomness")),
      g_(me.neighbors().size(), 0.0) {
  if (as_integer(bounds.own) < min_penalty_steps)
    throw CryptoError(fmt::format(
        "a penalty of {} has fewer than {} steps with {} fractional bits: raise exchange.penalty_bits",
        bounds.own, min_penalty_steps, penalty_bits_));
  range_.entries = entries;
  range_.value_bits = grid_.value_bits();
  range_.factor_bits = std::max(1, bit_length(static_cast<UInt128>(as_integer(bounds.everyone))));
  const int sum_bits = range_.reply_bits() + range_.factor_bits + bit_length(me.neighbors().size());
  if (sum_bits > 127)
    throw CryptoError(
        fmt::format("the exchange needs {} bits, more than 127: lower exchange.quantization, max_abs or "
                    "penalty_bits",
                    sum_bits));
  RandomStream key_stream = me.random("exchange keys");
  owner_ = scheme_->generate_keys(range_, key_stream);
}

Task<void> NeighborExchange::open() {
  const auto neighbors = me_.neighbors();
  peer_keys_.assign(neighbors.size(), {});
  if (factors_in_clear_) draw_factors();
  const bool sends = factors_in_clear_ || !owner_->public_key().empty();
  for (std::size_t k = 0; sends && k < neighbors.size(); ++k) {
    Writer w;
    if (factors_in_clear_) w.put(next_G_[k]);
    w.raw(owner_->public_key());
    me_.send(neighbors[k], tags::public_key, w.take());
  }
  for (std::size_t k = 0; sends && k < neighbors.size(); ++k) {
    const Bytes message = co_await me_.receive(neighbors[k], tags::public_key);
    Reader r(message);
    if (factors_in_clear_) peer_next_G_[k] = r.get<std::int64_t>();
    const auto key = r.rest();
    peer_keys_[k].assign(key.begin(), key.end());
  }
  open_responders();
}

Task<Matrix> NeighborExchange::round(const Matrix& U, StopFlag& flag) {
  const auto neighbors = me_.neighbors();
  const std::vector<std::int64_t> I = grid_.quantize({U.data(), static_cast<std::size_t>(U.size())});
  if (factors_in_clear_) G_ = next_G_;
  draw_factors();
  send_request(I, flag);
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const Bytes request = co_await me_.receive(neighbors[k], tags::exchange_request);
    answer(k, request, I, flag);
  }
  std::vector<Int128> sum(range_.entries, 0);
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const Bytes reply = co_await me_.receive(neighbors[k], tags::exchange_reply);
    add_reply(k, reply, sum, flag);
  }
  const double unit = grid_.steps_per_unit() * std::ldexp(1.0, 2 * penalty_bits_);
  Matrix D(U.rows(), U.cols());
  for (std::size_t e = 0; e < sum.size(); ++e) D.data()[e] = static_cast<double>(sum[e]) / unit;
  co_return D;
}

double NeighborExchange::proximal_weight() const {
  const double product =
      static_cast<double>(as_integer(bounds_.own)) * static_cast<double>(as_integer(bounds_.everyone));
  return static_cast<double>(g_.size()) * std::ldexp(product, -2 * penalty_bits_);
}

double NeighborExchange::rho() const {
  Int128 sum = 0;
  for (std::size_t k = 0; k < next_G_.size(); ++k) sum += Int128{next_G_[k]} * peer_next_G_[k];
  return std::ldexp(static_cast<double>(sum), -2 * penalty_bits_);
}

/// g_ij ~ U(previous g_ij, g_i]. With factors in clear this is the draw for the round after.
void NeighborExchange::draw_factors() {
  std::vector<std::int64_t>& drawn = factors_in_clear_ ? next_G_ : G_;
  drawn.resize(g_.size());
  peer_next_G_.resize(factors_in_clear_ ? g_.size() : 0);
  for (std::size_t k = 0; k < g_.size(); ++k) {
    g_[k] = factor_stream_.uniform_above(g_[k], bounds_.own);
    drawn[k] = as_integer(g_[k]);
  }
}

/// Lines 8 and 9: -I_i, encrypted once, to all neighbors.
void NeighborExchange::send_request(const std::vector<std::int64_t>& I, const StopFlag& flag) {
  std::vector<std::int64_t> negated(I.size());
  for (std::size_t e = 0; e < I.size(); ++e) negated[e] = -I[e];
  me_.compute(scheme_->operations().encrypt, I.size());
  const Bytes request = owner_->encrypt(negated, cipher_stream_);
  for (const AgentId j : me_.neighbors()) {
    Writer w(request.size() + sizeof(std::uint64_t));
    w.put(flag.word());
    w.raw(request);
    me_.send(j, tags::exchange_request, w.take());
  }
}

/// Lines 11 and 12, with the names turned round: neighbor k asked, this agent responds with G_ij (I_i - I_k).
void NeighborExchange::answer(std::size_t k, const Bytes& message, const std::vector<std::int64_t>& I,
                              StopFlag& flag) {
  Reader r(message);
  flag.hear(r.get<std::uint64_t>());
  std::vector<Int128> addend(I.size());
  for (std::size_t e = 0; e < I.size(); ++e) addend[e] = Int128{G_[k]} * I[e];
  me_.compute(scheme_->operations().respond, I.size());
  const Bytes reply = responders_[k]->respond(r.rest(), G_[k], addend, cipher_stream_);
  Writer w(reply.size() + 2 * sizeof(std::uint64_t));
  w.put(flag.word());
  if (factors_in_clear_) w.put(next_G_[k]);
  w.raw(reply);
  me_.send(me_.neighbors()[k], tags::exchange_reply, w.take());
}

/// Lines 13 to 15: decrypt, multiply by G_ij, add up.
void NeighborExchange::add_reply(std::size_t k, const Bytes& message, std::vector<Int128>& sum,
                                 StopFlag& flag) {
  Reader r(message);
  flag.hear(r.get<std::uint64_t>());
  if (factors_in_clear_) peer_next_G_[k] = r.get<std::int64_t>();
  me_.compute(scheme_->operations().decrypt, sum.size());
  const std::vector<Int128> reply = owner_->decrypt(r.rest());
  for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += Int128{G_[k]} * reply[e];
}

void NeighborExchange::open_responders() {
  responders_.clear();
  for (const Bytes& key : peer_keys_) responders_.push_back(scheme_->open_public_key(range_, key));
}

std::int64_t NeighborExchange::as_integer(double g) const {
  return static_cast<std::int64_t>(std::nearbyint(std::ldexp(g, penalty_bits_)));
}

void NeighborExchange::save(Writer& w) const {
  w.put<std::uint64_t>(peer_keys_.size());
  for (const Bytes& key : peer_keys_) w.block(key);
  w.list(g_);
  w.list(next_G_);
  w.list(peer_next_G_);
  w.put(factor_stream_.position());
  w.put(cipher_stream_.position());
}

void NeighborExchange::load(Reader& r) {
  const std::size_t neighbors = me_.neighbors().size();
  const auto keys = r.get<std::uint64_t>();
  if (keys != neighbors)
    throw FormatError(fmt::format("{} neighbors' keys in a saved state, not {}", keys, neighbors));
  peer_keys_.clear();
  for (std::uint64_t k = 0; k < keys; ++k) {
    const auto key = r.block();
    peer_keys_.emplace_back(key.begin(), key.end());
  }
  g_ = r.list<double>();
  next_G_ = r.list<std::int64_t>();
  peer_next_G_ = r.list<std::int64_t>();
  const std::size_t announced = factors_in_clear_ ? neighbors : 0;
  if (g_.size() != neighbors || next_G_.size() != announced || peer_next_G_.size() != announced)
    throw FormatError("the saved factors are not one per neighbor");
  factor_stream_.seek(r.get<std::uint64_t>());
  cipher_stream_.seek(r.get<std::uint64_t>());
  open_responders();
}

std::vector<std::string> NeighborExchange::labels(const ExchangeSettings& settings, bool factors_in_clear) {
  std::vector<std::string> labels = make_scheme(settings.scheme)->labels();
  if (settings.privacy == "published")
    labels.emplace_back(
        "privacy = published: a neighbor learns U exactly (the gcd of its replies is the factor)");
  if (factors_in_clear)
    labels.emplace_back("variant = published: factors g are sent in clear, eq. (9) needs them");
  return labels;
}

}  // namespace sotto
