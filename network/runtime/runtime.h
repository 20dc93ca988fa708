// SPDX-License-Identifier: MIT
// Where agents live: one coroutine each, with mailboxes, the boundary, the event log and, on request, a transcript of every
// message each agent saw. `Runtime` is the interface; ProcessRuntime keeps all agents in one process and resumes them as
// oneTBB tasks. Algorithms cannot tell (see agent.h).
//
// Failure: an agent that throws stays where it is and the others run until they wait or end, so that the
// error that is reported (the lowest agent's) does not depend on scheduling. If everybody waits, the error
// names who waits for what from whom.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/runtime/agent.h"
#include "network/runtime/task.h"
#include "network/runtime/workers.h"
#include "network/time/event_log.h"
#include "network/topology/topology.h"

namespace sotto {

/// Everybody at a boundary: all that a restart from here needs.
struct BoundaryView {
  std::uint64_t iteration;
  std::span<const Bytes> states;  ///< by agent, empty where they were not wanted
  const EventLog& log;            ///< what happened so far
  /// With RuntimeOptions::transcript: by agent, every message it received so far.
  const std::vector<std::vector<Message>>& transcript;
};

/// The simulation's own eye and hand at boundaries. Agents never read it.
class BoundaryWatcher {
 public:
  virtual ~BoundaryWatcher() = default;
  /// Whether the states of this boundary are needed. Called from any thread; depends on its arguments and on what was
  /// decided at boundaries before.
  virtual bool wants_states(std::uint64_t iteration, bool finished) = 0;
  enum class Next { go_on, stop };
  /// When everybody has arrived. One call at a time.
  virtual Next at_boundary(const BoundaryView& boundary) = 0;
};

/// A dealer, an aggregator, a curator: an agent outside the graph, with a link of its own to every agent.
struct Role {
  std::string name;
  std::function<Task<void>(Agent&)> life;
};

struct RuntimeOptions {
  Randomness randomness;
  bool transcript = false;
  BoundaryWatcher* watcher = nullptr;
  /// Where messages carry no cost of interest (a benchmark), the log can be left out.
  bool event_log = true;
  /// The log and, where one is kept, the transcript up to the boundary that the agents start from.
  std::optional<EventLog> resumed_log;
  std::vector<std::vector<Message>> resumed_transcript;
};

struct RunResult {
  bool stopped = false;  ///< by the watcher
  EventLog log;
  double cpu_seconds = 0;  ///< over all threads
  /// With `transcript`: by agent, every message it saw: those it received, in the order in which it did, then those it
  /// passed on for others (`to` is somebody else), by receiver and the receiver's order.
  std::vector<std::vector<Message>> transcript;
};

/// Called once per agent of the topology. The Agent outlives the task.
using PartyLife = std::function<Task<void>(Agent&)>;

class Runtime {
 public:
  virtual ~Runtime() = default;

  /// Runs to the end, to a stop by the watcher, or to an error. May be called from a job of `each`.
  virtual RunResult run(const Topology& topology, const PartyLife& party, RuntimeOptions options = {},
                        std::vector<Role> roles = {}) = 0;
  /// Calls job(0), ..., job(count - 1), started in this order, side by side where there is room. Jobs must not throw.
  virtual void each(std::size_t count, const std::function<void(std::size_t)>& job) = 0;
};

/// All agents in this process.
class ProcessRuntime final : public Runtime {
 public:
  /// As Workers.
  explicit ProcessRuntime(int threads, int in_all = 0) : workers_(threads, in_all) {}

  RunResult run(const Topology& topology, const PartyLife& party, RuntimeOptions options = {},
                std::vector<Role> roles = {}) override;
  void each(std::size_t count, const std::function<void(std::size_t)>& job) override;

 private:
  Workers workers_;
};

/// The same on workers of one's own.
RunResult run_agents(Workers& workers, const Topology& topology, const PartyLife& party,
                     RuntimeOptions options = {}, std::vector<Role> roles = {});

}  // namespace sotto
