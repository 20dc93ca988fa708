// SPDX-License-Identifier: MIT
// [link] and [cost]: what simulated time is computed from.
// Tests: tests/core/experiment/scenario_test.cpp, tests/network/time/timeline_test.cpp
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/operation.h"
#include "base/schema.h"
#include "network/time/link.h"
#include "network/time/timeline.h"

namespace sotto {

enum class Duplex : std::uint8_t { full, half };
template <>
struct Words<Duplex> {
  static constexpr std::string_view setting = "link.duplex";
  static constexpr Word<Duplex> all[] = {{Duplex::full, "full"}, {Duplex::half, "half"}};
};

struct LinkOptions {
  double latency_ms = 5;
  double bandwidth_mbit = 10;
  double loss = 0;
  Duplex duplex = Duplex::full;

  /// For every edge; `attributes`, by Topology::edge_list, say what is different there, empty: nothing.
  LinkModel model(const std::vector<LinkAttributes>& attributes) const;
};

/// What a topology file gives for every edge, so that nothing looks at the setting of [link]. Not a setting: whoever reads the
/// file adds it to the options.
struct LinksGiven {
  bool latency = false, bandwidth = false, loss = false;

  /// `attributes` by Topology::edge_list; empty: the file gives nothing.
  static LinksGiven by(const std::vector<LinkAttributes>& attributes);
};

enum class CostPreset : std::uint8_t { reference };
template <>
struct Words<CostPreset> {
  static constexpr std::string_view setting = "cost.preset";
  static constexpr Word<CostPreset> all[] = {{CostPreset::reference, "reference"}};
};

struct CostOptions {
  CostPreset preset = CostPreset::reference;
  std::map<Operation, double> seconds;  ///< overrides of the preset
  double speed = 1;
  std::vector<double> speeds;      ///< one per agent, instead of `speed`
  std::vector<std::int64_t> slow;  ///< these agents run at `slow_factor`
  double slow_factor = 1;

  CostTable table(std::size_t agents) const;
  /// Of the place that holds all data: it is no straggler.
  CostTable table_of_center() const;
  /// ScenarioError unless speeds are of agents that exist.
  void check(std::size_t agents, const SettingPlaces& places) const;
};

Schema link_settings();
Schema cost_settings();

}  // namespace sotto
