// SPDX-License-Identifier: MIT
#include "core/protocols/sum_options.h"

#include <fmt/format.h>

#include "crypto/normed_sum_plan.h"

namespace sotto {

std::optional<std::string_view> SecureSumOptions::scheme() const {
  if (kind == SumKind::paillier_tree) return paillier_scheme;
  return {};
}

std::optional<std::string_view> NormedSumOptions::scheme() const {
  if (offline == OfflinePhase::dealer) return {};
  return word_of(offline);
}

Schema secure_sum_settings() {
  using Options = SecureSumOptions;
  SchemaOf<Options> s("secure_sum");
  s.word(&Options::kind,
         "how numbers are summed: edge-masks: masks between neighbors, up and down a tree, needs a graph "
         "without cut vertices; shares: masks between all pairs; paillier-tree: under one party's key "
         "(exchange.keys, exchange.key_bits)");
  s.whole("fraction_bits", &Options::fraction_bits, {1, 100}, "fractional bits of a secure sum").unit("bits");
  s.add(
       "ring_bits", "64 or 128", "bits of an element: 64, or 128 for wider numbers",
       [](Options& o, const SettingValue& v) -> Problem {
         const auto* bits = std::get_if<std::int64_t>(&v);
         if (bits == nullptr || (*bits != 64 && *bits != 128)) return "must be 64 or 128";
         o.ring_bits = *bits;
         return {};
       },
       [](const Options& o) -> std::optional<SettingValue> { return o.ring_bits; })
      .unit("bits");
  return s.take();
}

Schema normed_sum_settings() {
  using Options = NormedSumOptions;
  SchemaOf<Options> s("secure_sum");
  s.word(&Options::offline,
         "who prepares normalized sums: dealer: a party outside the graph; paillier, bfv: the parties, in "
         "products under their keys");
  s.whole("output_bits", &Options::output_bits, {4, 31},
          "f: fractional bits of a normalized sum (10, 20, 31 in the paper)")
      .unit("bits");
  s.whole("norm_bound_bits", &Options::norm_bound_bits, {1, 20},
          "public B: the norm of a sum that is normalized is at least 2^-B")
      .unit("bits");
  return s.take();
}

namespace {

void refuse_key(const SchemeOptions& keys, std::size_t least, const char* what, const SettingPlaces& places) {
  if (keys.key_bits % 2 != 0 || keys.key_bits < least)
    places.refuse("exchange.key_bits", fmt::format("must be an even number from {} on for {}", least, what));
}

}  // namespace

void check_sums(const SecureSumOptions& o, const SchemeOptions& keys, const SettingPlaces& places) {
  const bool under_a_key = o.kind == SumKind::paillier_tree;
  if (under_a_key && o.ring_bits != 64)
    places.refuse("secure_sum.ring_bits", "paillier-tree has slots for 64 bits");
  if (o.fraction_bits > o.ring_bits - 4)
    places.refuse("secure_sum.fraction_bits",
                  fmt::format("{} of {} bits leave no room for a number", o.fraction_bits, o.ring_bits));
  constexpr std::size_t one_slot = 68;  // of 65 bits
  if (under_a_key) refuse_key(keys, one_slot, "paillier-tree", places);
}

void check_normed_sums(const NormedSumOptions& o, const SchemeOptions& keys, std::size_t parties,
                       std::size_t entries, const SettingPlaces& places) {
  constexpr std::size_t one_slot = 128;  // of 126 bits
  if (o.offline == OfflinePhase::paillier) refuse_key(keys, one_slot, "products of shares", places);
  try {
    NormedSumPlan::make(parties, entries, o.offline == OfflinePhase::dealer ? 1 : parties,
                        static_cast<int>(o.output_bits), static_cast<int>(o.norm_bound_bits));
  } catch (const CryptoError& e) {
    places.refuse("secure_sum.norm_bound_bits", e.what());
  }
}

}  // namespace sotto
