// SPDX-License-Identifier: MIT
#include "crypto/seal/residues.h"

#include <gmpxx.h>

#include <cstring>

namespace sotto {

namespace {

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t t) {
  return static_cast<std::uint64_t>(static_cast<UInt128>(a) * b % t);
}

/// By Fermat: t is prime.
std::uint64_t inverse(std::uint64_t a, std::uint64_t t) {
  std::uint64_t power = 1;
  for (std::uint64_t exponent = t - 2; exponent > 0; exponent >>= 1) {
    if (exponent & 1) power = multiply(power, a, t);
    a = multiply(a, a, t);
  }
  return power;
}

}  // namespace

/// Mixed radix with digits centered around zero: x = d0 + t0 (d1 + t1 (d2 + ...)).
Int128 centered(std::span<const std::uint64_t> residues, std::span<const std::uint64_t> moduli) {
  if (moduli.size() == 1)
    return residues[0] > moduli[0] / 2 ? Int128{residues[0]} - moduli[0] : Int128{residues[0]};
  UInt128 value = 0;
  UInt128 product = 1;  // both modulo 2^128: the sum is exact where it fits
  std::vector<Int128> digits;
  for (std::size_t k = 0; k < moduli.size(); ++k) {
    const std::uint64_t t = moduli[k];
    std::uint64_t known = 0;  // of the digits so far, modulo t
    std::uint64_t radix = 1;
    for (std::size_t j = 0; j < k; ++j) {
      known = static_cast<std::uint64_t>(
          (known + static_cast<UInt128>(multiply(radix, residue_of(digits[j], t), t))) % t);
      radix = multiply(radix, moduli[j] % t, t);
    }
    const std::uint64_t gap = residues[k] >= known ? residues[k] - known : residues[k] + (t - known);
    const std::uint64_t digit = k == 0 ? gap : multiply(gap, inverse(radix, t), t);
    digits.push_back(digit > t / 2 ? Int128{digit} - t : Int128{digit});
    value += product * static_cast<UInt128>(digits.back());
    product *= t;
  }
  return static_cast<Int128>(value);
}

PrimeReduction::PrimeReduction(std::uint64_t prime) : prime_(prime) {
  const UInt128 ratio = ~UInt128{0} / prime;  // prime is odd: the same as floor(2^128 / prime)
  ratio_high_ = static_cast<std::uint64_t>(ratio >> 64);
  ratio_low_ = static_cast<std::uint64_t>(ratio);
}

std::uint64_t PrimeReduction::operator()(UInt128 x) const {
  const auto low = static_cast<std::uint64_t>(x);
  const auto high = static_cast<std::uint64_t>(x >> 64);
  // floor(x ratio / 2^128), or one or two less
  const UInt128 carry = static_cast<UInt128>(low) * ratio_low_ >> 64;
  const UInt128 middle = static_cast<UInt128>(low) * ratio_high_ + carry;
  const UInt128 other = static_cast<UInt128>(high) * ratio_low_ + static_cast<std::uint64_t>(middle);
  const std::uint64_t quotient =
      high * ratio_high_ + static_cast<std::uint64_t>(middle >> 64) + static_cast<std::uint64_t>(other >> 64);
  std::uint64_t rest = low - quotient * prime_;
  while (rest >= prime_) rest -= prime_;
  return rest;
}

std::vector<std::uint64_t> flood_words(const BfvPlan& plan, RandomStream& random) {
  const std::size_t levels = plan.primes.size() - 1;
  std::vector<PrimeReduction> reductions;
  std::vector<std::uint64_t> offsets;  // of 2^F, to be taken away again
  for (std::size_t k = 0; k < levels; ++k) {
    reductions.emplace_back(plan.primes[k]);
    offsets.push_back(reductions.back()(UInt128{1} << plan.flood_bits));
  }
  const UInt128 within = (UInt128{1} << (plan.flood_bits + 1)) - 1;
  std::vector<std::uint64_t> words(plan.degree * levels);
  for (std::size_t c = 0; c < plan.degree; ++c) {
    const std::uint64_t low = random.next();
    const UInt128 drawn = (static_cast<UInt128>(random.next()) << 64 | low) & within;
    for (std::size_t k = 0; k < levels; ++k) {
      const std::uint64_t r = reductions[k](drawn);
      words[k * plan.degree + c] = r >= offsets[k] ? r - offsets[k] : r + (plan.primes[k] - offsets[k]);
    }
  }
  return words;
}

PlainScaling::PlainScaling(const BfvPlan& plan, std::size_t modulus) : degree_(plan.degree) {
  const auto number = [](std::uint64_t x) { return mpz_class(static_cast<unsigned long>(x)); };
  mpz_class q = 1;
  for (std::size_t k = 0; k + 1 < plan.primes.size(); ++k) q *= number(plan.primes[k]);
  const mpz_class t = number(plan.plain_moduli[modulus]);
  for (std::size_t k = 0; k + 1 < plan.primes.size(); ++k) {
    const mpz_class whole = q / t % number(plan.primes[k]);
    primes_.push_back(plan.primes[k]);
    whole_.push_back(whole.get_ui());
    quotients_.push_back(mpz_class((whole << 64) / number(plan.primes[k])).get_ui());
  }
  rest_ = mpz_class(((q % t) << 64) / t).get_ui();
}

void PlainScaling::add(std::span<const std::uint64_t> coefficients, std::span<std::uint64_t> words) const {
  const auto high = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<UInt128>(a) * b >> 64);
  };
  for (std::size_t k = 0; k < primes_.size(); ++k) {
    const std::uint64_t prime = primes_[k];
    const std::uint64_t whole = whole_[k];
    const std::uint64_t quotient = quotients_[k];
    for (std::size_t c = 0; c < coefficients.size(); ++c) {
      const std::uint64_t m = coefficients[c];
      // m floor(q / t), below 2 p (Shoup), + floor(m (q mod t) / t), below t: below 2^63 with what is there
      std::uint64_t& word = words[k * degree_ + c];
      word += m * whole - high(m, quotient) * prime + high(m, rest_);
      if (word >= prime) word -= prime;
      if (word >= prime) word %= prime;  // a prime smaller than t
    }
  }
}

std::uint64_t mask_words_of(std::size_t degree, std::size_t primes) {
  return 2 * degree * primes;
}

void add_masks(std::span<std::uint8_t> ciphertext, std::size_t degree, std::span<const std::uint64_t> primes,
               std::span<const PairMask> masks) {
  if (masks.empty()) return;
  const auto words = ciphertext_words(ciphertext, degree, primes.size());
  for (std::size_t k = 0; k < primes.size(); ++k) {
    const PrimeReduction reduce(primes[k]);
    for (std::size_t c = 0; c < degree; ++c) {
      std::uint8_t* const at = words.data() + sizeof(std::uint64_t) * (k * degree + c);
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof(word));
      for (const PairMask& mask : masks) {
        const std::uint64_t low = mask.stream->next();
        const std::uint64_t m = reduce(static_cast<UInt128>(mask.stream->next()) << 64 | low);
        word += mask.subtract ? primes[k] - m : m;
        if (word >= primes[k]) word -= primes[k];
      }
      std::memcpy(at, &word, sizeof(word));
    }
  }
}

}  // namespace sotto
