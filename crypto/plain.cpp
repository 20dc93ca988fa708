// scheme = "plain": the integers themselves, in exactly the ranges that an encrypted exchange has. It is the
// oracle of every other scheme: encryption may change nothing but cost. It hides nothing, from anybody.
// A word on the wire has 8 bytes where the reply fits, else 16.
#include <fmt/format.h>

#include "crypto/schemes.h"

namespace sotto {

namespace {

constexpr int max_reply_bits = 126;

class PlainOwner final : public KeyOwner {
 public:
  explicit PlainOwner(const ExchangeRange& range) : range_(range) {}

  const Bytes& public_key() const override { return no_key_; }

  Bytes encrypt(std::span<const std::int64_t> values, RandomStream&) override {
    if (values.size() != range_.entries)
      throw CryptoError(
          fmt::format("{} values, but the exchange has {} entries", values.size(), range_.entries));
    const std::int64_t bound = std::int64_t{1} << range_.value_bits;
    for (const std::int64_t v : values)
      if (v <= -bound || v >= bound)
        throw CryptoError(fmt::format("the value {} does not fit {} bits", v, range_.value_bits));
    Writer w(8 * values.size());
    w.raw({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
    return w.take();
  }

  std::vector<Int128> decrypt(std::span<const std::uint8_t> reply) override {
    const bool wide = range_.reply_bits() > 64;
    if (reply.size() != range_.entries * (wide ? 16 : 8))
      throw CryptoError(fmt::format("a reply of {} bytes for {} entries", reply.size(), range_.entries));
    const Int128 bound = Int128{1} << (range_.reply_bits() - 1);
    Reader r(reply);
    std::vector<Int128> values(range_.entries);
    for (Int128& v : values) {
      v = wide ? r.get<Int128>() : Int128{r.get<std::int64_t>()};
      if (v < -bound || v >= bound)
        throw CryptoError(fmt::format("a reply does not fit {} bits", range_.reply_bits()));
    }
    return values;
  }

 private:
  ExchangeRange range_;
  Bytes no_key_;
};

class PlainResponder final : public Responder {
 public:
  explicit PlainResponder(const ExchangeRange& range) : range_(range) {}

  Bytes respond(std::span<const std::uint8_t> request, std::int64_t factor, std::span<const Int128> addend,
                RandomStream&) override {
    if (request.size() != 8 * range_.entries || addend.size() != range_.entries)
      throw CryptoError(fmt::format("a request of {} bytes and {} addends for {} entries", request.size(),
                                    addend.size(), range_.entries));
    if (factor < 0 || bit_length_of(factor) > range_.factor_bits)
      throw CryptoError(fmt::format("the factor {} does not fit {} bits", factor, range_.factor_bits));
    return range_.reply_bits() > 64 ? respond_in<Int128>(request, factor, addend)
                                    : respond_in<std::int64_t>(request, factor, addend);
  }

 private:
  template <class Word>
  Bytes respond_in(std::span<const std::uint8_t> request, std::int64_t factor,
                   std::span<const Int128> addend) const {
    const Int128 bound = Int128{1} << (range_.reply_bits() - 1);
    Reader r(request);
    std::vector<Word> reply(addend.size());
    for (std::size_t e = 0; e < addend.size(); ++e) {
      const Int128 v = Int128{factor} * r.get<std::int64_t>() + addend[e];
      if (v < -bound || v >= bound)
        throw CryptoError(fmt::format("a reply does not fit {} bits", range_.reply_bits()));
      reply[e] = static_cast<Word>(v);
    }
    const auto* raw = reinterpret_cast<const std::uint8_t*>(reply.data());
    return Bytes(raw, raw + reply.size() * sizeof(Word));
  }

  static int bit_length_of(std::int64_t factor) {
    return factor == 0 ? 0 : 64 - __builtin_clzll(static_cast<std::uint64_t>(factor));
  }

  ExchangeRange range_;
};

class Plain final : public AdditiveScheme {
 public:
  Operations operations() const override {
    return {Operation::plain_encrypt, Operation::plain_respond, Operation::plain_decrypt};
  }
  std::vector<std::string> labels() const override { return {"no encryption: every message is readable"}; }

  std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range, RandomStream&) const override {
    check(range);
    return std::make_unique<PlainOwner>(range);
  }
  std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                             std::span<const std::uint8_t> public_key) const override {
    check(range);
    if (!public_key.empty()) throw CryptoError("a plain exchange has no public key");
    return std::make_unique<PlainResponder>(range);
  }

 private:
  static void check(const ExchangeRange& range) {
    if (range.value_bits < 1 || range.value_bits > 62 || range.factor_bits < 1 || range.factor_bits > 62 ||
        range.reply_bits() > max_reply_bits)
      throw CryptoError(fmt::format("values of {} bits times factors of {} bits do not fit a {}-bit reply",
                                    range.value_bits, range.factor_bits, max_reply_bits));
  }
};

}  // namespace

std::unique_ptr<AdditiveScheme> make_plain() {
  return std::make_unique<Plain>();
}

}  // namespace sotto
