// SPDX-License-Identifier: MIT
// scheme = "plain": the integers themselves, in exactly the ranges that an encrypted exchange has. It is the
// oracle of every other scheme: encryption may change nothing but cost. It hides nothing, from anybody (masks aside: where
// replies are summed under masks, they are masked here too, modulo the word).
// A word on the wire has 8 bytes where the slot fits, else 16.
// Tests: tests/crypto/scheme_contract_test.cpp
#include <fmt/format.h>

#include "base/fixed_point.h"
#include "crypto/range_checks.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

bool wide(const ExchangeRange& range) {
  return range.slot_bits > 64;
}

class PlainOwner final : public KeyOwner {
 public:
  explicit PlainOwner(const ExchangeRange& range) : range_(range) {}

  const Bytes& public_key() const override { return no_key_; }

  Bytes encrypt(std::span<const std::int64_t> values, RandomStream&) override {
    check_values(range_, values);
    Writer w(8 * values.size());
    w.raw({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
    return w.take();
  }

  std::vector<Int128> decrypt_sum(std::span<const std::span<const std::uint8_t>> replies,
                                  std::span<const std::vector<std::int64_t>> weights) override {
    check_weights(range_, replies.size(), weights);
    std::vector<Int128> sum(range_.entries, 0);
    std::vector<UInt128> masked(range_.entries, 0);
    for (std::size_t j = 0; j < replies.size(); ++j) {
      const std::vector<Int128> reply = words(replies[j]);
      for (std::size_t e = 0; e < sum.size(); ++e) {
        if (range_.replies == Replies::summed)
          masked[e] += static_cast<UInt128>(reply[e]);
        else
          sum[e] += Int128{weights[j][weights[j].size() == 1 ? 0 : e]} * in_slot(range_, reply[e]);
      }
    }
    if (range_.replies != Replies::summed || replies.empty()) return sum;
    for (std::size_t e = 0; e < sum.size(); ++e) {
      const Int128 value =
          wide(range_) ? static_cast<Int128>(masked[e]) : Int128{static_cast<std::int64_t>(masked[e])};
      sum[e] = Int128{weights[0][0]} * in_slot(range_, value);
    }
    return sum;
  }

  Charge encrypt_charge() const override { return {Operation::plain_encrypt, range_.entries}; }
  Charge decrypt_charge(std::size_t replies) const override {
    return {Operation::plain_decrypt, replies * range_.entries};
  }

 private:
  std::vector<Int128> words(std::span<const std::uint8_t> reply) const {
    if (reply.size() != range_.entries * (wide(range_) ? 16 : 8))
      throw CryptoError(fmt::format("a reply of {} bytes for {} entries", reply.size(), range_.entries));
    Reader r(reply);
    std::vector<Int128> values(range_.entries);
    for (Int128& v : values) v = wide(range_) ? r.get<Int128>() : Int128{r.get<std::int64_t>()};
    return values;
  }

  ExchangeRange range_;
  Bytes no_key_;
};

class PlainResponder final : public Responder {
 public:
  explicit PlainResponder(const ExchangeRange& range) : range_(range) {}

  Bytes respond(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                std::span<const Int128> addend, std::span<const PairMask> masks, RandomStream&) override {
    if (request.size() != 8 * range_.entries)
      throw CryptoError(fmt::format("a request of {} bytes for {} entries", request.size(), range_.entries));
    check_response(range_, factors, addend, masks);
    return wide(range_) ? respond_in<Int128>(request, factors, addend, masks)
                        : respond_in<std::int64_t>(request, factors, addend, masks);
  }

  Charge respond_charge() const override { return {Operation::plain_respond, range_.entries}; }
  Charge setup_charge() const override { return {Operation::plain_respond, 0}; }
  std::uint64_t mask_words() const override { return 2 * range_.entries; }

 private:
  template <class Word>
  Bytes respond_in(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                   std::span<const Int128> addend, std::span<const PairMask> masks) const {
    Reader r(request);
    std::vector<Word> reply(addend.size());
    for (std::size_t e = 0; e < addend.size(); ++e) {
      const Int128 v =
          in_slot(range_, Int128{factors[factors.size() == 1 ? 0 : e]} * r.get<std::int64_t>() + addend[e]);
      auto masked = static_cast<UInt128>(v);
      for (const PairMask& mask : masks) {
        const std::uint64_t low = mask.stream->next();
        const UInt128 word = low | static_cast<UInt128>(mask.stream->next()) << 64;
        masked += mask.subtract ? 0 - word : word;
      }
      reply[e] = static_cast<Word>(masked);
    }
    const auto* raw = reinterpret_cast<const std::uint8_t*>(reply.data());
    return Bytes(raw, raw + reply.size() * sizeof(Word));
  }

  ExchangeRange range_;
};

class Plain final : public AdditiveScheme {
 public:
  std::vector<std::string> labels() const override { return {"no encryption: every message is readable"}; }

  std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range, RandomStream&) const override {
    range.check();
    return std::make_unique<PlainOwner>(range);
  }
  std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                             std::span<const std::uint8_t> public_key) const override {
    range.check();
    if (!public_key.empty()) throw CryptoError("a plain exchange has no public key");
    return std::make_unique<PlainResponder>(range);
  }
};

}  // namespace

std::unique_ptr<AdditiveScheme> make_plain(const SchemeSettings&) {
  return std::make_unique<Plain>();
}

}  // namespace sotto
