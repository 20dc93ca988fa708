// SPDX-License-Identifier: MIT
// scheme = "ckks": Microsoft SEAL's CKKS, approximate arithmetic on real numbers, for comparison. Replies are rounded to the
// nearest integer, and the ranges that it takes are those where that is the right one: the error has a standard deviation of 18.5 2^(a - 40) from the
// factor's rounding and 205 2^(gamma - 40) from the request's noise, and doubles have 53 bits. Larger ones are refused.
//
// Who learns what: a responder nothing. The owner reads f m + a; replies are re-randomized, but nothing drowns their noise, so
// it can compute f as with bfv-fast. IND-CPA only: what is decrypted carries the noise of the key, and here decrypted values flow
// into later messages (IND-CPA-D attacks). Labeled so.
// Masks (Replies::summed) are uniform modulo q on c0, as in bfv.cpp.
// Tests: tests/crypto/seal_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "crypto/range_checks.h"
#include "crypto/schemes.h"
#include "crypto/seal/residues.h"
#include "crypto/seal/wire.h"

namespace sotto {

namespace {

constexpr std::size_t degree = 8192;
constexpr std::size_t slots = degree / 2;
constexpr std::size_t keep = 2;  ///< primes of a reply: one is dropped, and the scale with it
constexpr double scale = 0x1p40;
constexpr int widest_value = 31;
constexpr int widest_factor = 28;
constexpr int widest = 46;  ///< bits of a reply: the encoder's doubles have few more

SealParameters parameters() {
  SealParameters p{true, degree, {}, 0};
  for (const int bits : {58, 50, 50, 17}) p.primes.push_back(ntt_primes(degree, bits, 1, p.primes).front());
  return p;
}

std::size_t blocks_of(const ExchangeRange& range) {
  return (range.entries + slots - 1) / slots;
}

Charge charge(Operation operation, std::size_t ciphertexts, std::size_t primes) {
  return {operation, ciphertexts * degree * primes};
}

/// Entries of a block, as reals.
template <class Value>
SealPlain reals(std::span<const Value> values, std::size_t block, double at_scale) {
  SealPlain plain{SealPlain::Kind::reals, {}, at_scale};
  for (std::size_t e = block * slots; e < std::min(values.size(), (block + 1) * slots); ++e)
    plain.words.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(values[e])));
  return plain;
}

void check_range(const ExchangeRange& range) {
  range.check();
  if (range.replies == Replies::weighted || range.replies == Replies::shared)
    throw CryptoError("CKKS: replies are decrypted one by one, or summed");
  if (range.slot_bits <= widest && range.value_bits <= widest_value && range.factor_bits <= widest_factor)
    return;
  throw CryptoError(
      fmt::format("CKKS: replies of {} bits (values of {}, factors of {}): it tells integers apart up to {} "
                  "({} and {}): lower "
                  "exchange.quantization, max_abs or penalty_bits",
                  range.slot_bits, range.value_bits, range.factor_bits, widest, widest_value, widest_factor));
}

class CkksOwner final : public KeyOwner {
 public:
  CkksOwner(const ExchangeRange& range, SealEngine& engine, RandomStream& randomness)
      : range_(range),
        secret_(engine.generate(parameters(), parameters().key_seed(randomness.next_key()), range.party)) {}

  const Bytes& public_key() const override { return secret_->public_key(); }

  Bytes encrypt(std::span<const std::int64_t> values, RandomStream& randomness) override {
    check_values(range_, values);
    std::vector<Bytes> ciphertexts;
    for (std::size_t b = 0; b < blocks_of(range_); ++b)
      ciphertexts.push_back(secret_->encrypt(reals(values, b, scale), randomness.next_key()));
    return join_ciphertexts(ciphertexts);
  }

  std::vector<Int128> decrypt_sum(std::span<const std::span<const std::uint8_t>> replies,
                                  std::span<const std::vector<std::int64_t>> weights) override {
    check_weights(range_, replies.size(), weights);
    std::vector<Int128> sum(range_.entries, 0);
    std::vector<CiphertextList> parts;
    for (const auto reply : replies) {
      parts.push_back(split_ciphertexts(reply, blocks_of(range_)));
      for (const auto c : parts.back())
        if (c.size() != ciphertext_size(degree, keep)) throw CryptoError("a reply of another scheme");
    }
    const bool together = range_.replies == Replies::summed;
    for (std::size_t b = 0; b < blocks_of(range_); ++b)
      for (std::size_t j = 0; j < (together ? std::min<std::size_t>(1, parts.size()) : parts.size()); ++j) {
        CiphertextList ciphertexts;
        for (std::size_t k = j; k < (together ? parts.size() : j + 1); ++k)
          ciphertexts.push_back(parts[k][b]);
        add(b, secret_->decrypt(ciphertexts, SealPlain::Kind::reals), weights[j], sum);
      }
    return sum;
  }

  Charge encrypt_charge() const override {
    return charge(Operation::seal_encrypt, blocks_of(range_), keep + 1);
  }
  Charge decrypt_charge(std::size_t replies) const override {
    return charge(Operation::seal_decrypt,
                  blocks_of(range_) * (range_.replies == Replies::summed ? 1 : replies), keep);
  }
  std::size_t ciphertexts() const override { return blocks_of(range_); }

 private:
  void add(std::size_t b, const std::vector<std::uint64_t>& words, const std::vector<std::int64_t>& weights,
           std::vector<Int128>& sum) const {
    const double bound = std::ldexp(1.0, range_.slot_bits - 1);
    for (std::size_t e = b * slots; e < std::min(sum.size(), (b + 1) * slots); ++e) {
      const auto value = std::bit_cast<double>(words[e - b * slots]);
      if (!(std::abs(value) <= bound))
        throw CryptoError(fmt::format("a reply does not fit {} bits", range_.slot_bits));
      sum[e] += Int128{weights[weights.size() == 1 ? 0 : e]} * std::llrint(value);
    }
  }

  ExchangeRange range_;
  std::unique_ptr<SealSecret> secret_;
};

class CkksResponder final : public Responder {
 public:
  CkksResponder(const ExchangeRange& range, std::span<const std::uint8_t> public_key, SealEngine& engine)
      : range_(range), parameters_(parameters()), key_(engine.open(parameters_, public_key, range.party)) {}

  Bytes respond(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                std::span<const Int128> addend, std::span<const PairMask> masks,
                RandomStream& randomness) override {
    check_response(range_, factors, addend, masks);
    const CiphertextList requests = split_ciphertexts(request, blocks_of(range_));
    const std::vector<std::int64_t> everywhere(range_.factor_per_entry ? 0 : range_.entries, factors[0]);
    std::vector<Bytes> replies;
    for (std::size_t b = 0; b < requests.size(); ++b) {
      SealResponse response;
      response.factor = reals(range_.factor_per_entry ? factors : std::span(everywhere), b, scale);
      response.addend = reals(addend, b, scale * scale);
      response.drop = parameters_.levels() - keep;
      replies.push_back(key_->respond(requests[b], response, randomness.next_key()));
      add_masks(replies.back(), degree, std::span(parameters_.primes).first(keep), masks);
    }
    return join_ciphertexts(replies);
  }

  Charge respond_charge() const override {
    return charge(Operation::seal_respond, blocks_of(range_), keep + 1);
  }
  Charge setup_charge() const override { return {Operation::seal_respond, 0}; }
  std::size_t ciphertexts() const override { return blocks_of(range_); }
  std::uint64_t mask_words() const override { return blocks_of(range_) * mask_words_of(degree, keep); }

 private:
  ExchangeRange range_;
  SealParameters parameters_;
  std::unique_ptr<SealPublic> key_;
};

class Ckks final : public AdditiveScheme {
 public:
  explicit Ckks(const SchemeSettings& settings) : engine_(seal_engine(settings.seal_engine)) {}

  std::string_view implementation() const override { return engine_->name(); }
  std::vector<std::string> labels() const override {
    return {"computed by " + engine_->version(),
            "scheme = ckks: approximate, and IND-CPA only: decrypted values that flow into later messages "
            "carry the key's "
            "noise (IND-CPA-D)",
            "scheme = ckks: no circuit privacy: an agent can compute its neighbors' factors from the noise "
            "of their "
            "replies"};
  }
  ExchangeForecast forecast(const ExchangeRange& range, std::size_t neighbors) const override {
    const auto seconds = [](const Charge& c) {
      return static_cast<double>(c.count) * facts(c.operation).reference_seconds;
    };
    const std::size_t blocks = blocks_of(range);
    constexpr double slower_in_node = 4;
    const double engine = has_native_seal() ? 1 : slower_in_node;
    const double round =
        seconds(charge(Operation::seal_encrypt, blocks, keep + 1)) +
        static_cast<double>(neighbors) * (seconds(charge(Operation::seal_respond, blocks, keep + 1)) +
                                          seconds(charge(Operation::seal_decrypt, blocks, keep)));
    return {engine * round, engine * 0.02, blocks * ciphertext_size(degree, keep + 1), 0};
  }
  std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range,
                                          RandomStream& randomness) const override {
    check_range(range);
    RandomStream keys(randomness.next_key());
    return std::make_unique<CkksOwner>(range, *engine_, keys);
  }
  std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                             std::span<const std::uint8_t> public_key) const override {
    check_range(range);
    return std::make_unique<CkksResponder>(range, public_key, *engine_);
  }

 private:
  std::shared_ptr<SealEngine> engine_;
};

}  // namespace

void check_ckks(const ExchangeRange& range, std::size_t) {
  check_range(range);
}

std::unique_ptr<AdditiveScheme> make_ckks(const SchemeSettings& settings) {
  return std::make_unique<Ckks>(settings);
}

}  // namespace sotto
