// SPDX-License-Identifier: MIT
// [secure_sum]: how the parties' numbers are summed, and the checks that need no run.
// Tests: tests/core/experiment/scenario_test.cpp, tests/core/protocols/secure_sum_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/schema.h"
#include "crypto/schemes.h"

namespace sotto {

enum class SumKind : std::uint8_t { edge_masks, shares, paillier_tree };
template <>
struct Words<SumKind> {
  static constexpr std::string_view setting = "secure_sum.kind";
  static constexpr Word<SumKind> all[] = {{SumKind::edge_masks, "edge-masks"},
                                          {SumKind::shares, "shares"},
                                          {SumKind::paillier_tree, "paillier-tree"}};
};

struct SecureSumOptions {
  SumKind kind = SumKind::edge_masks;
  std::int64_t fraction_bits = 40;
  std::int64_t ring_bits = 64;  ///< of an element: 64 or 128

  /// The scheme whose key sums go under; none: masks.
  std::optional<std::string_view> scheme() const;
};

/// Who prepares normalized sums.
enum class OfflinePhase : std::uint8_t { dealer, paillier, bfv };
template <>
struct Words<OfflinePhase> {
  static constexpr std::string_view setting = "secure_sum.offline";
  static constexpr Word<OfflinePhase> all[] = {{OfflinePhase::dealer, "dealer"},
                                               {OfflinePhase::paillier, paillier_scheme},
                                               {OfflinePhase::bfv, bfv_scheme}};
};

struct NormedSumOptions {
  OfflinePhase offline = OfflinePhase::dealer;
  std::int64_t output_bits = 20;  ///< f
  std::int64_t norm_bound_bits = 10;

  /// The scheme of the products that the parties make themselves; none: a dealer makes them.
  std::optional<std::string_view> scheme() const;
};

Schema secure_sum_settings();
Schema normed_sum_settings();

/// ScenarioError unless rings and keys fit.
void check_sums(const SecureSumOptions& options, const SchemeOptions& keys, const SettingPlaces& places);
/// The same for normalized sums of `entries` numbers.
void check_normed_sums(const NormedSumOptions& options, const SchemeOptions& keys, std::size_t parties,
                       std::size_t entries, const SettingPlaces& places);

}  // namespace sotto
