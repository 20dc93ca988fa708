// SPDX-License-Identifier: MIT
#include "core/protocols/secure_sum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/protocols/tags.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

Bytes context(std::string_view purpose) {
  return {purpose.begin(), purpose.end()};
}

/// Farthest agent from `root` on paths that avoid `leaf`, which itself hangs on the root.
std::uint64_t depth_of(const Topology& topology, AgentId root, std::optional<AgentId> leaf) {
  std::vector<std::uint32_t> distance(topology.agents(), ~std::uint32_t{0});
  std::vector<AgentId> queue{root};
  distance[root] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (const AgentId j : topology.neighbors(queue[at]))
      if (queue[at] != leaf && distance[j] == ~std::uint32_t{0}) {
        distance[j] = distance[queue[at]] + 1;
        queue.push_back(j);
      }
  return distance[queue.back()];
}

/// Half way between two agents that are far from each other.
AgentId middle(const Topology& topology) {
  const auto farthest = [&](AgentId from) {
    const auto d = topology.distances(from);
    return static_cast<AgentId>(std::max_element(d.begin(), d.end()) - d.begin());
  };
  const AgentId a = farthest(0);
  const AgentId b = farthest(a);
  const auto from_a = topology.distances(a);
  const auto from_b = topology.distances(b);
  AgentId best = 0;
  for (AgentId i = 1; i < topology.agents(); ++i)
    if (std::max(from_a[i], from_b[i]) < std::max(from_a[best], from_b[best])) best = i;
  return best;
}

void refuse_cut_vertices(const std::vector<AgentId>& cuts) {
  if (cuts.empty()) return;
  constexpr std::size_t shown = 8;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(shown, cuts.size()); ++k) names.push_back(std::to_string(cuts[k]));
  if (cuts.size() > shown) names.push_back(fmt::format("{} more", cuts.size() - shown));
  throw RunError(
      fmt::format("edge-masks would show {} the sums over the parts that the graph falls into without it: "
                  "agent{} {} {} a "
                  "cut vertex; take shares or paillier-tree, or a graph that nobody can cut alone",
                  cuts.size() == 1 ? "an agent" : "each of these agents", cuts.size() == 1 ? "" : "s",
                  fmt::join(names, ", "), cuts.size() == 1 ? "is" : "are each"));
}

}  // namespace

SumPlan SumPlan::make(SumKind kind, const Topology& topology) {
  SumPlan plan;
  plan.kind = kind;
  plan.parties = topology.agents();
  const auto cuts = cut_vertices(topology);
  plan.connectivity = vertex_connectivity(topology, cuts);
  if (kind == SumKind::edge_masks) refuse_cut_vertices(cuts);
  if (kind != SumKind::paillier_tree) {
    plan.root = middle(topology);
  } else if (topology.agents() > 1) {
    auto holder = static_cast<AgentId>(topology.agents() - 1);
    while (std::binary_search(cuts.begin(), cuts.end(), holder)) --holder;
    plan.key_holder = holder;
    plan.root = topology.neighbors(holder)[0];
  }
  plan.depth = depth_of(topology, plan.root, plan.key_holder);
  return plan;
}

void SumPlan::check(SumKind kind, const Topology& topology) {
  if (kind == SumKind::edge_masks) refuse_cut_vertices(cut_vertices(topology));
}

std::string SumPlan::what_colluders_learn() const {
  if (parties <= 2) return "the sum of two parties tells each the other's number";
  switch (kind) {
    case SumKind::shares:
      return fmt::format("any {} colluders of {} learn nothing beyond the sum", parties - 2, parties);
    case SumKind::paillier_tree:
      return fmt::format(
          "nobody learns anything beyond the sum while agent {}, who holds the key, colludes with nobody; "
          "with "
          "it, colluders read the sums over the subtrees below them",
          *key_holder);
    case SumKind::edge_masks:
      break;
  }
  std::string parts = "a coalition learns the sums over the connected parts of the graph without it";
  if (!connectivity) return parts;
  return fmt::format("any {} colluders learn nothing beyond the sum (vertex connectivity {}); {}",
                     *connectivity - 1, *connectivity, parts);
}

namespace {

/// Nothing where there were no sums.
double of_sums(const Counters& c, std::string_view name) {
  return c.get("sums.calls") > 0 ? c.get(name) : no_figure;
}

constexpr CounterFigure sum_figure_table[] = {
    {{"secure_sums", "", "secure sums", Better::lower, Scope::cost, "secure sums", "{:.6g}"},
     [](const Counters& c) { return of_sums(c, "sums.calls"); }},
    {{"secure_sum_rounds", "rounds", "messages of secure sums that follow on each other", Better::lower,
      Scope::cost},
     [](const Counters& c) { return of_sums(c, "sums.rounds"); }},
    {{"secure_sum_messages", "", "messages of secure sums, of all agents", Better::lower, Scope::cost},
     [](const Counters& c) { return of_sums(c, "sums.messages"); }},
    {{"secure_sum_elements", "", "numbers or ciphertexts in them", Better::lower, Scope::cost},
     [](const Counters& c) { return of_sums(c, "sums.elements"); }},
    {{"secure_sum_elements_of_one", "", "the same of the agent that sent the most", Better::lower,
      Scope::cost},
     [](const Counters& c) { return of_sums(c, "sums.most_elements"); }},
    {{"secure_sum_bytes", "bytes", "bytes of these messages", Better::lower, Scope::cost},
     [](const Counters& c) { return of_sums(c, "sums.bytes"); }},
};

}  // namespace

std::span<const CounterFigure> secure_sum_figures() {
  return sum_figure_table;
}

std::vector<std::string> coarse_labels(const Counters& counters) {
  const double coarse = counters.get("sums.coarse");
  if (!(coarse > 0)) return {};
  return {fmt::format(
      "{} of {} secure sums came out within 2^20 steps of the grid, and are right to few digits: raise "
      "secure_sum.fraction_bits, or scale the data",
      coarse, counters.get("sums.calls"))};
}

SecureSum::SecureSum(Agent& me, const SecureSumOptions& options, const SumPlan& plan,
                     std::shared_ptr<const AdditiveScheme> scheme)
    : me_(me),
      plan_(plan),
      fraction_bits_(static_cast<int>(options.fraction_bits)),
      wide_(options.ring_bits > 64),
      scheme_(std::move(scheme)),
      cipher_stream_(me.secret_random("secure sum randomness")),
      key_seed_(me.lasting_secret_random("secure sum keys").next_key()) {
  if (plan.kind == SumKind::paillier_tree) return;
  agreement_.emplace(me.secret_random("secure sum agreement").next_key());
  const auto neighbors = me.neighbors();
  if (plan.kind == SumKind::edge_masks) {
    for (const AgentId j : neighbors) peers_.emplace_back(j, true);
    return;
  }
  for (AgentId j = 0; j < plan.parties; ++j)
    if (j != me.id()) peers_.emplace_back(j, std::binary_search(neighbors.begin(), neighbors.end(), j));
}

double SecureSum::coarse_below() const {
  return std::ldexp(static_cast<double>(plan_.parties), 20 - fraction_bits_);
}

Task<void> SecureSum::open() {
  if (plan_.parties == 1) co_return;
  if (plan_.kind != SumKind::shares)
    place_ = co_await spanning_tree(me_, plan_.root, plan_.key_holder, plan_.depth);
  if (plan_.kind == SumKind::paillier_tree)
    co_await hear_public_key();
  else
    co_await exchange_keys();
}

Task<void> SecureSum::exchange_keys() {
  for (const Peer& peer : peers_) {
    const AgreementKey& key = agreement_->public_key();
    me_.send(peer.id, tags::sum_key, {key.begin(), key.end()});
  }
  for (Peer& peer : peers_) {
    const Bytes message = co_await me_.receive(peer.id, tags::sum_key);
    Reader r(message);
    peer.key = r.get<AgreementKey>();
    r.finish();
  }
  prepare_peers();
}

/// Both ends derive the same: a stream of masks and, where messages pass through others, a key for each direction.
void SecureSum::prepare_peers() {
  for (Peer& peer : peers_) {
    peer.masks.emplace(agreement_->agree(peer.key, context("masks of a secure sum")));
    if (peer.neighbor) continue;
    const StreamKey up = agreement_->agree(peer.key, context("seal from the smaller to the larger agent"));
    const StreamKey down = agreement_->agree(peer.key, context("seal from the larger to the smaller agent"));
    peer.outgoing.emplace(me_.id() < peer.id ? up : down);
    peer.incoming.emplace(me_.id() < peer.id ? down : up);
    peer.outgoing->go_on_at(figures_.calls);
    peer.incoming->go_on_at(figures_.calls);
  }
}

/// From its holder to the root and down the tree.
Task<void> SecureSum::hear_public_key() {
  if (me_.id() == plan_.key_holder) {
    public_key_ = owner(1).public_key();
    me_.send(plan_.root, tags::sum_key, public_key_);
    co_return;
  }
  public_key_ =
      co_await me_.receive(me_.id() == plan_.root ? *plan_.key_holder : *place_.parent, tags::sum_key);
  for (const AgentId child : place_.children)
    if (child != plan_.key_holder) me_.send(child, tags::sum_key, public_key_);
  const Charge setup = responder(1).setup_charge();
  if (setup.count > 0) me_.compute(setup.operation, setup.count);
}

Task<Vector> SecureSum::sum(Vector own) {
  if (plan_.kind == SumKind::paillier_tree && plan_.parties > 1)
    co_return co_await encrypted_sum(std::move(own));
  if (wide_) co_return co_await masked_sum<UInt128>(std::move(own));
  co_return co_await masked_sum<std::uint64_t>(std::move(own));
}

template <class Word>
Task<Vector> SecureSum::masked_sum(Vector own) {
  const RingGrid<Word> grid(
      fraction_bits_, plan_.parties,
      wide_ ? "lower secure_sum.fraction_bits, or scale the data"
            : "set secure_sum.ring_bits = 128, lower secure_sum.fraction_bits, or scale the data");
  const std::span<double> numbers(own.data(), static_cast<std::size_t>(own.size()));
  std::vector<Word> y = grid.encode(numbers);
  const std::size_t words = y.size() * sizeof(Word) / 8;
  for (Peer& peer : peers_)  // y_i = x_i + sum_{j > i} F_kij - sum_{j < i} F_kij
    peer.masks->apply(figures_.calls, me_.id() < peer.id ? MaskSign::add : MaskSign::subtract, std::span(y));
  me_.compute(Operation::mask_word, words * peers_.size());
  if (plan_.parties == 1) {
    // nobody to add
  } else if (plan_.kind == SumKind::edge_masks) {
    co_await open_shares(me_, place_, plan_.depth, y, figures_);
  } else {
    co_await over_all(y);
  }
  const std::size_t added = plan_.kind == SumKind::shares ? peers_.size() : place_.children.size();
  me_.compute(Operation::ring_word, words * (2 + added));
  grid.decode(y, numbers);
  ++figures_.calls;
  co_return own;
}

/// Everybody's masked vector to everybody.
template <class Word>
Task<void> SecureSum::over_all(std::vector<Word>& y) {
  const Bytes own = write_elements<Word>(y);
  for (Peer& peer : peers_)
    figures_.send(me_, peer.id, tags::sum_share, peer.neighbor ? own : peer.outgoing->seal(own), y.size());
  for (Peer& peer : peers_) {
    const Bytes message = co_await me_.receive(peer.id, tags::sum_share);
    add_elements<Word>(y, peer.neighbor ? message : peer.incoming->open(message));
  }
  ++figures_.rounds;
}

/// Numbers below 2^a each, M of them in a slot.
ExchangeRange SecureSum::range(std::size_t entries) const {
  const auto parties_bits = static_cast<int>(std::bit_width(plan_.parties));
  ExchangeRange range;
  range.entries = entries;
  range.value_bits = 62 - parties_bits;
  range.factor_bits = 1;
  range.slot_bits = range.value_bits + parties_bits + 3;
  range.party = me_.id();
  return range;
}

KeyOwner& SecureSum::owner(std::size_t entries) {
  auto& owner = owners_[entries];
  if (!owner) {
    RandomStream keys(key_seed_);
    owner = scheme_->generate_keys(range(entries), keys);
  }
  return *owner;
}

Responder& SecureSum::responder(std::size_t entries) {
  auto& responder = others_[entries];
  if (!responder) responder = scheme_->open_public_key(range(entries), public_key_);
  return *responder;
}

Task<Vector> SecureSum::encrypted_sum(Vector own) {
  const auto entries = static_cast<std::size_t>(own.size());
  const std::span<double> numbers(own.data(), entries);
  const RingGrid<std::uint64_t> grid(fraction_bits_, std::size_t{2} << std::bit_width(plan_.parties),
                                     "lower secure_sum.fraction_bits, or scale the data");
  std::vector<std::uint64_t> elements = grid.encode(numbers);
  std::vector<Int128> addend(entries);
  for (std::size_t e = 0; e < entries; ++e) addend[e] = static_cast<std::int64_t>(elements[e]);
  Responder& theirs = responder(entries);
  std::vector<Bytes> messages;
  for (const AgentId child : place_.children) messages.push_back(co_await me_.receive(child, tags::sum_up));
  const std::vector<std::span<const std::uint8_t>> requests(messages.begin(), messages.end());
  const Charge charge = theirs.add_charge(requests.size());
  me_.compute(charge.operation, charge.count);
  Bytes sum = theirs.add(requests, addend, cipher_stream_);
  const std::size_t ciphertexts = theirs.ciphertexts();
  if (me_.id() == plan_.root) {
    figures_.send(me_, *plan_.key_holder, tags::sum_down, std::move(sum), ciphertexts);
    sum = co_await me_.receive(*plan_.key_holder, tags::sum_share);
  } else {
    figures_.send(me_, *place_.parent, tags::sum_up, std::move(sum), ciphertexts);
    if (me_.id() == plan_.key_holder) {
      const Bytes total = co_await me_.receive(plan_.root, tags::sum_down);
      KeyOwner& mine = owner(entries);
      const Charge opening = mine.decrypt_charge(1);
      me_.compute(opening.operation, opening.count);
      const std::span<const std::uint8_t> reply(total);
      const std::vector<std::int64_t> once{1};
      const auto opened = mine.decrypt_sum(std::span(&reply, 1), std::span(&once, 1));
      for (std::size_t e = 0; e < entries; ++e) elements[e] = static_cast<std::uint64_t>(opened[e]);
      sum = write_elements<std::uint64_t>(elements);
      figures_.send(me_, plan_.root, tags::sum_share, sum, entries);
    } else {
      sum = co_await me_.receive(*place_.parent, tags::sum_down);
    }
  }
  for (const AgentId child : place_.children)
    if (child != plan_.key_holder) figures_.send(me_, child, tags::sum_down, sum, entries);
  grid.decode(read_elements<std::uint64_t>(sum, entries), numbers);
  me_.compute(Operation::ring_word, 2 * entries);
  figures_.rounds += 2 * plan_.depth + 2;
  ++figures_.calls;
  co_return own;
}

void SecureSum::save(Writer& w) const {
  place_.save(w);
  w.put<std::uint64_t>(peers_.size());
  for (const Peer& peer : peers_) w.put(peer.key);
  w.block(public_key_);
  w.put(cipher_stream_.position());
  w.put(figures_);
}

void SecureSum::load(Reader& r) {
  place_ = TreePlace::load(r);
  if (const auto count = r.get<std::uint64_t>(); count != peers_.size())
    throw FormatError(fmt::format("{} keys of a secure sum in a saved state, not {}", count, peers_.size()));
  for (Peer& peer : peers_) peer.key = r.get<AgreementKey>();
  const auto key = r.block();
  public_key_.assign(key.begin(), key.end());
  cipher_stream_.seek(r.get<std::uint64_t>());
  figures_ = r.get<SumFigures>();
  if (plan_.parties > 1) prepare_peers();
}

std::vector<std::string> SecureSum::labels(const SecureSumOptions& options, const SumPlan& plan,
                                           const AdditiveScheme* scheme) {
  std::vector<std::string> labels{
      fmt::format("secure_sum = {}: {}", word_of(options.kind), plan.what_colluders_learn())};
  if (scheme != nullptr)
    for (std::string& label : scheme->labels()) labels.push_back(std::move(label));
  return labels;
}

}  // namespace sotto
