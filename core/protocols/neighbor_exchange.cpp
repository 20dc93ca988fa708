// SPDX-License-Identifier: MIT
#include "core/protocols/neighbor_exchange.h"

#include <fmt/format.h>

#include <cmath>

#include "core/protocols/tags.h"

namespace sotto {

void ExchangeFigures::count(Counters& counters) const {
  counters.add("exchange.ciphertexts", Fold::sum, static_cast<double>(ciphertexts));
  counters.add("exchange.bytes", Fold::sum, static_cast<double>(bytes));
  counters.add("exchange.plain_bytes", Fold::sum, static_cast<double>(plain_bytes));
  counters.add("exchange.table_bytes", Fold::largest, static_cast<double>(table_bytes));
}

namespace {

double or_zero(double count) {
  return std::isnan(count) ? 0 : count;
}

constexpr CounterFigure exchange_figure_table[] = {
    {{"ciphertexts", "", "ciphertexts made by all agents, requests and replies", Better::lower, Scope::cost},
     [](const Counters& c) { return or_zero(c.get("exchange.ciphertexts")); }},
    {{"expansion", "", "bytes of requests and replies over those of the same messages unencrypted",
      Better::lower, Scope::cost, "expansion", "{:.3g}"},
     [](const Counters& c) {
       const double plain = c.get("exchange.plain_bytes");
       return plain > 0 ? c.get("exchange.bytes") / plain : no_figure;
     }},
    {{"table_bytes_per_agent", "bytes", "tables of powers that the agent with the most keeps", Better::lower,
      Scope::cost},
     [](const Counters& c) { return or_zero(c.get("exchange.table_bytes")); }},
};

}  // namespace

std::span<const CounterFigure> exchange_figures() {
  return exchange_figure_table;
}

NeighborExchange::NeighborExchange(Agent& me, std::shared_ptr<const AdditiveScheme> scheme,
                                   const ExchangeOptions& options, Bounds bounds, std::size_t entries,
                                   bool factors_in_clear)
    : me_(me),
      bounds_(bounds),
      privacy_(options.privacy),
      grid_(options.quantization, options.max_abs),
      penalty_bits_(static_cast<int>(options.penalty_bits)),
      factors_in_clear_(factors_in_clear),
      scheme_(std::move(scheme)),
      factor_stream_(me.private_random("exchange factors")),
      dither_stream_(me.private_random("exchange dither")),
      cipher_stream_(me.secret_random("exchange randomness")),
      g_(me.neighbors().size(), 0.0) {
  const std::size_t degree = me.neighbors().size();
  const double largest = std::max(bounds.own, bounds.everyone);
  if (!(largest < std::ldexp(1.0, 61 - penalty_bits_)))
    throw CryptoError(fmt::format(
        "a penalty of {} with {} fractional bits does not fit 61 bits: lower exchange.penalty_bits, or "
        "scale the data",
        largest, penalty_bits_));
  if (as_integer(bounds.own) < min_penalty_steps)
    throw CryptoError(fmt::format(
        "a penalty of {} has fewer than {} steps with {} fractional bits: raise exchange.penalty_bits",
        bounds.own, min_penalty_steps, penalty_bits_));
  range_.entries = entries;
  range_.value_bits = grid_.value_bits();
  range_.factor_bits = std::max(1, bit_length(static_cast<UInt128>(as_integer(bounds.everyone))));
  range_.factor_per_entry = privacy_ == ExchangePrivacy::per_entry;
  range_.replies = masked() ? Replies::summed : scheme_->best_replies(range_, degree);
  range_.slot_bits = range_.slot_bits_for(degree);
  range_.senders = degree;
  range_.party = me.id();
  const int sum_bits = range_.reply_bits() + range_.factor_bits + bit_length(degree);
  if (sum_bits > 127)
    throw CryptoError(
        fmt::format("the exchange needs {} bits, more than 127: lower exchange.quantization, max_abs or "
                    "penalty_bits",
                    sum_bits));
  RandomStream keys = key_stream(me);
  owner_ = scheme_->generate_keys(range_, keys);
  if (masked()) agreement_.emplace(me.secret_random("exchange agreement").next_key());
  F_.assign(degree, {});
  if (privacy_ != ExchangePrivacy::published) draw_lasting_factors();
}

/// Slot bits, and, where replies share a plaintext, the place of neighbor k in it.
std::uint32_t NeighborExchange::announcement(std::size_t k) const {
  Peer told;
  told.slot_bits = range_.slot_bits;
  if (range_.replies == Replies::shared) told.place = k;
  return told.announced();
}

std::uint32_t NeighborExchange::Peer::announced() const {
  return static_cast<std::uint32_t>(slot_bits) | (place ? static_cast<std::uint32_t>(*place + 1) << 8 : 0);
}

void NeighborExchange::Peer::hear(std::uint32_t word) {
  slot_bits = static_cast<int>(word & 0xff);
  place = word >> 8 == 0 ? std::nullopt : std::optional<std::size_t>((word >> 8) - 1);
}

Task<void> NeighborExchange::open() {
  const auto neighbors = me_.neighbors();
  peers_ = std::vector<Peer>(neighbors.size());
  for (Peer& peer : peers_) peer.slot_bits = range_.slot_bits;
  if (factors_in_clear_) draw_factors();
  const bool sends = factors_in_clear_ || announces();
  for (std::size_t k = 0; sends && k < neighbors.size(); ++k) {
    Writer w;
    if (factors_in_clear_) w.put(next_G_[k]);
    if (announces()) w.put(announcement(k));
    if (masked()) w.raw(agreement_->public_key());
    w.raw(owner_->public_key());
    me_.send(neighbors[k], tags::public_key, w.take());
  }
  for (std::size_t k = 0; sends && k < neighbors.size(); ++k) {
    const Bytes message = co_await me_.receive(neighbors[k], tags::public_key);
    Reader r(message);
    if (factors_in_clear_) peer_next_G_[k] = r.get<std::int64_t>();
    if (announces()) peers_[k].hear(r.get<std::uint32_t>());
    if (masked()) peers_[k].agreement = r.get<AgreementKey>();
    const auto key = r.rest();
    peers_[k].key.assign(key.begin(), key.end());
  }
  if (masked()) co_await relay_agreement_keys();
  prepare_peers();
  for (const Peer& peer : peers_) {
    const Charge setup = peer.responder->setup_charge();
    if (setup.count > 0) me_.compute(setup.operation, setup.count);
  }
}

/// To every neighbor the public keys of all others, in the order of the neighbors: without names.
Task<void> NeighborExchange::relay_agreement_keys() {
  const auto neighbors = me_.neighbors();
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    Writer w;
    for (std::size_t other = 0; other < neighbors.size(); ++other)
      if (other != k) w.raw(peers_[other].agreement);
    me_.send(neighbors[k], tags::neighborhood_keys, w.take());
  }
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const Bytes message = co_await me_.receive(neighbors[k], tags::neighborhood_keys);
    Reader r(message);
    while (r.left() > 0) peers_[k].others.push_back(r.get<AgreementKey>());
  }
}

Task<Matrix> NeighborExchange::round(const Matrix& U, StopFlag& flag) {
  const auto neighbors = me_.neighbors();
  const std::vector<std::int64_t> I = grid_.quantize({U.data(), static_cast<std::size_t>(U.size())});
  if (privacy_ == ExchangePrivacy::published) draw_factors();
  send_request(I, flag);
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const Bytes request = co_await me_.receive(neighbors[k], tags::exchange_request);
    answer(k, request, I, flag);
  }
  std::vector<Bytes> messages(neighbors.size());
  std::vector<std::span<const std::uint8_t>> replies;
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    messages[k] = co_await me_.receive(neighbors[k], tags::exchange_reply);
    Reader r(messages[k]);
    flag.hear(r.get<std::uint64_t>());
    if (factors_in_clear_) peer_next_G_[k] = r.get<std::int64_t>();
    replies.push_back(r.rest());
  }
  // lines 13 to 15: decrypt, multiply by the own factor, add up
  const Charge charge = owner_->decrypt_charge(replies.size());
  me_.compute(charge.operation, charge.count);
  const std::vector<Int128> sum = owner_->decrypt_sum(replies, F_);
  ++rounds_;
  const double unit = grid_.steps_per_unit() * std::ldexp(1.0, 2 * penalty_bits_);
  Matrix D(U.rows(), U.cols());
  for (std::size_t e = 0; e < sum.size(); ++e) D.data()[e] = static_cast<double>(sum[e]) / unit;
  co_return D;
}

double NeighborExchange::proximal_weight() const {
  const auto own = masked() && !F_.empty() ? F_.front().front() : as_integer(bounds_.own);
  const double product = static_cast<double>(own) * static_cast<double>(as_integer(bounds_.everyone));
  return static_cast<double>(g_.size()) * std::ldexp(product, -2 * penalty_bits_);
}

double NeighborExchange::rho() const {
  Int128 sum = 0;
  for (std::size_t k = 0; k < next_G_.size(); ++k) sum += Int128{next_G_[k]} * peer_next_G_[k];
  return std::ldexp(static_cast<double>(sum), -2 * penalty_bits_);
}

/// published: g_ij ~ U(previous g_ij, g_i]. With factors in clear the draw is for the round after.
void NeighborExchange::draw_factors() {
  peer_next_G_.resize(factors_in_clear_ ? g_.size() : 0);
  const std::vector<std::int64_t> announced = next_G_;
  next_G_.resize(peer_next_G_.size());
  for (std::size_t k = 0; k < g_.size(); ++k) {
    g_[k] = factor_stream_.uniform_above(g_[k], bounds_.own);
    const std::int64_t drawn = as_integer(g_[k]);
    if (factors_in_clear_) next_G_[k] = drawn;
    F_[k] = {factors_in_clear_ && !announced.empty() ? announced[k] : drawn};
  }
}

/// The private exchanges: once, from (1/2, 1] g_i.
void NeighborExchange::draw_lasting_factors() {
  const auto draw = [&] { return as_integer(factor_stream_.uniform_above(bounds_.own / 2, bounds_.own)); };
  if (masked()) {
    const std::int64_t G = draw();
    for (auto& F : F_) F = {G};
    return;
  }
  for (auto& F : F_) {
    F.resize(range_.entries);
    for (std::int64_t& f : F) f = draw();
  }
}

void NeighborExchange::count_message(std::size_t payload, std::size_t word_bits) {
  figures_.bytes += payload;
  figures_.plain_bytes += range_.entries * (word_bits > 64 ? 16 : 8);
}

/// Lines 8 and 9: -I_i, encrypted once, to all neighbors.
void NeighborExchange::send_request(const std::vector<std::int64_t>& I, const StopFlag& flag) {
  std::vector<std::int64_t> negated(I.size());
  for (std::size_t e = 0; e < I.size(); ++e) negated[e] = -I[e];
  const Charge charge = owner_->encrypt_charge();
  me_.compute(charge.operation, charge.count);
  const Bytes request = owner_->encrypt(negated, cipher_stream_);
  figures_.ciphertexts += owner_->ciphertexts();
  for (const AgentId j : me_.neighbors()) {
    Writer w(request.size() + sizeof(std::uint64_t));
    w.put(flag.word());
    w.raw(request);
    count_message(request.size(), 64);
    me_.send(j, tags::exchange_request, w.take());
  }
}

/// F I_j + dither, with the names turned round: this agent is j.
std::vector<Int128> NeighborExchange::addend_for(std::size_t k, const std::vector<std::int64_t>& I) {
  const std::vector<std::int64_t>& F = F_[k];
  std::vector<Int128> addend(I.size());
  for (std::size_t e = 0; e < I.size(); ++e) {
    const std::int64_t f = F[F.size() == 1 ? 0 : e];
    addend[e] = Int128{f} * I[e];
    if (privacy_ != ExchangePrivacy::published)
      addend[e] += static_cast<std::int64_t>(dither_stream_.below(static_cast<std::uint64_t>(f))) - f / 2;
  }
  return addend;
}

/// Lines 11 and 12: neighbor k asked, this agent responds.
void NeighborExchange::answer(std::size_t k, const Bytes& message, const std::vector<std::int64_t>& I,
                              StopFlag& flag) {
  Reader r(message);
  flag.hear(r.get<std::uint64_t>());
  Peer& peer = peers_[k];
  std::vector<PairMask> masks;
  for (std::size_t m = 0; m < peer.masks.size(); ++m) masks.push_back({&peer.masks[m], peer.subtract[m]});
  const Charge charge = peer.responder->respond_charge();
  me_.compute(charge.operation, charge.count);
  const Bytes reply = peer.responder->respond(r.rest(), F_[k], addend_for(k, I), masks, cipher_stream_);
  figures_.ciphertexts += peer.responder->ciphertexts();
  count_message(reply.size(), static_cast<std::size_t>(peer.slot_bits));
  Writer w(reply.size() + 2 * sizeof(std::uint64_t));
  w.put(flag.word());
  if (factors_in_clear_) w.put(next_G_[k]);
  w.raw(reply);
  me_.send(me_.neighbors()[k], tags::exchange_reply, w.take());
}

/// From what a peer announced to what it takes to answer it; masks go on where `rounds_` rounds have left them.
void NeighborExchange::prepare_peers() {
  figures_.table_bytes = owner_->table_bytes();
  for (Peer& peer : peers_) {
    ExchangeRange range = range_;
    range.slot_bits = peer.slot_bits;
    if (peer.place)
      range.replies = Replies::shared;
    else if (range.replies == Replies::shared)
      range.replies = Replies::each;
    range.place = peer.place.value_or(0);
    peer.responder = scheme_->open_public_key(range, peer.key);
    figures_.table_bytes += peer.responder->table_bytes();
    peer.masks.clear();
    peer.subtract.clear();
    for (const AgreementKey& other : peer.others) {
      peer.masks.emplace_back(agreement_->agree(other, peer.agreement));
      peer.masks.back().seek(rounds_ * peer.responder->mask_words());
      peer.subtract.push_back(agreement_->public_key() < other);
    }
  }
}

std::int64_t NeighborExchange::as_integer(double g) const {
  return static_cast<std::int64_t>(std::nearbyint(std::ldexp(g, penalty_bits_)));
}

void NeighborExchange::save(Writer& w) const {
  w.text(scheme_->implementation());
  w.put<std::uint64_t>(peers_.size());
  for (const Peer& peer : peers_) {
    w.block(peer.key);
    w.put(peer.announced());
    w.put(peer.agreement);
    w.list(peer.others);
  }
  w.list(g_);
  w.list(next_G_);
  w.list(peer_next_G_);
  w.put(factor_stream_.position());
  w.put(dither_stream_.position());
  w.put(cipher_stream_.position());
  w.put(rounds_);
  w.put(figures_);
}

void NeighborExchange::load(Reader& r) {
  const std::size_t neighbors = me_.neighbors().size();
  if (const std::string made_by = r.text(); made_by != scheme_->implementation())
    throw RunError(
        fmt::format("this run was saved with exchange.seal_engine = \"{}\" and cannot go on with \"{}\"",
                    made_by, scheme_->implementation()));
  const auto keys = r.get<std::uint64_t>();
  if (keys != neighbors)
    throw FormatError(fmt::format("{} neighbors' keys in a saved state, not {}", keys, neighbors));
  peers_ = std::vector<Peer>(neighbors);
  for (Peer& peer : peers_) {
    const auto key = r.block();
    peer.key.assign(key.begin(), key.end());
    peer.hear(r.get<std::uint32_t>());
    peer.agreement = r.get<AgreementKey>();
    peer.others = r.list<AgreementKey>();
  }
  g_ = r.list<double>();
  next_G_ = r.list<std::int64_t>();
  peer_next_G_ = r.list<std::int64_t>();
  const std::size_t announced = factors_in_clear_ ? neighbors : 0;
  if (g_.size() != neighbors || next_G_.size() != announced || peer_next_G_.size() != announced)
    throw FormatError("the saved factors are not one per neighbor");
  factor_stream_.seek(r.get<std::uint64_t>());
  dither_stream_.seek(r.get<std::uint64_t>());
  cipher_stream_.seek(r.get<std::uint64_t>());
  rounds_ = r.get<std::uint64_t>();
  figures_ = r.get<ExchangeFigures>();
  prepare_peers();
}

std::vector<std::string> NeighborExchange::labels(const AdditiveScheme& scheme,
                                                  const ExchangeOptions& options, bool factors_in_clear) {
  std::vector<std::string> labels = scheme.labels();
  switch (options.privacy) {
    case ExchangePrivacy::published:
      labels.emplace_back(
          "privacy = published: a neighbor learns U exactly (the gcd of its replies is the factor)");
      break;
    case ExchangePrivacy::per_entry:
      labels.emplace_back(
          "privacy = per-entry: a neighbor learns each entry of U_j - U_i up to a factor between 1/2 and 1 "
          "of a known "
          "bound, and its sign");
      break;
    case ExchangePrivacy::neighborhood_sum:
      labels.emplace_back(
          "privacy = neighborhood-sum: an agent learns the sum over its neighbors; colluders whose "
          "neighborhoods "
          "differ by one agent learn that one's U up to its factor");
      break;
  }
  if (factors_in_clear)
    labels.emplace_back("variant = published: factors g are sent in clear, eq. (9) needs them");
  return labels;
}

}  // namespace sotto
