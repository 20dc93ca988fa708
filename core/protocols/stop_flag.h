// SPDX-License-Identifier: MIT
// Stopping together (Lari et al. 2024, section II.C, made exact). The first agent to converge raises a flag that
// carries the round after which EVERYBODY stops: its own round plus the rounds that news needs to reach all.
// The flag travels with the messages that are sent anyway; an agent that hears of two keeps the earlier. So
// all agents stop after the same round: masks always cancel, and nobody waits for a neighbor who has stopped.
// Who learns what: that somebody converged, and within which distance.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sotto {

class StopFlag {
 public:
  /// This agent converged in `round`; news reaches everybody within `reach` rounds.
  void raise(std::uint64_t round, std::uint64_t reach) { hear(round + reach); }
  void hear(std::uint64_t stop_round) { stop_round_ = std::min(stop_round_, stop_round); }
  bool reached(std::uint64_t round) const { return round >= stop_round_; }
  bool raised() const { return stop_round_ != never; }

  /// As it goes over the wire and into a saved state.
  std::uint64_t word() const { return stop_round_; }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t stop_round_ = never;
};

}  // namespace sotto
