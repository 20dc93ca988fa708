// SPDX-License-Identifier: MIT
// scheme = "bfv": Microsoft SEAL's BFV, thousands of integers to a ciphertext; rests on ring learning with errors (128 bits,
// also against quantum computers). scheme = "bfv-fast": smaller and without the flood.
//
// Who learns what: a responder, and whoever reads messages, nothing. The key's owner reads f m + a, and of a reply of `bfv`
// nothing else: its randomness is that of a fresh encryption, and its noise, which would show f, is drowned in a flood 2^40
// times as large (plan.h). Taken apart, each piece leaks: without Enc(0) c1' / c1 is f; with it but without the flood the noise is
// f times a noise that the owner knows. So `respond` is one operation. `bfv-fast` has no flood: labeled.
//
// Entries lie in the coefficients of a polynomial where one factor serves all of them, else in its slots.
//   Replies::shared   where a request fills a part of a polynomial only, every neighbor has a place of its own in it: it
//                     multiplies by f x^place (or by factors that are zero elsewhere), the owner adds the replies up and decrypts
//                     once. Safe: each reply is complete by itself, re-randomized and flooded in all coefficients;
//                     outside its place it encrypts 0 (the request is 0 there, or the factor), which says nothing of f; and
//                     the owner could add up what it got anyway. A neighbor learns its place among the owner's neighbors.
//   Replies::summed   masks of the senders, uniform modulo q in all coefficients of c0 of the finished reply, cancel in the sum.
//                     They hide a reply's message and noise alike; the flood hides the sum's.
// A reply on the wire: ciphertexts, each with its length.
// Tests: tests/crypto/seal_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fixed_point.h"
#include "crypto/range_checks.h"
#include "crypto/schemes.h"
#include "crypto/seal/plan.h"
#include "crypto/seal/residues.h"
#include "crypto/seal/wire.h"

namespace sotto {

namespace {

constexpr std::uint8_t key_version = 1;

/// Where entries lie.
struct BfvLayout {
  ExchangeRange range;
  BfvPlan plan;

  bool shared() const { return range.replies == Replies::shared; }
  SealPlain::Kind kind() const {
    return range.factor_per_entry ? SealPlain::Kind::slots : SealPlain::Kind::coefficients;
  }
  std::size_t blocks() const { return (range.entries + plan.degree - 1) / plan.degree; }
  std::size_t moduli() const { return plan.plain_moduli.size(); }
  std::size_t ciphertexts() const { return blocks() * moduli(); }
  std::size_t first(std::size_t block) const { return block * plan.degree; }
  std::size_t count(std::size_t block) const { return std::min(plan.degree, range.entries - first(block)); }

  /// Entries of a block modulo t, at `place`.
  template <class Value>
  SealPlain place(std::span<const Value> values, std::size_t block, std::uint64_t t,
                  std::size_t place) const {
    SealPlain plain{kind(), std::vector<std::uint64_t>(place + count(block)), 1};
    for (std::size_t e = 0; e < count(block); ++e)
      plain.words[place + e] = residue_of(values[first(block) + e], t);
    return plain;
  }
  Charge charge(Operation operation, std::size_t count_of_ciphertexts, std::size_t primes) const {
    return {operation, count_of_ciphertexts * plan.degree * primes};
  }
};

class BfvOwner final : public KeyOwner {
 public:
  BfvOwner(const ExchangeRange& range, const BfvPlan& plan, SealEngine& engine, RandomStream& randomness)
      : layout_{range, plan} {
    Writer w;
    w.put(key_version);
    plan.save(w);
    for (std::size_t m = 0; m < layout_.moduli(); ++m) {
      const SealParameters its = plan.parameters(m);
      secrets_.push_back(engine.generate(its, its.key_seed(randomness.next_key()), range.party));
      scalings_.emplace_back(plan, m);
      w.block(secrets_.back()->public_key());
    }
    public_key_ = w.take();
  }

  const Bytes& public_key() const override { return public_key_; }

  Bytes encrypt(std::span<const std::int64_t> values, RandomStream& randomness) override {
    check_values(layout_.range, values);
    std::vector<Bytes> ciphertexts;
    for (std::size_t b = 0; b < layout_.blocks(); ++b)
      for (std::size_t m = 0; m < layout_.moduli(); ++m) {
        SealPlain plain = layout_.place(values, b, layout_.plan.plain_moduli[m], 0);
        if (layout_.shared() && layout_.range.factor_per_entry) repeat(plain.words);
        const StreamKey seed = randomness.next_key();
        if (layout_.range.factor_per_entry) {
          ciphertexts.push_back(secrets_[m]->encrypt(plain, seed));
          continue;
        }
        ciphertexts.push_back(secrets_[m]->encrypt({layout_.kind(), {}, 1}, seed));
        const std::size_t levels = layout_.plan.primes.size() - 1;
        const auto raw = request_words(ciphertexts.back(), layout_.plan.degree, levels);
        std::vector<std::uint64_t> words(layout_.plan.degree * levels);
        std::memcpy(words.data(), raw.data(), raw.size());
        scalings_[m].add(plain.words, words);
        std::memcpy(raw.data(), words.data(), raw.size());
      }
    return join_ciphertexts(ciphertexts);
  }

  std::vector<Int128> decrypt_sum(std::span<const std::span<const std::uint8_t>> replies,
                                  std::span<const std::vector<std::int64_t>> weights) override {
    check_weights(layout_.range, replies.size(), weights);
    std::vector<Int128> sum(layout_.range.entries, 0);
    if (replies.empty()) return sum;
    std::vector<CiphertextList> parts;
    for (const auto reply : replies) {
      parts.push_back(split_ciphertexts(reply, layout_.ciphertexts()));
      for (const auto c : parts.back()) check_size(c);
    }
    for (std::size_t b = 0; b < layout_.blocks(); ++b) {
      if (layout_.range.replies != Replies::each) {
        add_together(b, parts, weights, sum);
        continue;
      }
      for (std::size_t j = 0; j < parts.size(); ++j)
        add(b, open(b, std::span(parts).subspan(j, 1)), 0, weights[j], sum);
    }
    return sum;
  }

  Charge encrypt_charge() const override {
    return layout_.charge(Operation::seal_encrypt, layout_.ciphertexts(), layout_.plan.primes.size() - 1);
  }
  Charge decrypt_charge(std::size_t replies) const override {
    const std::size_t times = layout_.range.replies == Replies::each ? replies : 1;
    return layout_.charge(Operation::seal_decrypt, times * layout_.ciphertexts(), layout_.plan.keep);
  }
  std::size_t ciphertexts() const override { return layout_.ciphertexts(); }

 private:
  void repeat(std::vector<std::uint64_t>& words) const {
    const std::size_t count = words.size();
    words.resize(count * std::max<std::size_t>(1, layout_.range.senders));
    for (std::size_t w = count; w < words.size(); ++w) words[w] = words[w - count];
  }

  void check_size(std::span<const std::uint8_t> ciphertext) const {
    const std::size_t expected = ciphertext_size(layout_.plan.degree, layout_.plan.keep);
    if (ciphertext.size() != expected)
      throw CryptoError(fmt::format("a ciphertext of {} bytes, not {}", ciphertext.size(), expected));
  }

  /// Block b of the sum of these replies, as residues by modulus.
  std::vector<std::vector<std::uint64_t>> open(std::size_t b, std::span<const CiphertextList> replies) const {
    std::vector<std::vector<std::uint64_t>> residues;
    for (std::size_t m = 0; m < layout_.moduli(); ++m) {
      CiphertextList ciphertexts;
      for (const CiphertextList& reply : replies) ciphertexts.push_back(reply[b * layout_.moduli() + m]);
      residues.push_back(secrets_[m]->decrypt(ciphertexts, layout_.kind()));
    }
    return residues;
  }

  void add(std::size_t b, const std::vector<std::vector<std::uint64_t>>& residues, std::size_t place,
           const std::vector<std::int64_t>& weights, std::vector<Int128>& sum) const {
    std::vector<std::uint64_t> one(layout_.moduli());
    for (std::size_t e = 0; e < layout_.count(b); ++e) {
      for (std::size_t m = 0; m < one.size(); ++m) one[m] = residues[m][place + e];
      const Int128 value = in_slot(layout_.range, centered(one, layout_.plan.plain_moduli));
      const std::size_t entry = layout_.first(b) + e;
      sum[entry] += Int128{weights[weights.size() == 1 ? 0 : entry]} * value;
    }
  }

  /// All replies in one decryption.
  void add_together(std::size_t b, std::span<const CiphertextList> parts,
                    std::span<const std::vector<std::int64_t>> weights, std::vector<Int128>& sum) const {
    const auto residues = open(b, parts);
    if (!layout_.shared()) {
      add(b, residues, 0, weights[0], sum);
      return;
    }
    for (std::size_t j = 0; j < parts.size(); ++j)
      add(b, residues, j * layout_.range.entries, weights[j], sum);
  }

  BfvLayout layout_;
  std::vector<std::unique_ptr<SealSecret>> secrets_;
  std::vector<PlainScaling> scalings_;  ///< by modulus
  Bytes public_key_;
};

class BfvResponder final : public Responder {
 public:
  BfvResponder(const ExchangeRange& range, std::span<const std::uint8_t> public_key, Flooding flooding,
               SealEngine& engine) {
    try {
      Reader r(public_key);
      if (r.get<std::uint8_t>() != key_version) throw CryptoError("a BFV key of another version");
      layout_ = {range, BfvPlan::load(r, range, flooding)};
      for (std::size_t m = 0; m < layout_.moduli(); ++m) {
        keys_.push_back(engine.open(layout_.plan.parameters(m), r.block(), range.party));
        scalings_.emplace_back(layout_.plan, m);
      }
      r.finish();
    } catch (const FormatError& e) {
      throw CryptoError(fmt::format("a BFV key: {}", e.what()));
    }
    if (layout_.shared() && (range.place + 1) * range.entries > layout_.plan.degree)
      throw CryptoError(fmt::format("place {} of {} entries is not within {} coefficients", range.place,
                                    range.entries, layout_.plan.degree));
  }

  Bytes respond(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                std::span<const Int128> addend, std::span<const PairMask> masks,
                RandomStream& randomness) override {
    check_response(layout_.range, factors, addend, masks);
    const CiphertextList requests = split_ciphertexts(request, layout_.ciphertexts());
    std::vector<Bytes> replies;
    for (std::size_t b = 0; b < layout_.blocks(); ++b)
      for (std::size_t m = 0; m < layout_.moduli(); ++m) {
        const std::uint64_t t = layout_.plan.plain_moduli[m];
        SealResponse response;
        response.factor = factor_plain(factors, b, t);
        SealPlain added = layout_.place(addend, b, t, place());
        response.drop = layout_.plan.primes.size() - 1 - layout_.plan.keep;
        const StreamKey seed = randomness.next_key();
        if (layout_.plan.flood_bits > 0) {
          RandomStream flood(randomness.next_key());
          response.onto = flood_words(layout_.plan, flood);
        }
        if (layout_.range.factor_per_entry) {
          response.addend = std::move(added);
        } else {
          response.onto.resize(layout_.plan.degree * (layout_.plan.primes.size() - 1));
          scalings_[m].add(added.words, response.onto);
        }
        replies.push_back(keys_[m]->respond(requests[b * layout_.moduli() + m], response, seed));
        add_masks(replies.back(), layout_.plan.degree,
                  std::span(layout_.plan.primes).first(layout_.plan.keep), masks);
      }
    return join_ciphertexts(replies);
  }

  Charge respond_charge() const override {
    return layout_.charge(Operation::seal_respond, layout_.ciphertexts(), layout_.plan.primes.size() - 1);
  }
  Charge setup_charge() const override { return {Operation::seal_respond, 0}; }
  std::size_t ciphertexts() const override { return layout_.ciphertexts(); }
  std::uint64_t mask_words() const override {
    return layout_.ciphertexts() * mask_words_of(layout_.plan.degree, layout_.plan.keep);
  }

 private:
  std::size_t place() const { return layout_.shared() ? layout_.range.place * layout_.range.entries : 0; }

  /// f x^place, or the factors of a block in their slots.
  SealPlain factor_plain(std::span<const std::int64_t> factors, std::size_t b, std::uint64_t t) const {
    if (layout_.range.factor_per_entry) return layout_.place(factors, b, t, place());
    SealPlain plain{layout_.kind(), std::vector<std::uint64_t>(place() + 1), 1};
    plain.words.back() = residue_of(factors[0], t);
    return plain;
  }

  BfvLayout layout_;
  std::vector<std::unique_ptr<SealPublic>> keys_;
  std::vector<PlainScaling> scalings_;  ///< by modulus
};

class Bfv final : public AdditiveScheme {
 public:
  Bfv(const SchemeSettings& settings, Flooding flooding)
      : engine_(seal_engine(settings.seal_engine)), flooding_(flooding) {}

  std::string_view implementation() const override { return engine_->name(); }
  std::vector<std::string> labels() const override {
    std::vector<std::string> labels{"computed by " + engine_->version()};
    if (flooding_ == Flooding::none)
      labels.emplace_back(
          "scheme = bfv-fast: no circuit privacy: an agent can compute its neighbors' factors from the noise "
          "of their "
          "replies");
    return labels;
  }

  Replies best_replies(const ExchangeRange& range, std::size_t senders) const override {
    constexpr std::size_t smallest_degree = 4096;
    return senders >= 2 && senders * range.entries <= smallest_degree ? Replies::shared : Replies::each;
  }

  ExchangeForecast forecast(const ExchangeRange& range, std::size_t neighbors) const override;

  std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range,
                                          RandomStream& randomness) const override {
    range.check();
    if (range.replies == Replies::weighted) throw CryptoError("BFV: replies are never combined with weights");
    const BfvPlan plan = BfvPlan::make(range, range.replies == Replies::each ? 1 : range.senders, flooding_);
    RandomStream keys(randomness.next_key());
    return std::make_unique<BfvOwner>(range, plan, *engine_, keys);
  }
  std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                             std::span<const std::uint8_t> public_key) const override {
    range.check();
    return std::make_unique<BfvResponder>(range, public_key, flooding_, *engine_);
  }

 private:
  std::shared_ptr<SealEngine> engine_;
  Flooding flooding_;
};

ExchangeForecast Bfv::forecast(const ExchangeRange& range, std::size_t neighbors) const {
  ExchangeRange its = range;
  its.slot_bits = std::min(ExchangeRange::max_slot_bits, its.slot_bits_for(neighbors));
  BfvPlan plan;
  try {
    plan = BfvPlan::make(its, neighbors, flooding_);
  } catch (const CryptoError&) {  // said where it is run
    return {};
  }
  const BfvLayout layout{its, plan};
  const auto seconds = [](const Charge& c) {
    return static_cast<double>(c.count) * facts(c.operation).reference_seconds;
  };
  const std::size_t levels = plan.primes.size() - 1;
  const auto count = static_cast<double>(neighbors);
  const double round = seconds(layout.charge(Operation::seal_encrypt, layout.ciphertexts(), levels)) +
                       count * seconds(layout.charge(Operation::seal_respond, layout.ciphertexts(), levels)) +
                       seconds(layout.charge(Operation::seal_decrypt, layout.ciphertexts(), plan.keep));
  constexpr double slower_in_node = 4;
  const double engine = has_native_seal() ? 1 : slower_in_node;
  return {engine * round, engine * 0.02, layout.ciphertexts() * ciphertext_size(plan.degree, levels), 0};
}

}  // namespace

void check_bfv(const ExchangeRange& range, std::size_t senders) {
  BfvPlan::make(range, senders, Flooding::full);
}

void check_bfv_fast(const ExchangeRange& range, std::size_t senders) {
  BfvPlan::make(range, senders, Flooding::none);
}

std::unique_ptr<AdditiveScheme> make_bfv(const SchemeSettings& settings) {
  return std::make_unique<Bfv>(settings, Flooding::full);
}

std::unique_ptr<AdditiveScheme> make_bfv_fast(const SchemeSettings& settings) {
  return std::make_unique<Bfv>(settings, Flooding::none);
}

}  // namespace sotto
