// SPDX-License-Identifier: MIT
#include "core/protocols/offline_products.h"

#include <map>

#include "core/protocols/tags.h"

namespace sotto {

namespace {

constexpr int limb_bits = 32;
constexpr int mask_bits = 124;

template <class Word>
constexpr std::size_t limbs_of() {
  return (ring_bits<Word> + limb_bits - 1) / limb_bits;
}
std::size_t limbs_for(int bits) {
  return static_cast<std::size_t>((bits + limb_bits - 1) / limb_bits);
}

/// x = sum_p v_p 2^(32 p), |v_p| <= 2^31.
template <class Word>
std::vector<std::int64_t> value_limbs(Word x) {
  constexpr std::int64_t base = std::int64_t{1} << limb_bits;
  std::vector<std::int64_t> limbs;
  for (std::size_t p = 0; p + 1 < limbs_of<Word>(); ++p) {
    auto limb = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) & (base - 1));
    if (limb >= base / 2) limb -= base;
    limbs.push_back(limb);
    x = (x - ring_element<Word>(limb)) >> limb_bits;
  }
  // the top limb counts modulo what is left of the ring
  constexpr int left = ring_bits<Word> - limb_bits * static_cast<int>(limbs_of<Word>() - 1);
  limbs.push_back(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(x) & ((std::uint64_t{1} << left) - 1)));
  return limbs;
}

/// x = sum_q f_q 2^(32 q), 0 <= f_q < 2^32.
template <class Word>
std::int64_t factor_limb(const Word& x, std::size_t q) {
  constexpr std::uint64_t low = (std::uint64_t{1} << limb_bits) - 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x >> static_cast<int>(limb_bits * q)) & low);
}

/// x 2^(32 shift), modulo the ring.
template <class Word>
Word placed(Int128 x, std::size_t shift) {
  constexpr Int128 half = Int128{1} << 62;  // x in two parts that are signed words
  const Word whole = (ring_element<Word>(static_cast<std::int64_t>(x / half)) << 62) +
                     ring_element<Word>(static_cast<std::int64_t>(x % half));
  return whole << static_cast<int>(limb_bits * shift);
}

/// Limbs p of a value and q of a factor whose product counts, for an element of the ring and a factor of so many limbs.
struct LimbPair {
  std::size_t p;
  std::size_t q;
};
template <class Word>
std::vector<LimbPair> limb_pairs(std::size_t factor_limbs) {
  std::vector<LimbPair> pairs;
  for (std::size_t q = 0; q < factor_limbs; ++q)
    for (std::size_t p = 0; p + q < limbs_of<Word>(); ++p) pairs.push_back({p, q});
  return pairs;
}

enum class Among : std::uint8_t { all, unordered };

/// Products of numbers that all parties hold shares of.
class SharedProducts {
 public:
  SharedProducts(Agent& me, std::size_t parties, std::shared_ptr<const AdditiveScheme> scheme,
                 SumFigures& figures)
      : me_(me),
        parties_(parties),
        scheme_(std::move(scheme)),
        figures_(figures),
        key_seed_(me.lasting_secret_random("product keys").next_key()),
        random_(me.secret_random("products")) {}

  /// Keys for vectors of so many products, which everybody tells everybody.
  Task<void> open(std::size_t entries, bool factor_each) {
    Sides& sides = make_owner(entries, factor_each);
    for (AgentId j = 0; j < parties_; ++j)
      if (j != me_.id()) figures_.send(me_, j, tags::product_key, sides.owner->public_key(), 0);
    sides.keys.resize(parties_);
    for (AgentId j = 0; j < parties_; ++j)
      if (j != me_.id()) sides.keys[j] = co_await me_.receive(j, tags::product_key);
    make_responders(sides, entries, factor_each);
    for (const auto& theirs : sides.others)
      if (theirs) charge(theirs->setup_charge());
  }

  /// Shares of x_k y_k from shares of both. `unordered`: x and y are the same, and pairs count twice instead.
  template <class Word>
  Task<std::vector<Word>> each(std::span<const Word> x, std::span<const Word> y, std::size_t factor_limbs,
                               Among among) {
    const auto pairs = limb_pairs<Word>(factor_limbs);
    const std::size_t entries = x.size() * pairs.size();
    std::vector<std::int64_t> values, factors;
    values.reserve(entries);
    factors.reserve(entries);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto limbs = value_limbs(x[k]);
      for (const auto& [p, q] : pairs) {
        values.push_back(limbs[p]);
        factors.push_back(factor_limb(y[k], q));
      }
    }
    std::vector<Word> shares(x.size());
    const auto take = [&](std::span<const Int128> numbers, int sign) {
      for (std::size_t e = 0; e < entries; ++e) {
        const LimbPair& at = pairs[e % pairs.size()];
        const Word part = placed<Word>(sign * numbers[e], at.p + at.q);
        shares[e / pairs.size()] += among == Among::unordered ? part + part : part;
      }
    };
    Sides& sides = sides_.at({entries, true});
    co_await exchange(
        sides, values, 1, [&](std::size_t) { return std::span<const std::int64_t>(factors); },
        [&](std::size_t, std::span<const Int128> numbers, int sign) { take(numbers, sign); }, among);
    for (std::size_t k = 0; k < x.size(); ++k) shares[k] += x[k] * y[k];
    co_return shares;
  }

  /// Shares of x_k y, one factor for all.
  template <class Word>
  Task<std::vector<Word>> scaled(std::span<const Word> x, Word y, std::size_t factor_limbs) {
    constexpr std::size_t limbs = limbs_of<Word>();
    std::vector<std::int64_t> values;
    values.reserve(x.size() * limbs);
    for (const Word& element : x)
      for (const std::int64_t limb : value_limbs(element)) values.push_back(limb);
    std::vector<std::int64_t> factors;
    for (std::size_t q = 0; q < factor_limbs; ++q) factors.push_back(factor_limb(y, q));
    std::vector<Word> shares(x.size());
    Sides& sides = sides_.at({values.size(), false});
    co_await exchange(
        sides, values, factor_limbs,
        [&](std::size_t q) { return std::span<const std::int64_t>(factors).subspan(q, 1); },
        [&](std::size_t q, std::span<const Int128> numbers, int sign) {
          for (std::size_t e = 0; e < numbers.size(); ++e)
            if (e % limbs + q < limbs) shares[e / limbs] += placed<Word>(sign * numbers[e], e % limbs + q);
        },
        Among::all);
    for (std::size_t k = 0; k < x.size(); ++k) shares[k] += x[k] * y;
    co_return shares;
  }

  void save(Writer& w) const {
    w.put(random_.position());
    w.put<std::uint64_t>(sides_.size());
    for (const auto& [what, sides] : sides_) {
      w.put<std::uint64_t>(what.first);
      w.put<std::uint8_t>(what.second);
      for (const Bytes& key : sides.keys) w.block(key);
    }
  }
  void load(Reader& r) {
    random_.seek(r.get<std::uint64_t>());
    for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
      const std::size_t entries = r.get<std::uint64_t>();
      const bool factor_each = r.get<std::uint8_t>() != 0;
      Sides& sides = make_owner(entries, factor_each);
      for (std::size_t j = 0; j < parties_; ++j) {
        const auto key = r.block();
        sides.keys.emplace_back(key.begin(), key.end());
      }
      make_responders(sides, entries, factor_each);
    }
  }

 private:
  struct Sides {
    std::unique_ptr<KeyOwner> owner;
    std::vector<Bytes> keys;                         ///< by party
    std::vector<std::unique_ptr<Responder>> others;  ///< by party
  };

  Sides& make_owner(std::size_t entries, bool factor_each) {
    Sides& sides = sides_[{entries, factor_each}];
    RandomStream keys(key_seed_);
    sides.owner = scheme_->generate_keys(range(entries, factor_each), keys);
    return sides;
  }
  void make_responders(Sides& sides, std::size_t entries, bool factor_each) const {
    sides.others.resize(parties_);
    for (AgentId j = 0; j < parties_; ++j)
      if (j != me_.id())
        sides.others[j] = scheme_->open_public_key(range(entries, factor_each), sides.keys[j]);
  }

  /// Values to 2^62 and factors to 2^62 as far as the scheme is told: what is above a limb is room for masks.
  ExchangeRange range(std::size_t entries, bool factor_each) const {
    ExchangeRange range;
    range.entries = entries;
    range.value_bits = 62;
    range.factor_bits = 62;
    range.factor_per_entry = factor_each;
    range.slot_bits = range.reply_bits();
    range.party = me_.id();
    return range;
  }

  void charge(const Charge& c) {
    if (c.count > 0) me_.compute(c.operation, c.count);
  }

  std::vector<Int128> draw_masks(std::size_t count) {
    std::vector<Int128> masks(count);
    for (Int128& mask : masks) {
      const UInt128 high = random_.next();
      const UInt128 bits = (high << 64 | random_.next()) >> (127 - mask_bits);
      mask = static_cast<Int128>(bits) - (Int128{1} << mask_bits) + (bits == 0 ? 1 : 0);  // +-(2^124 - 1)
    }
    return masks;
  }

  /// Own values to all others, `turns` replies from each: factors(turn) are this party's, take(turn, numbers, sign) adds to its shares.
  template <class Factors, class Take>
  Task<void> exchange(Sides& sides, std::span<const std::int64_t> values, std::size_t turns, Factors factors,
                      Take take, Among among) {
    const auto asks = [&](AgentId i, AgentId j) { return i != j && (among == Among::all || i < j); };
    const AgentId me = me_.id();
    if (me + 1 < parties_ || (among == Among::all && parties_ > 1)) {
      charge(sides.owner->encrypt_charge());
      const Bytes request = sides.owner->encrypt(values, random_);
      for (AgentId j = 0; j < parties_; ++j)
        if (asks(me, j)) figures_.send(me_, j, tags::product_request, request, sides.owner->ciphertexts());
    }
    for (AgentId i = 0; i < parties_; ++i) {
      if (!asks(i, me)) continue;
      const Bytes request = co_await me_.receive(i, tags::product_request);
      Responder& theirs = *sides.others[i];
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::vector<Int128> masks = draw_masks(values.size());
        charge(theirs.respond_charge());
        Bytes reply = theirs.respond(request, factors(turn), masks, {}, random_);
        take(turn, masks, -1);
        figures_.send(me_, i, tags::product_reply, std::move(reply), theirs.ciphertexts());
      }
    }
    const std::vector<std::int64_t> once{1};
    for (AgentId j = 0; j < parties_; ++j) {
      if (!asks(me, j)) continue;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const Bytes message = co_await me_.receive(j, tags::product_reply);
        const std::span<const std::uint8_t> reply(message);
        charge(sides.owner->decrypt_charge(1));
        take(turn, sides.owner->decrypt_sum(std::span(&reply, 1), std::span(&once, 1)), 1);
      }
    }
  }

  Agent& me_;
  std::size_t parties_;
  std::shared_ptr<const AdditiveScheme> scheme_;
  SumFigures& figures_;
  StreamKey key_seed_;
  RandomStream random_;
  std::map<std::pair<std::size_t, bool>, Sides>
      sides_;  // by products, and whether each has a factor of its own
};

template <class Vec>
class ProductOffline final : public Offline<Vec> {
 public:
  ProductOffline(Agent& me, const NormedSumPlan& plan, std::shared_ptr<const AdditiveScheme> scheme)
      : me_(me),
        plan_(plan),
        products_(me, plan.parties, std::move(scheme), this->figures_),
        random_(me.secret_random("product shares")) {}

  Task<void> open() override {
    if (plan_.parties == 1) co_return;
    const std::size_t of_squares = limb_pairs<Vec>(limbs_of<Vec>()).size();
    const std::size_t of_powers = limb_pairs<Ring256>(beta_limbs()).size();
    co_await products_.open(plan_.entries * of_squares, true);
    co_await products_.open(plan_.entries * limbs_of<Vec>(), false);
    co_await products_.open((2 * plan_.steps.size() + 1) * of_powers, true);
  }

  Task<std::vector<NormedSumShares<Vec>>> prepare(std::uint64_t /*call*/, std::size_t columns) override {
    std::vector<NormedSumShares<Vec>> all;
    for (std::size_t c = 0; c < columns; ++c) {
      NormedSumShares<Vec> shares = drawn();
      if (plan_.parties == 1) {
        multiply_out(shares);
      } else {
        const auto squares = co_await products_.template each<Vec>(shares.mask, shares.mask, limbs_of<Vec>(),
                                                                   Among::unordered);
        for (const Vec& x : squares) shares.squares += x;
        co_await powers(shares);
        shares.beta_mask = co_await products_.template scaled<Vec>(
            shares.mask, narrow<Vec>(shares.steps.back().beta), beta_limbs());
      }
      all.push_back(std::move(shares));
    }
    ++this->figures_.calls;
    co_return all;
  }

  void at_boundary(std::uint64_t, bool) override {}
  void save(Writer& w) const override {
    w.put(random_.position());
    w.put(this->figures_);
    products_.save(w);
  }
  void load(Reader& r) override {
    random_.seek(r.get<std::uint64_t>());
    this->figures_ = r.get<SumFigures>();
    products_.load(r);
  }

 private:
  std::size_t beta_limbs() const { return limbs_for(plan_.beta_bits()); }

  /// What needs no one else: this party's part of every mask.
  NormedSumShares<Vec> drawn() {
    NormedSumShares<Vec> shares;
    shares.mask.resize(plan_.entries);
    for (Vec& x : shares.mask) x = narrow<Vec>(draw_bits(random_, ring_bits<Vec>));
    shares.rho = draw_bits(random_, plan_.rho_bits());
    shares.square_mask =
        narrow<Vec>((shares.rho << plan_.square_shift()) + draw_bits(random_, plan_.square_shift()));
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      InverseShares step;
      step.beta = draw_bits(random_, plan_.beta_bits());
      step.mask = (step.beta << plan_.inverse_shift()) + draw_bits(random_, plan_.inverse_shift());
      shares.steps.push_back(step);
    }
    return shares;
  }

  Task<void> powers(NormedSumShares<Vec>& shares);

  Agent& me_;
  const NormedSumPlan& plan_;
  SharedProducts products_;
  RandomStream random_;
};

/// beta^2 and rho beta, then beta^3 and rho beta^2, then rho beta^3, for all steps at once. Along with the first goes rho times 1,
/// of which party 0 holds the whole: rho's own shares are short, and come out uniform.
template <class Vec>
Task<void> ProductOffline<Vec>::powers(NormedSumShares<Vec>& shares) {
  const std::size_t steps = shares.steps.size();
  std::vector<Ring256> factors;
  for (const InverseShares& step : shares.steps) factors.push_back(step.beta);
  for (const InverseShares& step : shares.steps) factors.push_back(step.beta);
  factors.emplace_back(me_.id() == 0 ? 1 : 0);
  const auto multiply = [&](const std::vector<Ring256>& values) {
    return products_.each<Ring256>(values, factors, beta_limbs(), Among::all);
  };
  std::vector<Ring256> values(2 * steps + 1);
  for (std::size_t i = 0; i < steps; ++i) {
    values[i] = shares.steps[i].beta;
    values[steps + i] = shares.rho;
  }
  values[2 * steps] = shares.rho;
  values = co_await multiply(values);
  shares.rho = values[2 * steps];
  for (std::size_t i = 0; i < steps; ++i) {
    shares.steps[i].beta2 = values[i];
    shares.steps[i].rho_beta = values[steps + i];
  }
  values = co_await multiply(values);
  for (std::size_t i = 0; i < steps; ++i) {
    shares.steps[i].beta3 = values[i];
    shares.steps[i].rho_beta2 = values[steps + i];
  }
  values = co_await multiply(values);
  for (std::size_t i = 0; i < steps; ++i) shares.steps[i].rho_beta3 = values[steps + i];
}

}  // namespace

template <class Vec>
std::unique_ptr<Offline<Vec>> make_product_offline(Agent& me, const NormedSumPlan& plan,
                                                   std::shared_ptr<const AdditiveScheme> scheme) {
  return std::make_unique<ProductOffline<Vec>>(me, plan, std::move(scheme));
}

template std::unique_ptr<Offline<Ring128>> make_product_offline(Agent&, const NormedSumPlan&,
                                                                std::shared_ptr<const AdditiveScheme>);
template std::unique_ptr<Offline<Ring192>> make_product_offline(Agent&, const NormedSumPlan&,
                                                                std::shared_ptr<const AdditiveScheme>);

}  // namespace sotto
