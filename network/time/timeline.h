// SPDX-License-Identifier: MIT
// Simulated time, computed from a finished run's event log by a discrete-event replay under a link and cost
// model. The same log can be timed again on other links without running anything twice.
//
// Model: an agent computes (count x seconds per operation / its speed), then goes on; sending does not block
// it. What one agent sends another goes over one connection, message after message. Connections that use a link at
// the same time (of pairs whose messages pass through, of the other direction on a half-duplex link) share its
// bandwidth equally (shared_link.h); full duplex: each direction of an edge has the bandwidth for itself. A message
// arrives L after its last byte left. With loss p, each transmission is lost with probability p, after using
// the link all the same; its sender notices 2 L after the last byte left and sends it again, behind what its
// connection has to send by then. A message to a
// non-neighbor is stored and forwarded at every hop and counted on every link it crosses. Roles have a standard
// link of their own to every agent, counted apart. Messages of one sender and tag are received in the order in
// which they were sent, whatever overtook what on the way.
//
// Closed forms, for B bytes at bandwidth w: two neighbors that send each other B at the same moment both have
// them after L + B / w, on a half-duplex link after L + 2 B / w; a message that is alone takes
// (B / w + L) + p / (1 - p) (B / w + 2 L) on average.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/figure.h"
#include "base/random_stream.h"
#include "network/time/event_log.h"
#include "network/time/link.h"
#include "network/topology/topology.h"

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
  std::uint64_t lost = 0;  ///< transmissions of this agent's messages that were lost so far, on any link
  std::uint64_t lost_bytes = 0;
  double seconds = 0;
};

/// What is lost is sent again: `lost` counts the retransmissions, `messages` does not.
struct LinkCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t lost_bytes = 0;
};

struct Timing {
  std::vector<std::uint64_t> iterations;  ///< the boundaries that were asked for
  std::vector<std::vector<Progress>> at;  ///< at[boundary][agent of the graph, then roles]
  std::vector<LinkCount> links;           ///< by Topology::link
  double end = 0;                         ///< when the last agent was done

  /// Sums of the counts and the latest time over all agents, at one boundary.
  Progress total(std::size_t boundary) const;
};

/// In the trace, over all agents and of each; and at the end.
struct ProgressFigure {
  Figure figure;
  double (*of)(const Progress& progress);
};
std::span<const ProgressFigure> progress_figures();

/// At the end.
struct TimingFigure {
  Figure figure;
  double (*of)(const Timing& timing);
};
std::span<const TimingFigure> timing_figures();

/// Notes progress at the boundaries in `iterations` (ascending). `losses` names the stream that decides what is
/// lost; nothing is drawn for a link without loss. RunError if the log does not fit itself (a receive that nobody
/// sent) or the graph.
Timing replay(const EventLog& log, const Topology& topology, const LinkModel& links, const CostTable& cost,
              const StreamName& losses, std::vector<std::uint64_t> iterations);

}  // namespace sotto
