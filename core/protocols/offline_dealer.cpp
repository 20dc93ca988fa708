// SPDX-License-Identifier: MIT
#include "core/protocols/offline_dealer.h"

#include <algorithm>
#include <optional>

#include "crypto/prg.h"

namespace sotto {

namespace {

enum class Wish : std::uint8_t { seeds, shares, boundary };

struct Request {
  Wish wish;
  std::uint64_t number;   ///< of the call, or of the boundary
  std::uint64_t columns;  ///< boundary: 1 if it is the last

  Bytes bytes() const {
    Writer w;
    w.put(wish);
    w.put(number);
    w.put(columns);
    return w.take();
  }
  static Request of(const Bytes& bytes) {
    Reader r(bytes);
    const auto wish = r.get<Wish>();
    const auto number = r.get<std::uint64_t>();
    const auto columns = r.get<std::uint64_t>();
    r.finish();
    return {wish, number, columns};
  }
};

/// Calls visit(element, ...) for everything that is dealt, of several parties' shares side by side: what a message holds, in that
/// order. Masks are never dealt.
template <class Visit, class First, class... Others>
void each_dealt(Visit visit, First& first, Others&... others) {
  visit(first.squares, others.squares...);
  visit(first.square_mask, others.square_mask...);
  visit(first.rho, others.rho...);
  for (std::size_t i = 0; i < first.steps.size(); ++i)
    for (const auto part :
         {&InverseShares::mask, &InverseShares::beta, &InverseShares::beta2, &InverseShares::beta3,
          &InverseShares::rho_beta, &InverseShares::rho_beta2, &InverseShares::rho_beta3})
      visit(first.steps[i].*part, others.steps[i].*part...);
  for (std::size_t j = 0; j < first.beta_mask.size(); ++j) visit(first.beta_mask[j], others.beta_mask[j]...);
}

template <class Vec>
NormedSumShares<Vec> empty_shares(const NormedSumPlan& plan) {
  NormedSumShares<Vec> shares;
  shares.mask.resize(plan.entries);
  shares.steps.resize(plan.steps.size());
  shares.beta_mask.resize(plan.entries);
  return shares;
}

template <class Vec>
std::size_t dealt_bytes(const NormedSumPlan& plan) {
  return (2 + plan.entries) * sizeof(Vec) + (1 + 7 * plan.steps.size()) * sizeof(Ring256);
}

template <class Vec>
void read_dealt(Reader& r, NormedSumShares<Vec>& shares) {
  each_dealt([&]<class Word>(Word& x) { x = r.get<Word>(); }, shares);
}

/// What follows from a party's seed: its masks, and for all but party 0 what would otherwise be in a message.
class SeededShares {
 public:
  explicit SeededShares(const StreamKey& seed) : SeededShares(RandomStream(seed)) {}

  template <class Vec>
  std::vector<NormedSumShares<Vec>> draw(const NormedSumPlan& plan, std::uint64_t call, std::size_t columns,
                                         bool dealt) {
    std::vector<NormedSumShares<Vec>> shares(columns, empty_shares<Vec>(plan));
    const Bytes masks = stream(masks_, call, columns * plan.entries * sizeof(Vec));
    Reader of_masks(masks);
    for (auto& column : shares)
      for (Vec& x : column.mask) x = of_masks.get<Vec>();
    if (!dealt) return shares;
    const Bytes message = stream(dealt_, call, columns * dealt_bytes<Vec>(plan));
    Reader of_message(message);
    for (auto& column : shares) read_dealt(of_message, column);
    return shares;
  }

 private:
  explicit SeededShares(RandomStream keys) : masks_(keys.next_key()), dealt_(keys.next_key()) {}

  static Bytes stream(MaskGenerator& generator, std::uint64_t call, std::size_t bytes) {
    std::vector<std::uint64_t> words((bytes + 7) / 8);
    generator.apply(call, MaskSign::add, words);
    Bytes out(bytes);
    std::memcpy(out.data(), words.data(), bytes);
    return out;
  }

  MaskGenerator masks_, dealt_;
};

template <class Vec>
class Dealer {
 public:
  Dealer(Agent& me, const NormedSumPlan& plan) : me_(me), plan_(plan) {
    RandomStream random = me.secret_random("a dealer");
    for (std::size_t m = 0; m < plan.parties; ++m) {
      seeds_.push_back(random.next_key());
      parties_.emplace_back(seeds_.back());
    }
    mask_key_ = random.next_key();
  }

  void send_seeds() {
    for (AgentId m = 0; m < plan_.parties; ++m)
      me_.send(m, tags::deal_seed, {seeds_[m].begin(), seeds_[m].end()});
  }

  void send_shares(std::uint64_t call, std::size_t columns) {
    constexpr std::uint64_t words_per_call = std::uint64_t{1} << 32;  // no two calls draw the same
    RandomStream random(mask_key_);
    random.seek(call * words_per_call);
    auto sums = parties_[0].template draw<Vec>(plan_, call, columns, false);
    for (std::size_t m = 1; m < parties_.size(); ++m) {
      const auto drawn = parties_[m].template draw<Vec>(plan_, call, columns, true);
      for (std::size_t c = 0; c < columns; ++c) add(drawn[c], sums[c]);
    }
    Writer w(columns * dealt_bytes<Vec>(plan_));
    for (NormedSumShares<Vec>& sum : sums) {
      // products of the whole numbers, less what the others hold: party 0's share
      const NormedSumShares<Vec> whole = multiplied(std::move(sum.mask), random);
      each_dealt([&](const auto& x, const auto& theirs) { w.put(x - theirs); }, whole, sum);
    }
    const std::uint64_t words = columns * plan_.entries * sizeof(Vec) / sizeof(std::uint64_t);
    me_.compute(Operation::mask_word, 2 * parties_.size() * words);
    me_.compute(Operation::ring_word, 4 * words);
    me_.send(0, tags::deal_shares, w.take());
  }

 private:
  static void add(const NormedSumShares<Vec>& from, NormedSumShares<Vec>& to) {
    for (std::size_t j = 0; j < to.mask.size(); ++j) to.mask[j] += from.mask[j];
    each_dealt([](auto& sum, const auto& x) { sum += x; }, to, from);
  }

  /// Everything that is to be shared, from the sum of all masks.
  NormedSumShares<Vec> multiplied(std::vector<Vec> a, RandomStream& random) const {
    NormedSumShares<Vec> whole;
    whole.mask = std::move(a);
    const Ring256 r = draw_bits(random, plan_.square_mask_bits());
    whole.square_mask = narrow<Vec>(r);
    whole.rho = r >> plan_.square_shift();
    whole.steps.resize(plan_.steps.size());
    for (InverseShares& step : whole.steps) {
      step.mask = draw_bits(random, plan_.inverse_mask_bits());
      step.beta = step.mask >> plan_.inverse_shift();
    }
    multiply_out(whole);
    return whole;
  }

  Agent& me_;
  const NormedSumPlan& plan_;
  std::vector<StreamKey> seeds_;
  std::vector<SeededShares> parties_;
  StreamKey mask_key_;
};

struct DealerState {
  std::uint64_t iteration;
  bool finished;
  void save(Writer& w) const { w.put<std::uint8_t>(finished); }
};

template <class Vec>
Task<void> serve(Agent& me, NormedSumPlan plan) {
  Dealer<Vec> dealer(me, plan);
  for (bool finished = false; !finished;) {
    const Request request = Request::of(co_await me.receive(0, tags::deal_request));
    if (request.wish == Wish::seeds) dealer.send_seeds();
    if (request.wish == Wish::shares) dealer.send_shares(request.number, request.columns);
    if (request.wish != Wish::boundary) continue;
    finished = request.columns != 0;
    co_await me.boundary(DealerState{request.number, finished});
  }
}

Task<void> rest() {
  co_return;
}

template <class Vec>
class DealerClient final : public Offline<Vec> {
 public:
  DealerClient(Agent& me, const NormedSumPlan& plan, AgentId dealer)
      : me_(me), plan_(plan), dealer_(dealer) {}

  Task<void> open() override {
    if (me_.id() == 0) ask({Wish::seeds, 0, 0});
    const Bytes message = co_await me_.receive(dealer_, tags::deal_seed);
    Reader r(message);
    take_seed(r.get<StreamKey>());
    r.finish();
  }

  Task<std::vector<NormedSumShares<Vec>>> prepare(std::uint64_t call, std::size_t columns) override {
    const bool dealt = me_.id() == 0;
    auto shares = seeded_->template draw<Vec>(plan_, call, columns, !dealt);
    const std::uint64_t words = columns * plan_.entries * sizeof(Vec) / sizeof(std::uint64_t);
    me_.compute(Operation::mask_word, (dealt ? 1 : 2) * words);
    if (!dealt) co_return shares;
    ++this->figures_.calls;
    ask({Wish::shares, call, columns});
    const Bytes message = co_await me_.receive(dealer_, tags::deal_shares);
    ++this->figures_.messages;
    this->figures_.bytes += message.size();
    this->figures_.elements += columns * (plan_.entries + 3 + 7 * plan_.steps.size());
    Reader r(message);
    for (auto& column : shares) read_dealt(r, column);
    r.finish();
    co_return shares;
  }

  void at_boundary(std::uint64_t iteration, bool finished) override {
    if (me_.id() == 0) ask({Wish::boundary, iteration, finished ? std::uint64_t{1} : 0});
  }

  void save(Writer& w) const override {
    w.put(seed_);
    w.put(this->figures_);
  }
  void load(Reader& r) override {
    take_seed(r.get<StreamKey>());
    this->figures_ = r.get<SumFigures>();
  }

 private:
  void ask(const Request& request) { me_.send(dealer_, tags::deal_request, request.bytes()); }
  void take_seed(const StreamKey& seed) {
    seed_ = seed;
    seeded_.emplace(seed);
  }

  Agent& me_;
  const NormedSumPlan& plan_;
  AgentId dealer_;
  StreamKey seed_{};
  std::optional<SeededShares> seeded_;
};

}  // namespace

Role dealer_role(const NormedSumPlan& plan, const Bytes& start) {
  const bool over = !start.empty() && Reader(start).get<std::uint8_t>() != 0;
  return {"dealer", [plan, over](Agent& me) {
            if (over) return rest();
            if (plan.vector_bits == ring_bits<Ring128>) return serve<Ring128>(me, plan);
            return serve<Ring192>(me, plan);
          }};
}

template <class Vec>
std::unique_ptr<Offline<Vec>> make_dealer_client(Agent& me, const NormedSumPlan& plan, AgentId dealer) {
  return std::make_unique<DealerClient<Vec>>(me, plan, dealer);
}

template std::unique_ptr<Offline<Ring128>> make_dealer_client(Agent&, const NormedSumPlan&, AgentId);
template std::unique_ptr<Offline<Ring192>> make_dealer_client(Agent&, const NormedSumPlan&, AgentId);

}  // namespace sotto
