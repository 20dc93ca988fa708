// SPDX-License-Identifier: MIT
// What an algorithm is to the experiment: the party's view as a coroutine, and a way to read the factors out of a saved
// state. A party sees its Agent, its own input, public facts and its kit; nothing in its reach holds another party's samples
// or responses.
// Tests: tests/core/algorithms/kinds_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "core/data/samples.h"
#include "core/protocols/neighbor_exchange.h"
#include "core/protocols/normed_secure_sum.h"
#include "core/protocols/secure_sum.h"
#include "network/runtime/agent.h"
#include "network/runtime/runtime.h"
#include "network/runtime/task.h"

namespace sotto {

/// What every agent may know of the network.
struct PublicFacts {
  std::size_t agents = 1;
  /// Rounds after which news from any agent has reached every other: the diameter, or a bound on it
  /// where that would take too long.
  std::uint64_t reach = 0;
  /// A bound on the second-largest eigenvalue modulus of the graph's Metropolis weights (core/protocols/gossip.h), for
  /// algorithms that need it.
  double mixing = 0;
};

/// What one party holds.
struct PartyInput {
  Samples samples;  ///< as columns
  Vector response;  ///< of its samples; empty: there is none
};

/// What a start that is computed in one place is made of: everybody's samples, by party, and the streams that parties draw from.
struct CentralData {
  const Samples& all;
  const std::vector<Samples>& parts;
  std::uint64_t seed = 1;
  std::uint64_t trial = 0;

  /// The stream that party `agent` starts from, and the one that all share: Agent::random and Agent::shared_random.
  RandomStream random(std::uint64_t agent) const {
    return RandomStream({seed, trial, agent, "initialization"});
  }
  RandomStream shared_random() const { return random(StreamName::everyone); }
};

/// Left factors to start from that were computed in one place, and the multiply-adds that they took.
struct CentralStart {
  Matrix T;
  std::uint64_t flops = 0;
};

/// What the experiment prepares for an algorithm, by its needs.
struct Kit {
  /// How neighbors exchange integers, or whose key a secure sum goes under; none where nothing is encrypted.
  std::shared_ptr<const AdditiveScheme> scheme;
  std::shared_ptr<const SumPlan> sums;
  std::shared_ptr<const NormedSumFacts> normed;
  /// A start that was computed from everybody's data in one place, which no party could do; empty: none. Labeled.
  CentralStart central_start;
  bool seeded = true;  ///< entropy = "seed"
};

/// What one agent holds at a boundary, as the observer sees it.
struct FactorView {
  std::uint64_t iteration = 0;
  std::uint64_t round = 0;
  bool finished = false;
  bool converged = false;  ///< finished because the stopping rule said so, not the limit
  Matrix X;                ///< left factor, features x rank
  Matrix Y;                ///< right factor, rank x own samples
  Counters counters{};     ///< of its protocols, so far
  Vector mean{};           ///< Z ~ X Y + mean 1'; empty: 0
  Vector weights{};        ///< a response on the rows of Y, and a constant, fitted by all; empty: not
};

/// entropy = "seed": for simulation alone.
inline constexpr std::string_view seeded_label =
    "entropy = seed: keys and masks follow from the scenario: for simulation";

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// An agent's whole life. `input` outlives it. `start`: a state saved at a boundary, or empty.
  virtual Task<void> party(Agent& me, const PartyInput& input, const Bytes& start) const = 0;
  /// Who is there besides the parties. `starts`: their saved states, or none.
  virtual std::vector<Role> roles(std::span<const Bytes> /*starts*/) const { return {}; }
  virtual FactorView view(std::span<const std::uint8_t> state) const = 0;
  /// What is insecure or unusual about a result of this algorithm.
  virtual std::vector<std::string> labels() const = 0;
};

}  // namespace sotto
