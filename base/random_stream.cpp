// SPDX-License-Identifier: MIT
#include "base/random_stream.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "base/sha256.h"

namespace sotto {

struct RandomStream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  Sha256Digest key;

  Cipher() = default;
  Cipher(const Cipher&) = delete;
  ~Cipher() { EVP_CIPHER_CTX_free(context); }

  /// Puts the keystream at 16-byte block `block`.
  void start_at(std::uint64_t block) {
    std::array<std::uint8_t, 16> counter{};
    for (int k = 0; k < 8; ++k) counter[15 - k] = static_cast<std::uint8_t>(block >> (8 * k));
    if (context == nullptr ||
        EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()) != 1)
      throw CryptoError("OpenSSL could not start AES-256-CTR");
  }
};

RandomStream::RandomStream(const StreamName& name) : cipher_(std::make_unique<Cipher>()) {
  Writer w;
  w.text("sotto random stream 1");
  w.put(name.seed);
  w.put(name.run);
  w.put(name.agent);
  w.text(name.purpose);
  cipher_->key = sha256(w.take());
  cipher_->start_at(0);
}

RandomStream::RandomStream(const StreamKey& key) : cipher_(std::make_unique<Cipher>()) {
  cipher_->key = key;
  cipher_->start_at(0);
}

RandomStream::RandomStream(RandomStream&&) noexcept = default;
RandomStream& RandomStream::operator=(RandomStream&&) noexcept = default;
RandomStream::~RandomStream() = default;

void RandomStream::refill() {
  static constexpr std::array<std::uint8_t, words_per_refill * 8> zeros{};
  int written = 0;
  if (EVP_EncryptUpdate(cipher_->context, reinterpret_cast<std::uint8_t*>(words_.data()), &written,
                        zeros.data(), static_cast<int>(zeros.size())) != 1)
    throw CryptoError("OpenSSL could not draw from AES-256-CTR");
}

std::uint64_t RandomStream::next() {
  const std::size_t at = position_ % words_per_refill;
  if (at == 0) refill();
  ++position_;
  return words_[at];
}

StreamKey RandomStream::next_key() {
  StreamKey key;
  for (std::size_t k = 0; k < key.size(); k += sizeof(std::uint64_t)) {
    const std::uint64_t word = next();
    std::memcpy(key.data() + k, &word, sizeof(word));
  }
  return key;
}

void RandomStream::seek(std::uint64_t position) {
  const std::uint64_t within = position % words_per_refill;
  position_ = position - within;
  cipher_->start_at(position_ / 2);  // two words to a 16-byte block
  for (std::uint64_t k = 0; k < within; ++k) next();
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t reject_under = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t x = next();
    if (x >= reject_under) return x % bound;
  }
}

double RandomStream::exponential(double mean) {
  return -mean * portable_log(1.0 - uniform());
}

double RandomStream::normal() {
  for (;
       ;) {  // Marsaglia's polar method; the second number is not kept, so that position() is the whole state
    const double u = 2.0 * uniform() - 1.0;
    const double v = 2.0 * uniform() - 1.0;
    const double s = u * u + v * v;
    if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * portable_log(s) / s);
  }
}

StreamKey system_stream_key() {
  StreamKey key;
  if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1)
    throw CryptoError("the system gave no random bytes");
  return key;
}

namespace {

constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // the last bits are zero: times an exponent it is exact
constexpr double ln2_low = 0x1.ef35793c76730p-45;

}  // namespace

double portable_log(double x) {
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(t), t = (m-1)/(m+1), |t| < 0.1716
  int e = 0;
  double m = std::frexp(x, &e);  // exact
  if (m < 0.70710678118654752440) {
    m *= 2.0;
    --e;
  }
  const double t = (m - 1.0) / (m + 1.0);
  const double t2 = t * t;
  double series = 0.0;
  for (int k = 23; k >= 1; k -= 2) series = series * t2 + 1.0 / k;
  return e * ln2_high + (2.0 * t * series + e * ln2_low);
}

double portable_exp(double x) {
  constexpr double largest = 710;    // infinite above
  constexpr double smallest = -746;  // zero below
  if (std::isnan(x)) return x;
  if (x > largest) return std::numeric_limits<double>::infinity();
  if (x < smallest) return 0.0;
  // x = e ln 2 + r with |r| < 0.3466
  const double e = std::floor(x / ln2_high + 0.5);
  const double r = (x - e * ln2_high) - e * ln2_low;
  double series = 1.0;
  for (int k = 15; k >= 1; --k) series = 1.0 + series * r / k;
  return std::ldexp(series, static_cast<int>(e));
}

double portable_power(double x, double y) {
  constexpr double most_products = 64;
  if (y != std::floor(y) || std::abs(y) > most_products) return portable_exp(y * portable_log(x));
  double product = 1.0;
  for (double k = 0; k < std::abs(y); ++k) product *= x;
  return y < 0 ? 1.0 / product : product;
}

}  // namespace sotto
