// SPDX-License-Identifier: MIT
// scheme = "paillier" and "paillier-textbook": AdditiveScheme over a Paillier key.
//
// A request packs as many entries into a ciphertext as its owner's slots allow (packing.h); with a factor per entry it has
// a ciphertext per entry, because an exponent scales every slot of a ciphertext, and the reply packs them. The textbook has
// one entry a ciphertext both ways. Under Replies::summed a mask is uniform modulo n over a whole plaintext: 64 bits more
// than n has are drawn and reduced.
// A vector of ciphertexts on the wire: version, fingerprint of the key, count, then each in 2 |n| bits.
// Tests: tests/crypto/paillier_test.cpp
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>

#include "base/fixed_point.h"
#include "base/sha256.h"
#include "crypto/paillier/cryptosystem.h"
#include "crypto/paillier/numbers.h"
#include "crypto/paillier/packing.h"
#include "crypto/paillier/textbook.h"
#include "crypto/paillier/wire.h"
#include "crypto/range_checks.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

constexpr std::size_t mask_slack_bits = 64;
constexpr std::size_t public_tables_bytes = std::size_t{1} << 30;  // of all parties together
constexpr std::size_t secret_tables_bytes = std::size_t{1} << 29;

/// How entries lie in requests and replies.
struct Layout {
  ExchangeRange range;
  SlotPacking reply;
  bool one_by_one;  ///< requests have a ciphertext per entry

  /// The textbook's one slot is as wide as it needs to be: it packs nothing.
  Layout(const ExchangeRange& r, std::size_t key_bits, bool textbook)
      : range(r),
        reply(textbook ? std::min(key_bits, static_cast<std::size_t>(r.slot_bits) + 2) : key_bits,
              r.slot_bits),
        one_by_one(textbook || r.factor_per_entry) {}

  std::size_t request_count() const { return one_by_one ? range.entries : reply.blocks(range.entries); }
  std::size_t reply_count() const { return reply.blocks(range.entries); }
};

Numbers as_numbers(std::span<const std::int64_t> values) {
  Numbers numbers;
  numbers.reserve(values.size());
  for (const std::int64_t v : values) numbers.emplace_back(static_cast<long>(v));
  return numbers;
}

class PaillierOwner final : public KeyOwner {
 public:
  PaillierOwner(const ExchangeRange& range, std::shared_ptr<const PaillierSecretSide> secret, bool textbook)
      : secret_(std::move(secret)),
        layout_(range, secret_->key().shared.bits(), textbook),
        public_key_(secret_->key().shared.bytes()) {}

  const Bytes& public_key() const override { return public_key_; }

  Bytes encrypt(std::span<const std::int64_t> values, RandomStream& randomness) override {
    check_values(layout_.range, values);
    const Numbers plaintexts = layout_.one_by_one
                                   ? as_numbers(values)
                                   : layout_.reply.pack(std::vector<Int128>(values.begin(), values.end()));
    return write_ciphertexts(secret_->encrypt(plaintexts, randomness), secret_->key().shared);
  }

  std::vector<Int128> decrypt_sum(std::span<const std::span<const std::uint8_t>> replies,
                                  std::span<const std::vector<std::int64_t>> weights) override {
    check_weights(layout_.range, replies.size(), weights);
    std::vector<Int128> sum(layout_.range.entries, 0);
    if (replies.empty()) return sum;
    std::vector<Numbers> ciphertexts;
    for (const auto reply : replies)
      ciphertexts.push_back(read_ciphertexts(reply, secret_->key().shared, layout_.reply_count()));
    if (layout_.range.replies == Replies::each) {
      decrypt_each(ciphertexts, weights, sum);
      return sum;
    }
    Numbers factors;
    if (layout_.range.replies == Replies::weighted)
      for (const auto& w : weights) factors.emplace_back(static_cast<long>(w[0]));
    sum = layout_.reply.unpack(secret_->decrypt_sum(ciphertexts, factors), sum.size());
    if (layout_.range.replies == Replies::summed)
      for (Int128& v : sum) v *= weights[0][0];
    return sum;
  }

  Charge encrypt_charge() const override {
    return {Operation::limb_product, layout_.request_count() * secret_->encrypt_cost()};
  }
  Charge decrypt_charge(std::size_t replies) const override {
    const std::uint64_t count = layout_.reply_count();
    if (layout_.range.replies == Replies::each)
      return {Operation::limb_product, replies * count * secret_->decrypt_cost()};
    const auto weight_bits =
        layout_.range.replies == Replies::weighted ? static_cast<std::size_t>(layout_.range.factor_bits) : 0;
    return {Operation::limb_product,
            count * (replies * secret_->combine_cost(weight_bits) + secret_->decrypt_cost())};
  }
  std::size_t ciphertexts() const override { return layout_.request_count(); }
  std::size_t table_bytes() const override { return secret_->table_bytes(); }

 private:
  /// All replies in one go: the more ciphertexts, the fuller the lanes.
  void decrypt_each(const std::vector<Numbers>& ciphertexts,
                    std::span<const std::vector<std::int64_t>> weights, std::vector<Int128>& sum) const {
    Numbers all;
    for (const Numbers& reply : ciphertexts) all.insert(all.end(), reply.begin(), reply.end());
    const Numbers plaintexts = secret_->decrypt(all);
    const std::size_t count = layout_.reply_count();
    for (std::size_t j = 0; j < ciphertexts.size(); ++j) {
      const auto values = layout_.reply.unpack(std::span(plaintexts).subspan(j * count, count), sum.size());
      for (std::size_t e = 0; e < sum.size(); ++e)
        sum[e] += Int128{weights[j][weights[j].size() == 1 ? 0 : e]} * values[e];
    }
  }

  std::shared_ptr<const PaillierSecretSide> secret_;
  Layout layout_;
  Bytes public_key_;
};

class PaillierResponder final : public Responder {
 public:
  PaillierResponder(const ExchangeRange& range, std::shared_ptr<const PaillierPublicSide> side, bool textbook)
      : public_(std::move(side)), layout_(range, public_->key().bits(), textbook) {}

  Bytes respond(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                std::span<const Int128> addend, std::span<const PairMask> masks,
                RandomStream& randomness) override {
    check_response(layout_.range, factors, addend, masks);
    const Numbers ciphertexts = read_ciphertexts(request, public_->key(), layout_.request_count());
    Numbers addends = layout_.reply.pack(addend);
    add_masks(addends, masks);
    const Numbers exponents = as_numbers(factors);
    const bool packs = layout_.one_by_one && layout_.reply.slots() > 1;
    return write_ciphertexts(
        packs ? public_->respond_packed(ciphertexts, exponents, layout_.reply.slots(),
                                        static_cast<std::size_t>(layout_.reply.slot_bits()), addends,
                                        randomness)
              : public_->respond(ciphertexts, exponents, addends, randomness),
        public_->key());
  }

  Bytes add(std::span<const std::span<const std::uint8_t>> requests, std::span<const Int128> addend,
            RandomStream& randomness) override {
    check_addend(layout_.range, addend);
    Numbers addends = layout_.reply.pack(addend);
    reduce(addends);
    if (requests.empty()) return write_ciphertexts(public_->encrypt(addends, randomness), public_->key());
    Numbers product = read_ciphertexts(requests.front(), public_->key(), layout_.request_count());
    const mpz_class n_squared = public_->key().n * public_->key().n;
    for (const auto request : requests.subspan(1)) {
      const Numbers factor = read_ciphertexts(request, public_->key(), layout_.request_count());
      check_ciphertexts(factor, public_->key());
      for (std::size_t k = 0; k < product.size(); ++k) product[k] = product[k] * factor[k] % n_squared;
    }
    const mpz_class once(1);
    return write_ciphertexts(public_->respond(product, std::span(&once, 1), addends, randomness),
                             public_->key());
  }
  Charge add_charge(std::size_t requests) const override {
    const std::uint64_t products = requests * PaillierCosts::multiply(public_->key().bits());
    return {Operation::limb_product, layout_.reply_count() * (public_->respond_cost(1) + products)};
  }

  Charge respond_charge() const override {
    const auto factor_bits = static_cast<std::size_t>(layout_.range.factor_bits);
    const std::uint64_t replies = layout_.reply_count() * public_->respond_cost(factor_bits);
    if (!layout_.one_by_one || layout_.reply.slots() == 1) return {Operation::limb_product, replies};
    const std::size_t bits = public_->key().bits();
    return {Operation::limb_product,
            replies + layout_.range.entries *
                          (PaillierCosts::power(bits, factor_bits) +
                           PaillierCosts::power(bits, static_cast<std::size_t>(layout_.reply.slot_bits())))};
  }
  Charge setup_charge() const override { return {Operation::limb_product, public_->table_cost()}; }
  std::size_t ciphertexts() const override { return layout_.reply_count(); }
  std::size_t table_bytes() const override { return public_->table_bytes(); }
  std::uint64_t mask_words() const override { return layout_.reply_count() * ((mask_bits() + 63) / 64); }

 private:
  std::size_t mask_bits() const { return public_->key().bits() + mask_slack_bits; }

  void add_masks(Numbers& addends, std::span<const PairMask> masks) const {
    for (mpz_class& a : addends)
      for (const PairMask& mask : masks) {
        const mpz_class m = random_bits(*mask.stream, mask_bits());
        if (mask.subtract)
          a -= m;
        else
          a += m;
      }
    reduce(addends);
  }

  void reduce(Numbers& addends) const {
    for (mpz_class& a : addends) mpz_mod(a.get_mpz_t(), a.get_mpz_t(), public_->key().n.get_mpz_t());
  }

  std::shared_ptr<const PaillierPublicSide> public_;
  Layout layout_;
};

/// Things made once and used by many threads.
template <class T>
class Shelf {
 public:
  template <class Make>
  std::shared_ptr<const T> get(std::span<const std::uint8_t> identity, Make make) const {
    std::shared_ptr<Place> place;
    {
      const std::lock_guard lock(mutex_);
      auto& at = places_[sha256(identity)];
      if (!at) at = std::make_shared<Place>();
      place = at;
    }
    const std::lock_guard lock(place->making);  // not call_once: what is made may throw
    if (!place->thing) place->thing = make();
    return place->thing;
  }

 private:
  struct Place {
    std::mutex making;
    std::shared_ptr<const T> thing;
  };
  mutable std::mutex mutex_;
  mutable std::map<Sha256Digest, std::shared_ptr<Place>> places_;
};

class Paillier final : public AdditiveScheme {
 public:
  Paillier(const SchemeSettings& settings, bool textbook)
      : settings_(settings), kind_(textbook ? PaillierKind::standard : settings.keys), textbook_(textbook) {}

  std::vector<std::string> labels() const override {
    std::vector<std::string> labels;
    if (settings_.key_bits < secure_paillier_bits)
      labels.push_back(fmt::format("keys of {} bits: insecure, {} are the least that protect anything",
                                   settings_.key_bits, secure_paillier_bits));
    if (kind_ == PaillierKind::subgroup)
      labels.emplace_back(
          "keys = subgroup: rests on a younger assumption than composite residuosity (SECURITY.md)");
    return labels;
  }

  Replies best_replies(const ExchangeRange& range, std::size_t senders) const override;
  ExchangeForecast forecast(const ExchangeRange& range, std::size_t neighbors) const override;

  std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range,
                                          RandomStream& randomness) const override {
    range.check();
    const StreamKey seed = randomness.next_key();
    Layout(range, settings_.key_bits, textbook_);  // refuses before a key is looked for
    auto secret = secrets_.get(seed, [&] { return secret_side(key_from(seed)); });
    return std::make_unique<PaillierOwner>(range, std::move(secret), textbook_);
  }

  std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                             std::span<const std::uint8_t> public_key) const override {
    range.check();
    auto side =
        publics_.get(public_key, [&] { return public_side(PaillierPublicKey::from_bytes(public_key)); });
    if (side->key().kind != kind_)
      throw CryptoError(
          fmt::format("a {} key in an exchange with {} keys", word_of(side->key().kind), word_of(kind_)));
    return std::make_unique<PaillierResponder>(range, std::move(side), textbook_);
  }

 private:
  /// Of one ciphertext, in limb products: roughly, for choices and forecasts.
  struct RoughCosts {
    double encrypt, respond, decrypt, combine;
  };
  RoughCosts rough_costs(int factor_bits) const;

  PaillierPrivateKey key_from(const StreamKey& seed) const {
    Writer w;
    w.raw(seed);
    const std::string name = fmt::format("paillier-{}-{}-{}", word_of(kind_), settings_.key_bits,
                                         to_hex(sha256(w.take())).substr(0, 32));
    if (settings_.store != nullptr)
      if (const auto kept = settings_.store->find(name)) return kept_key(name, *kept);
    Writer stream_key;  // other kinds and sizes from the same seed share no prime
    stream_key.text(name);
    stream_key.raw(seed);
    RandomStream stream(sha256(stream_key.take()));
    PaillierPrivateKey key = generate_paillier_key(kind_, settings_.key_bits, stream);
    if (settings_.store != nullptr) settings_.store->keep(name, key.bytes());
    return key;
  }

  PaillierPrivateKey kept_key(const std::string& name, const Bytes& bytes) const {
    try {
      PaillierPrivateKey key = PaillierPrivateKey::from_bytes(bytes);
      if (key.shared.kind != kind_ || key.shared.bits() != settings_.key_bits)
        throw CryptoError("is of another kind");
      return key;
    } catch (const CryptoError& e) {
      throw CryptoError(fmt::format("the kept key {}: {}: delete it, and it is made again", name, e.what()));
    }
  }

  std::shared_ptr<const PaillierSecretSide> secret_side(const PaillierPrivateKey& key) const {
    if (textbook_) return make_textbook_secret(key);
    return std::make_shared<PaillierSecret>(
        key, secret_tables_bytes / std::max<std::size_t>(1, settings_.parties));
  }
  std::shared_ptr<const PaillierPublicSide> public_side(const PaillierPublicKey& key) const {
    if (textbook_) return make_textbook_public(key);
    return std::make_shared<PaillierPublic>(
        key, public_tables_bytes / std::max<std::size_t>(1, settings_.parties));
  }

  SchemeSettings settings_;
  PaillierKind kind_;
  bool textbook_;
  Shelf<PaillierSecretSide> secrets_;
  Shelf<PaillierPublicSide> publics_;
};

Paillier::RoughCosts Paillier::rough_costs(int factor_bits) const {
  const std::size_t bits = settings_.key_bits;
  if (textbook_) {
    const auto power = static_cast<double>(PaillierCosts::power(bits, bits));
    return {power, power, power, power};
  }
  const std::size_t exponent = kind_ == PaillierKind::subgroup ? subgroup_order_bits(bits) / 2 + 1 : bits / 2;
  const double decrypt = 2.0 * static_cast<double>(PaillierCosts::power(bits / 2, exponent));
  return {kind_ == PaillierKind::standard ? decrypt : decrypt / 8,
          static_cast<double>(kind_ == PaillierKind::standard
                                  ? PaillierCosts::power(bits, bits)
                                  : PaillierCosts::multiply(bits) * (exponent + 32) / 4),
          decrypt,
          2.0 * static_cast<double>(PaillierCosts::power(bits / 2, static_cast<std::size_t>(factor_bits)))};
}

/// Tables and keys as measured at 2048 bits, and how they grow.
ExchangeForecast Paillier::forecast(const ExchangeRange& range, std::size_t neighbors) const {
  const std::size_t bits = settings_.key_bits;
  const double size = static_cast<double>(bits) / 2048;
  const double limb_product = facts(Operation::limb_product).reference_seconds;
  const auto count = static_cast<double>(neighbors);
  const RoughCosts cost = rough_costs(range.factor_bits);
  const auto slot = static_cast<std::size_t>(range.slot_bits_for(neighbors));
  const std::size_t slots = textbook_ ? 1 : std::max<std::size_t>(1, (bits - 2) / slot);
  const auto blocks = std::ceil(static_cast<double>(range.entries) / static_cast<double>(slots));
  double products = blocks * (cost.encrypt + count * (cost.respond + cost.decrypt));
  if (range.factor_per_entry)
    products += count * static_cast<double>(range.entries) *
                static_cast<double>(PaillierCosts::power(bits, static_cast<std::size_t>(range.factor_bits)) +
                                    PaillierCosts::power(bits, slot));
  double keys = kind_ == PaillierKind::subgroup ? 0.6 : 0.09;
  double tables = kind_ == PaillierKind::subgroup ? 12e6 * size : 51e6 * size * size;
  tables = std::min(tables, static_cast<double>(public_tables_bytes + secret_tables_bytes) /
                                std::max(1.0, static_cast<double>(settings_.parties)));
  if (kind_ == PaillierKind::standard || textbook_) tables = 0;
  keys *= size * size * size * size;
  const double making =
      tables / (static_cast<double>(bits) / 4) * static_cast<double>(PaillierCosts::multiply(bits));
  return {products * limb_product, keys + making * limb_product, static_cast<std::size_t>(blocks) * bits / 4,
          static_cast<std::size_t>(tables)};
}

/// Combining first saves decryptions and takes wider slots, so more ciphertexts: what is less work, by limb products.
Replies Paillier::best_replies(const ExchangeRange& range, std::size_t senders) const {
  if (textbook_ || range.factor_per_entry || senders < 2) return Replies::each;
  const std::size_t bits = settings_.key_bits;
  const RoughCosts rough = rough_costs(range.factor_bits);
  const auto count = static_cast<double>(senders);
  const auto cost = [&](Replies replies, double opening) {
    ExchangeRange r = range;
    r.replies = replies;
    const int slot = r.slot_bits_for(senders);
    if (slot > ExchangeRange::max_slot_bits || static_cast<std::size_t>(slot) + 2 > bits) return 1e300;
    const SlotPacking packing(bits, slot);
    return static_cast<double>(packing.blocks(range.entries)) *
           (rough.encrypt + count * rough.respond + opening);
  };
  return cost(Replies::weighted, count * rough.combine + rough.decrypt) <
                 cost(Replies::each, count * rough.decrypt)
             ? Replies::weighted
             : Replies::each;
}

}  // namespace

std::unique_ptr<AdditiveScheme> make_paillier(const SchemeSettings& settings) {
  return std::make_unique<Paillier>(settings, false);
}

std::unique_ptr<AdditiveScheme> make_paillier_textbook(const SchemeSettings& settings) {
  return std::make_unique<Paillier>(settings, true);
}

}  // namespace sotto
