// What an algorithm is to the experiment: the party's view as a coroutine, and a way to read the factors out
// of a saved state. Algorithms see an Agent, their own samples and public facts; never each other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "core/data/samples.h"
#include "core/protocols/neighbor_exchange.h"
#include "core/protocols/normed_secure_sum.h"
#include "core/protocols/secure_sum.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

struct Scenario;

/// What every agent may know of the network.
struct PublicFacts {
  std::size_t agents = 1;
  /// Rounds after which news from any agent has reached every other: the diameter, or a bound on it
  /// where that would take too long.
  std::uint64_t reach = 0;
  /// How neighbors exchange integers, or whose key a secure sum goes under; none where nothing is encrypted.
  std::shared_ptr<const AdditiveScheme> scheme;
  /// How everybody's numbers are summed; none for algorithms that do not.
  std::shared_ptr<const SumPlan> sums;
  /// How they are summed and normalized; none for algorithms that do not.
  std::shared_ptr<const NormedSumFacts> normed;
  /// initialization = "nndsvd": topics from everybody's data in one place, which no party could compute. Labelled.
  Matrix start;
  /// application.kind = "pcr", response_fit = "shared": the response of every agent's samples. Each looks at its own.
  std::vector<Vector> responses;
};

/// What one agent holds at a boundary, as the observer sees it.
struct FactorView {
  std::uint64_t iteration = 0;
  std::uint64_t round = 0;
  bool finished = false;
  bool converged = false;  ///< finished because the stopping rule said so, not the limit
  Matrix X;                ///< left factor, features x rank
  Matrix Y;                ///< right factor, rank x own samples
  ExchangeFigures exchange{};
  SumFigures sums{};
  SumFigures normed{};   ///< normalized sums, online
  SumFigures offline{};  ///< and offline
  Vector mean{};         ///< Z ~ X Y + mean 1'; empty: 0
  Vector weights{};      ///< a response on the rows of Y, and a constant, fitted by all; empty: not
};

/// entropy = "seed": for simulation alone.
inline constexpr std::string_view seeded_label =
    "entropy = seed: keys and masks follow from the scenario: for simulation";

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// True: one agent holds everybody's samples and there is no network.
  virtual bool one_place() const { return false; }
  /// An agent's whole life. Z: its samples as columns. `start`: a state saved at a boundary, or empty.
  virtual Task<void> party(Agent& me, const Samples& Z, const Bytes& start) const = 0;
  /// Who is there besides the parties. `starts`: their saved states, or none.
  virtual std::vector<Role> roles(std::span<const Bytes> /*starts*/) const { return {}; }
  virtual FactorView view(std::span<const std::uint8_t> state) const = 0;
  /// What is insecure or unusual about a result of this algorithm.
  virtual std::vector<std::string> labels() const = 0;
};

}  // namespace sotto
