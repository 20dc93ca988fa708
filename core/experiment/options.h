// SPDX-License-Identifier: MIT
// What belongs to the experiment as a whole: its name, its seed and trials, and [output].
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/schema.h"

namespace sotto {

enum class Entropy : std::uint8_t { seed, os };
template <>
struct Words<Entropy> {
  static constexpr std::string_view setting = "entropy";
  static constexpr Word<Entropy> all[] = {{Entropy::seed, "seed"}, {Entropy::os, "os"}};
};

/// Settings outside any table.
struct RunOptions {
  std::string name = "scenario";
  std::uint64_t seed = 1;
  std::int64_t trials = 1;
  Entropy entropy = Entropy::seed;

  bool seeded() const { return entropy == Entropy::seed; }
  /// What keys come from; none: the system.
  std::optional<std::uint64_t> key_seed() const { return seeded() ? std::optional(seed) : std::nullopt; }
};

struct OutputOptions {
  bool factors = false;
  std::int64_t metrics_every = 1;
  std::int64_t checkpoint_every = 0;
  bool transcript = false;
  std::vector<std::int64_t> images;  ///< numbers of samples, from 1
  bool events = true;
};

Schema run_settings();
Schema output_settings();

}  // namespace sotto
