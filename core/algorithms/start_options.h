// SPDX-License-Identifier: MIT
// Part of [algorithm]: where the factors start.
// Tests: tests/core/algorithms/ppdnmf_test.cpp, tests/core/algorithms/pd_nmf_test.cpp
#pragma once

#include <cstdint>
#include <string>

#include "base/matrix.h"
#include "base/schema.h"
#include "network/runtime/agent.h"

namespace sotto {

enum class Initialization : std::uint8_t {
  random,
  own_random,
  ones,
  random_2x,
  best_of_m,
  nndsvd,
  pd_nmf_init,
  pd_svd
};
template <>
struct Words<Initialization> {
  static constexpr std::string_view setting = "algorithm.initialization";
  static constexpr Word<Initialization> all[] = {{Initialization::random, "random"},
                                                 {Initialization::own_random, "own-random"},
                                                 {Initialization::ones, "ones"},
                                                 {Initialization::random_2x, "random-2x"},
                                                 {Initialization::best_of_m, "best-of-m"},
                                                 {Initialization::nndsvd, "nndsvd"},
                                                 {Initialization::pd_nmf_init, "pd-nmf-init"},
                                                 {Initialization::pd_svd, "pd-svd"}};
};

struct StartOptions {
  Initialization initialization = Initialization::random;
  double scale = 1;

  /// For tables: methods that start alike have the same words.
  std::string in_words() const;

  /// X0 of block coordinate descent: all ones, or uniform in [0, 1) from a stream that all share, or from the agent's own; times
  /// `scale`.
  Matrix left_factor(const Agent& me, Index features, Index rank) const;
};

/// initialization, initialization_scale
Schema start_settings();

}  // namespace sotto
