// SPDX-License-Identifier: MIT
#include "crypto/seal/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto {

namespace {

struct ParameterSet {
  std::size_t degree;
  std::array<int, 5> prime_bits;  ///< 0: none
};

/// Within what 128 bits of security allow: 109 bits for N = 4096, 218 for N = 8192. The last prime is small: SEAL keeps it
/// for key switching, which nothing here uses.
constexpr std::array<ParameterSet, 4> sets{{
    {4096, {58, 35, 16, 0, 0}},
    {8192, {60, 60, 17, 0, 0}},
    {8192, {58, 50, 50, 17, 0}},
    {8192, {60, 51, 51, 38, 17}},
}};

constexpr double error_bound = 21;
constexpr double rounding_bound = 2;  // of q m / t
constexpr double hiding_bits = 40;
constexpr double deviations = 12;
constexpr int least_plain_bits = 24;  // below, primes that are 1 modulo 2 N are rare
constexpr int most_plain_bits = 56;

double log2_of(std::size_t n) {
  return std::log2(static_cast<double>(n));
}

}  // namespace

std::vector<std::uint64_t> ntt_primes(std::size_t degree, int bits, std::size_t count,
                                      std::span<const std::uint64_t> others) {
  const std::uint64_t step = 2 * degree;
  std::vector<std::uint64_t> found;
  for (std::uint64_t p = (std::uint64_t{1} << bits) - step + 1; found.size() < count; p -= step) {
    if (p >> (bits - 1) == 0) throw CryptoError(fmt::format("not {} primes of {} bits", count, bits));
    constexpr int rounds = 40;
    const mpz_class number(static_cast<unsigned long>(p));
    if (mpz_probab_prime_p(number.get_mpz_t(), rounds) != 0 &&
        std::find(others.begin(), others.end(), p) == others.end())
      found.push_back(p);
  }
  return found;
}

void BfvPlan::choose(std::uint8_t set_number, int bits, std::size_t moduli) {
  const ParameterSet& s = sets[set_number];
  set = set_number;
  plain_bits = static_cast<std::uint8_t>(bits);
  degree = s.degree;
  primes.clear();
  for (const int b : s.prime_bits)
    if (b > 0) primes.push_back(ntt_primes(degree, b, 1, primes).front());
  plain_moduli = ntt_primes(degree, bits, moduli, primes);
}

double BfvPlan::noise_bits(const ExchangeRange& range) const {
  const auto N = static_cast<double>(degree);
  const double half_t = std::ldexp(1.0, plain_bits - 1);
  const double factor =
      range.factor_per_entry ? N * half_t : std::min(std::ldexp(1.0, range.factor_bits), 2 * half_t);
  const double zero =
      error_bound * (2 * N + 1) / static_cast<double>(primes.back()) + (N + 1) / 2 + 2 * rounding_bound;
  return std::log2(factor * (error_bound + rounding_bound) + zero);
}

int BfvPlan::required_flood(const ExchangeRange& range) const {
  if (flooding == Flooding::none) return 0;
  return static_cast<int>(std::ceil(noise_bits(range) + hiding_bits + log2_of(degree)));
}

bool BfvPlan::fits(const ExchangeRange& range, double senders) {
  const int flood = required_flood(range);
  constexpr int widest_flood = 125;
  if (flood > widest_flood) return false;
  flood_bits = static_cast<std::uint8_t>(flood);
  const double before = std::log2(std::exp2(noise_bits(range)) + (flood > 0 ? std::exp2(flood) : 0));
  double all = 0;
  for (std::size_t k = 0; k + 1 < primes.size(); ++k) all += std::log2(static_cast<double>(primes[k]));
  const double spread = std::sqrt((1 + 2 * static_cast<double>(degree) / 3) / 12);
  double kept = 0;
  for (std::size_t k = 0; k + 1 < primes.size(); ++k) {
    kept += std::log2(static_cast<double>(primes[k]));
    const bool whole = k + 2 == primes.size();
    const double rounding = whole ? 0 : spread * std::sqrt(senders);
    const double room = std::exp2(kept - 1 - plain_bits) - senders * (std::exp2(before - (all - kept)) + 1);
    if (room <= deviations * rounding || (flooding == Flooding::none && !whole)) continue;
    keep = static_cast<std::uint8_t>(k + 1);
    constexpr double certain = -1000;
    const double x = rounding == 0 ? 0 : room / rounding;
    failure_log2 =
        rounding == 0 ? certain : std::max(certain, 1 + log2_of(degree) - x * x / 2 / std::log(2.0));
    return true;
  }
  return false;
}

BfvPlan BfvPlan::make(const ExchangeRange& range, std::size_t senders, Flooding flooding) {
  BfvPlan plan;
  plan.flooding = flooding;
  const auto count = static_cast<double>(std::max<std::size_t>(1, senders));
  constexpr std::size_t most_moduli = 4;
  const int needed = range.slot_bits + 1;  // t > 2^(w + 1): what is no reply is seen to be none
  for (std::size_t moduli = 1; moduli <= most_moduli; ++moduli) {
    const int bits =
        std::max(least_plain_bits, (needed + static_cast<int>(moduli) - 1) / static_cast<int>(moduli) + 1);
    if (bits > most_plain_bits) continue;
    for (std::size_t set = flooding == Flooding::none ? 0 : 1; set < sets.size(); ++set) {
      plan.choose(static_cast<std::uint8_t>(set), bits, moduli);
      if (plan.fits(range, count)) return plan;
    }
  }
  throw CryptoError(fmt::format(
      "BFV: replies of {} bits (values of {}, factors of {}, {} senders) fit no set of parameters: with {} "
      "the noise has "
      "{:.0f} bits before the flood and {} with it; lower exchange.quantization, max_abs or penalty_bits",
      range.slot_bits, range.value_bits, range.factor_bits, senders, plan.text(), plan.noise_bits(range),
      plan.required_flood(range)));
}

std::string BfvPlan::text() const {
  std::vector<int> bits;
  for (const int b : sets[set].prime_bits)
    if (b > 0) bits.push_back(b);
  const int reserved = bits.back();
  bits.pop_back();
  return fmt::format("N = {}, q of {} bits and {} reserved, {} plaintext moduli of {} bits", degree,
                     fmt::join(bits, " + "), reserved, plain_moduli.size(), plain_bits);
}

void BfvPlan::save(Writer& w) const {
  for (const std::uint8_t part :
       {set, plain_bits, static_cast<std::uint8_t>(plain_moduli.size()), keep, flood_bits})
    w.put(part);
}

BfvPlan BfvPlan::load(Reader& r, const ExchangeRange& range, Flooding flooding) {
  BfvPlan plan;
  plan.flooding = flooding;
  const auto set = r.get<std::uint8_t>();
  const auto bits = r.get<std::uint8_t>();
  const auto moduli = r.get<std::uint8_t>();
  const bool known = set < sets.size() && bits >= least_plain_bits && bits <= most_plain_bits &&
                     moduli >= 1 && moduli <= 4 && moduli * (bits - 1) >= range.slot_bits + 1;
  if (!known) throw CryptoError("a BFV key for another exchange");
  plan.choose(set, bits, moduli);
  plan.keep = r.get<std::uint8_t>();
  plan.flood_bits = r.get<std::uint8_t>();
  if (plan.keep < 1 || plan.keep > plan.primes.size() - 1 || plan.flood_bits < plan.required_flood(range) ||
      plan.flood_bits > 125)
    throw CryptoError("a BFV key that asks for replies that would hide too little");
  return plan;
}

}  // namespace sotto
