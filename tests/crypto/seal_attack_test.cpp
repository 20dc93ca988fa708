// SPDX-License-Identifier: MIT
// What the owner of a BFV key can compute from a reply beyond its message. Its own noise v of the request is known to it, and
// with its key it reads the noise of the reply, which is f v + e with a small e of the re-randomization:
//   division            f = sum v v' / sum v v, to the nearest integer
//   approximate gcd     without v: the f for which the v'_k are nearest to multiples of it
// On bfv-fast both give the factor. Under the flood of bfv both give nothing; without the flood, on the same parameters, they do.
#include <doctest/doctest.h>
#include <gmpxx.h>

#include <cmath>

#include "crypto/schemes.h"
#include "crypto/seal/plan.h"
#include "crypto/seal/residues.h"
#include "crypto/seal/wire.h"
#include "tests/support/repetitions.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

constexpr int value_bits = 20;
constexpr int factor_bits = 14;
constexpr std::uint64_t addends = std::uint64_t{1} << (value_bits + factor_bits);

ExchangeRange attacked_range() {
  ExchangeRange range{100, value_bits, factor_bits, false, Replies::each, 0};
  range.slot_bits = range.slot_bits_for(1);
  return range;
}

/// A curious owner: a key, a request, and what it makes of replies to it.
class CuriousOwner {
 public:
  CuriousOwner(SealEngine& engine, const BfvPlan& plan, std::uint64_t number)
      : plan_(plan), random_({number, 0, 0, "curious"}) {
    key_ = engine.generate(plan.parameters(0), random_.next_key(), 0);
    public_ = engine.open(plan.parameters(0), key_->public_key(), 1);
    read_secret();
    for (std::size_t e = 0; e < attacked_range().entries; ++e)
      message_.push_back(static_cast<std::int64_t>(random_.below(1 << value_bits)));
    SealPlain plain;
    for (const std::int64_t m : message_) plain.words.push_back(residue_of(m, t()));
    request_ = key_->encrypt(plain, random_.next_key());
    own_noise_ = noise_of(key_->expanded(request_));
  }

  /// What a neighbor with this factor answers. The owner announces that it wants all primes: dropping some would hide noise
  /// that nothing else hides.
  Bytes reply_of(const AdditiveScheme& scheme, std::int64_t factor) {
    BfvPlan announced = plan_;
    announced.keep = static_cast<std::uint8_t>(plan_.primes.size() - 1);
    Writer w;
    w.put<std::uint8_t>(1);
    announced.save(w);
    w.block(key_->public_key());
    const auto responder = scheme.open_public_key(attacked_range(), w.take());
    std::vector<Int128> addend;
    for (std::size_t e = 0; e < message_.size(); ++e) addend.push_back(random_.below(addends));
    const Bytes reply =
        responder->respond(join_ciphertexts({request_}), std::vector{factor}, addend, {}, random_);
    const auto ciphertext = split_ciphertexts(reply, 1).front();
    return {ciphertext.begin(), ciphertext.end()};
  }

  /// The same operation of SEAL, without the flood.
  Bytes reply_without_flood(std::int64_t factor) {
    SealPlain addend;
    for (std::size_t e = 0; e < message_.size(); ++e) addend.words.push_back(random_.below(addends));
    SealPlain times;
    times.words.assign(1, static_cast<std::uint64_t>(factor));
    return public_->respond(request_, {times, addend, {}, 0}, random_.next_key());
  }

  std::int64_t division(std::span<const std::uint8_t> reply) const {
    const std::vector<double> noise = noise_of(reply);
    double product = 0;
    double square = 0;
    for (std::size_t k = 0; k < noise.size(); ++k) {
      product += noise[k] * own_noise_[k];
      square += own_noise_[k] * own_noise_[k];
    }
    return std::llround(product / square);
  }

  /// By how near the noise is to multiples of a candidate, then refined: least squares on the multiples.
  std::int64_t approximate_gcd(std::span<const std::uint8_t> reply) const {
    const std::vector<double> noise = noise_of(reply);
    double square_sum = 0;
    for (const double v : noise) square_sum += v * v;
    const double spread =
        std::sqrt(square_sum / static_cast<double>(noise.size()));  // some three times the factor
    double best = 1 << 8;
    double best_score = 1e300;
    for (double f = 1 << 8; f < std::min(spread, std::ldexp(1.0, factor_bits));
         f += 4) {  // steps as wide as the noise of a fresh encryption allows
      double score = 0;
      for (std::size_t k = 0; k < 1024; ++k) {
        const double off = noise[k] - f * std::round(noise[k] / f);
        score += off * off / (f * f);
      }
      if (score < best_score) {
        best_score = score;
        best = f;
      }
    }
    for (int turn = 0; turn < 20; ++turn) {
      double product = 0;
      double square = 0;
      for (const double v : noise) {
        const double multiple = std::round(v / best);
        product += v * multiple;
        square += multiple * multiple;
      }
      if (square == 0) return 0;
      best = product / square;
    }
    return std::llround(best);
  }

 private:
  std::uint64_t t() const { return plan_.plain_moduli[0]; }

  /// Decrypting c0 = 0, c1 = round(q / t) gives the secret polynomial itself.
  void read_secret() {
    Bytes crafted =
        key_->expanded(key_->encrypt({SealPlain::Kind::coefficients, {1}, 1}, random_.next_key()));
    const std::size_t levels = plan_.primes.size() - 1;
    const auto words = ciphertext_words(crafted, plan_.degree, levels);
    std::fill(words.begin(), words.end(), 0);
    mpz_class q = 1;
    for (std::size_t k = 0; k < levels; ++k) q *= mpz_class(static_cast<unsigned long>(plan_.primes[k]));
    const mpz_class delta = q / mpz_class(static_cast<unsigned long>(t()));
    for (std::size_t k = 0; k < levels; ++k) {
      const mpz_class residue = delta % mpz_class(static_cast<unsigned long>(plan_.primes[k]));
      const std::uint64_t word = residue.get_ui();
      std::memcpy(words.data() + 8 * plan_.degree * (levels + k), &word, 8);
    }
    const auto opened =
        key_->decrypt(std::vector<std::span<const std::uint8_t>>{crafted}, SealPlain::Kind::coefficients);
    for (const std::uint64_t w : opened) secret_.push_back(w == 0 ? 0 : w == 1 ? 1 : -1);
    REQUIRE(
        std::all_of(opened.begin(), opened.end(), [&](std::uint64_t w) { return w <= 1 || w == t() - 1; }));
  }

  /// c0 + c1 s - round(q m / t), modulo the first prime: all noise without a flood is far smaller.
  std::vector<double> noise_of(std::span<const std::uint8_t> ciphertext) const {
    Bytes copy(ciphertext.begin(), ciphertext.end());
    const std::size_t N = plan_.degree;
    const std::size_t levels = plan_.primes.size() - 1;
    const auto words = ciphertext_words(copy, N, levels);
    const std::uint64_t p = plan_.primes[0];
    std::vector<std::uint64_t> c0(N);
    std::vector<std::uint64_t> c1(N);
    std::memcpy(c0.data(), words.data(), 8 * N);
    std::memcpy(c1.data(), words.data() + 8 * N * levels, 8 * N);
    for (std::size_t j = 0; j < N; ++j) {
      if (secret_[j] == 0) continue;
      for (std::size_t k = 0; k < N; ++k) {  // x^j c1: what passes N comes back with the other sign
        const std::size_t at = j + k < N ? j + k : j + k - N;
        const bool minus = (secret_[j] < 0) != (j + k >= N);
        c0[at] += minus ? p - c1[k] : c1[k];
        if (c0[at] >= p) c0[at] -= p;
      }
    }
    const auto plain =
        key_->decrypt(std::vector<std::span<const std::uint8_t>>{ciphertext}, SealPlain::Kind::coefficients);
    mpz_class q = 1;
    for (std::size_t k = 0; k < levels; ++k) q *= mpz_class(static_cast<unsigned long>(plan_.primes[k]));
    std::vector<double> noise;
    for (std::size_t k = message_.size(); k < N; ++k) {  // where the message is zero nothing was rounded
      const mpz_class scaled = (q * mpz_class(static_cast<unsigned long>(plain[k])) +
                                mpz_class(static_cast<unsigned long>(t() / 2))) /
                               mpz_class(static_cast<unsigned long>(t()));
      const mpz_class residue = scaled % mpz_class(static_cast<unsigned long>(p));
      const std::uint64_t r = residue.get_ui();
      const std::uint64_t d = c0[k] >= r ? c0[k] - r : c0[k] + (p - r);
      noise.push_back(d > p / 2 ? -static_cast<double>(p - d) : static_cast<double>(d));
    }
    return noise;
  }

  BfvPlan plan_;
  RandomStream random_;
  std::unique_ptr<SealSecret> key_;
  std::unique_ptr<SealPublic> public_;
  std::vector<int> secret_;
  std::vector<std::int64_t> message_;
  Bytes request_;
  std::vector<double> own_noise_;
};

const int keys = repetitions(20, 3);

struct Successes {
  int division = 0;
  int gcd = 0;
};

/// Over the whole range of factors, from 2^8 on, which is where the noise of a fresh encryption ends.
template <class Ask>
Successes attack(SealEngine& engine, Flooding flooding, Ask ask) {
  const BfvPlan plan = BfvPlan::make(attacked_range(), 1, flooding);
  Successes count;
  for (int k = 0; k < keys; ++k) {
    CuriousOwner owner(engine, plan, static_cast<std::uint64_t>(k));
    RandomStream random({static_cast<std::uint64_t>(k), 0, 0, "factor"});
    const std::int64_t factor = k == 0 ? (1 << factor_bits) - 1
                                : k == 1
                                    ? 1 << 8
                                    : static_cast<std::int64_t>(random.below((1 << factor_bits) - 256)) + 256;
    const Bytes reply = ask(owner, factor);
    count.division += owner.division(reply) == factor;
    count.gcd += owner.approximate_gcd(reply) == factor;
  }
  return count;
}

}  // namespace

TEST_CASE("attack: the noise of a bfv-fast reply gives the factor away, by division and by approximate gcd") {
  if (seal_engines().empty()) {
    MESSAGE("skipped: neither native SEAL nor Node.js with node-seal is here");
    return;
  }
  const auto engine = seal_engine(SealChoice::automatic);
  const auto scheme = make_scheme("bfv-fast");
  const Successes found = attack(*engine, Flooding::none, [&](CuriousOwner& owner, std::int64_t f) {
    return owner.reply_of(*scheme, f);
  });
  CHECK(found.division == keys);
  CHECK(found.gcd == keys);
}

TEST_CASE(
    "guard: under the flood of bfv both attacks find nothing; without it, on the same parameters, they do") {
  if (seal_engines().empty()) {
    MESSAGE("skipped: neither native SEAL nor Node.js with node-seal is here");
    return;
  }
  const auto engine = seal_engine(SealChoice::automatic);
  const auto scheme = make_scheme("bfv");
  const Successes found = attack(*engine, Flooding::full, [&](CuriousOwner& owner, std::int64_t f) {
    return owner.reply_of(*scheme, f);
  });
  CHECK(found.division == 0);
  CHECK(found.gcd == 0);
  const Successes without = attack(*engine, Flooding::full, [](CuriousOwner& owner, std::int64_t f) {
    return owner.reply_without_flood(f);
  });
  CHECK(without.division == keys);
  CHECK(without.gcd == keys);
}
