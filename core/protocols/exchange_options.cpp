// SPDX-License-Identifier: MIT
#include "core/protocols/exchange_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/fixed_point.h"
#include "network/topology/graph_file.h"

namespace sotto {

Schema exchange_settings() {
  using Options = ExchangeOptions;
  SchemaOf<Options> s("exchange");
  s.name("scheme", &Options::scheme, names_of(schemes()),
         "how neighbors exchange integers; plain: readable; paillier: encrypted, packed; paillier-textbook: "
         "one ciphertext per entry, as the paper has it; bfv: Microsoft SEAL, thousands of entries to a "
         "ciphertext; bfv-fast: without circuit privacy; ckks: approximate");
  s.word(&Options::privacy,
         "published: the paper's exchange, in which a neighbor learns U; per-entry: a factor of its own for "
         "every entry; neighborhood-sum: an agent learns the sum over its neighbors, and needs two of them");
  s.real("quantization", &Options::quantization, {1, 0x1p53},
         "N_max: grid points per unit of U, a whole number");
  s.real("max_abs", &Options::max_abs, {0, 1e12, true},
         "bound on the entries of U; beyond it the run ends with an error");
  s.whole("penalty_bits", &Options::penalty_bits, {1, 40}, "fractional bits of g").unit("bits");
  return s.take();
}

namespace {

/// The bound of all factors, as the exchange has it.
double integer_penalty(const ExchangeCheck& c) {
  const double bound = factor_bound(c.options.privacy, *c.penalty);
  return std::nearbyint(std::ldexp(bound, static_cast<int>(c.options.penalty_bits)));
}

ExchangeRange exchange_range(const ExchangeOptions& options, double factor) {
  ExchangeRange range;
  range.value_bits = FixedPoint(options.quantization, options.max_abs).value_bits();
  range.factor_bits = bit_length(static_cast<UInt128>(factor));
  range.factor_per_entry = options.privacy == ExchangePrivacy::per_entry;
  return range;
}

void refuse_small_key(const ExchangeCheck& c, ExchangeRange range, std::size_t senders) {
  const int slot = range.slot_bits = range.slot_bits_for(senders);
  const SchemeEntry& scheme = find_scheme(c.options.scheme);
  if (scheme.check != nullptr) {
    try {
      scheme.check(range, senders);
    } catch (const CryptoError& e) {
      c.places.refuse("exchange.quantization", e.what());
    }
  }
  if (!scheme.has_key_bits || static_cast<std::size_t>(slot) + 2 <= c.keys.key_bits) return;
  c.places.refuse("exchange.key_bits",
                  fmt::format("{} bits have no room for one slot of {} bits (values of {}, factors of {}): "
                              "{} are the least",
                              c.keys.key_bits, slot, range.value_bits, range.factor_bits, slot + 2));
}

void refuse_few_neighbors(const ExchangeCheck& c, const Topology& topology,
                          const std::vector<std::string>& agent_names) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> names;
  std::size_t found = 0;
  for (AgentId a = 0; a < topology.agents(); ++a)
    if (topology.degree(a) < 2 && found++ < shown) names.push_back(agent_label(agent_names, a));
  if (found == 0) return;
  if (found > shown) names.push_back(fmt::format("{} more", found - shown));
  c.places.refuse("exchange.privacy",
                  fmt::format("neighborhood-sum needs two neighbors everywhere, but {} {} has fewer: set "
                              "topology.min_degree = 2, or take per-entry",
                              found == 1 ? "agent" : "each of agents", fmt::join(names, ", ")));
}

}  // namespace

void check_exchange(const ExchangeCheck& c, std::size_t agents) {
  const ExchangeOptions& e = c.options;
  if (e.quantization != std::floor(e.quantization))
    c.places.refuse("exchange.quantization", "must be a whole number");
  const double largest = std::nearbyint(e.quantization * e.max_abs);
  if (!(largest >= 1 && largest < 0x1p61))
    c.places.refuse("exchange.quantization",
                    fmt::format("times max_abs is {}: it must lie between 1 and 2^61", largest));
  const SchemeEntry& scheme = find_scheme(e.scheme);
  if (scheme.uses_seal && c.keys.seal_engine == SealChoice::native && !has_native_seal())
    c.places.refuse(
        "exchange.seal_engine",
        "is \"native\", but this program was built without SEAL: \"node\" or \"auto\" take npm's");
  if (scheme.has_key_bits && c.keys.key_bits % 2 != 0)
    c.places.refuse("exchange.key_bits", "must be an even number");
  if (!c.penalty) return;
  const double factor = integer_penalty(c);
  if (factor < static_cast<double>(min_penalty_steps))
    c.places.refuse("algorithm.penalty",
                    fmt::format("{} has fewer than {} steps with {} fractional bits: raise "
                                "exchange.penalty_bits",
                                *c.penalty, min_penalty_steps, e.penalty_bits));
  const double bits = std::log2(largest) + 2 * std::log2(factor) + std::log2(static_cast<double>(agents)) + 6;
  if (bits > 127)
    c.places.refuse(
        "exchange.quantization",
        fmt::format("with max_abs, penalty and penalty_bits needs {:.0f} bits: 127 is the most", bits));
  refuse_small_key(c, exchange_range(e, factor), 1);
}

void check_exchange_on(const ExchangeCheck& c, const Topology& topology,
                       const std::vector<std::string>& agent_names) {
  if (c.options.privacy != ExchangePrivacy::neighborhood_sum) return;
  if (c.penalty) {
    std::size_t senders = 1;
    for (AgentId a = 0; a < topology.agents(); ++a) senders = std::max(senders, topology.degree(a));
    ExchangeRange range = exchange_range(c.options, integer_penalty(c));
    range.replies = Replies::summed;
    refuse_small_key(c, range, senders);
  }
  refuse_few_neighbors(c, topology, agent_names);
}

ExchangeRange forecast_range(const ExchangeOptions& options, std::optional<double> penalty,
                             std::size_t entries) {
  ExchangeRange range;
  range.entries = entries;
  range.value_bits = FixedPoint(options.quantization, options.max_abs).value_bits();
  range.factor_bits = std::max(1, static_cast<int>(options.penalty_bits) +
                                      static_cast<int>(std::ceil(std::log2(penalty.value_or(1)))) + 1);
  range.factor_per_entry = options.privacy == ExchangePrivacy::per_entry;
  return range;
}

}  // namespace sotto
