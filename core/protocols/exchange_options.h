// SPDX-License-Identifier: MIT
// [exchange]: how neighbors exchange integers, and the checks that need no run.
// Tests: tests/core/experiment/scenario_test.cpp, tests/core/protocols/neighbor_exchange_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/schema.h"
#include "crypto/schemes.h"
#include "network/topology/topology.h"

namespace sotto {

enum class ExchangePrivacy : std::uint8_t { published, per_entry, neighborhood_sum };
template <>
struct Words<ExchangePrivacy> {
  static constexpr std::string_view setting = "exchange.privacy";
  static constexpr Word<ExchangePrivacy> all[] = {{ExchangePrivacy::published, "published"},
                                                  {ExchangePrivacy::per_entry, "per-entry"},
                                                  {ExchangePrivacy::neighborhood_sum, "neighborhood-sum"}};
};

struct ExchangeOptions {
  std::string scheme{plain_scheme};
  ExchangePrivacy privacy = ExchangePrivacy::published;
  double quantization = 10000;
  double max_abs = 64;
  std::int64_t penalty_bits = 16;
};

Schema exchange_settings();

/// A penalty bound g must have at least so many steps of 2^-penalty_bits, or rounding would decide what agents exchange.
inline constexpr std::int64_t min_penalty_steps = 16;

/// The bound g_i for a penalty g. published: g itself, which factors grow toward; the private exchanges draw once, from
/// (1/2, 1] of the bound: 4/3 g, so that factors are g on average.
inline double factor_bound(ExchangePrivacy privacy, double penalty) {
  return privacy == ExchangePrivacy::published ? penalty : penalty * 4 / 3;
}

/// What an exchange is checked against. `penalty`: none where it comes from the data; the exchange checks it when it is known.
struct ExchangeCheck {
  const ExchangeOptions& options;
  const SchemeOptions& keys;
  std::optional<double> penalty;
  const SettingPlaces& places;
};

/// ScenarioError unless the integers of the exchange fit. `agents`: of the graph.
void check_exchange(const ExchangeCheck& check, std::size_t agents);
/// The same on a graph: sums over neighbors fit, and an exchange that hides an agent among the neighbors of another finds two
/// everywhere; otherwise the message names the agents that have fewer.
void check_exchange_on(const ExchangeCheck& check, const Topology& topology,
                       const std::vector<std::string>& agent_names);

/// Sizes of one exchange, for a forecast before the penalty is known.
ExchangeRange forecast_range(const ExchangeOptions& options, std::optional<double> penalty,
                             std::size_t entries);

}  // namespace sotto
