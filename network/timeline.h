// Simulated time, computed from a finished run's event log by a discrete-event replay under a link and cost
// model. The same log can be timed again on other links without running anything twice.
//
// Model: an agent computes (count x seconds per operation / its speed), then goes on; sending does not block
// it. A link transmits one message at a time in each direction (full duplex): a message of B bytes occupies
// it for B / w and arrives L after its last byte left. A message to a non-neighbor is stored and forwarded at
// every hop and counted on every link it crosses. Roles have a link of their own to every agent, counted
// apart. Closed form: two neighbors that exchange B bytes at the same moment both have them after L + B / w.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "network/event_log.h"
#include "network/link.h"
#include "network/topology.h"

namespace sotto {

struct CostTable {
  std::array<double, operation_count> seconds{};  ///< per operation
  std::vector<double> speed;                      ///< by agent; empty: 1 everywhere

  static CostTable reference();
  double time(AgentId agent, Operation operation, double count) const {
    const double s = agent < speed.size() ? speed[agent] : 1.0;
    return count * seconds[static_cast<std::size_t>(operation)] / s;
  }
};

/// What had been sent and how late it was when an agent passed a boundary.
struct Progress {
  std::uint64_t messages =
      0;  ///< transmissions over links of the graph, by messages this agent sent: one per hop
  std::uint64_t bytes = 0;
  std::uint64_t role_messages = 0;  ///< to or from roles, by messages this agent sent
  std::uint64_t role_bytes = 0;
  double seconds = 0;
};

struct LinkCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct Timing {
  std::vector<std::uint64_t> iterations;  ///< the boundaries that were asked for
  std::vector<std::vector<Progress>> at;  ///< at[boundary][agent of the graph, then roles]
  std::vector<LinkCount> links;           ///< by Topology::link
  double end = 0;                         ///< when the last agent was done

  /// Sums of the counts and the latest time over all agents, at one boundary.
  Progress total(std::size_t boundary) const;
};

/// Notes progress at the boundaries in `iterations` (ascending). RunError if the log does not fit itself (a
/// receive that nobody sent).
Timing replay(const EventLog& log, const Topology& topology, const Link& link, const CostTable& cost,
              std::vector<std::uint64_t> iterations);

}  // namespace sotto
