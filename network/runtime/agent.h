// SPDX-License-Identifier: MIT
// What an algorithm may touch: its own id, its neighbors, messages, the boundary, random streams. An agent
// never sees another agent's memory, and nothing here says where an agent lives: `Host` may be one process
// (`Runtime`) or, later, many machines.
//
//   Task<void> party(Agent& me) {
//     State state;
//     while (!state.finished) {
//       for (AgentId j : me.neighbors()) me.send(j, tag, bytes(state));
//       for (AgentId j : me.neighbors()) { Bytes b = co_await me.receive(j, tag); ... }
//       co_await me.boundary(state);
//     }
//   }
//
// A receive names its sender and its tag, so a run is a Kahn network: its result does not depend on the
// number of threads or on scheduling. Messages sent before boundary n are received before boundary n: the
// states at a boundary are a consistent cut with empty channels. Threading: an agent runs on one thread at a
// time.
#pragma once

#include <concepts>
#include <coroutine>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/operation.h"
#include "base/random_stream.h"
#include "network/runtime/message.h"

namespace sotto {

/// What an agent knows between two outer iterations, as one value that can be saved and started from again.
template <class S>
concept BoundaryState = requires(const S& s, Writer& w) {
  { s.iteration } -> std::convertible_to<std::uint64_t>;
  { s.finished } -> std::convertible_to<bool>;
  s.save(w);
};

/// Where agents live. Implemented by the runtime; algorithms use `Agent`.
class Host {
 public:
  virtual ~Host() = default;
  virtual void send(AgentId from, AgentId to, Tag tag, Bytes bytes) = 0;
  /// Moves the oldest message into `out`, or, if there is none, returns false and will resume `waiter` with
  /// it.
  virtual bool take_or_wait(AgentId to, AgentId from, Tag tag, Bytes& out,
                            std::coroutine_handle<> waiter) = 0;
  virtual void received(AgentId to, AgentId from, Tag tag, const Bytes& bytes) = 0;
  virtual void computed(AgentId agent, Operation operation, std::uint64_t count) = 0;
  virtual bool wants_state(std::uint64_t iteration, bool finished) = 0;
  /// True: go on at once; false: `waiter` is resumed when everybody has arrived.
  virtual bool arrive(AgentId agent, std::uint64_t iteration, Bytes state,
                      std::coroutine_handle<> waiter) = 0;
};

/// Where an agent's random numbers come from.
struct Randomness {
  std::uint64_t seed = 1;
  std::uint64_t run = 0;        ///< the trial
  bool system_secrets = false;  ///< entropy = "os": what must stay secret is the system's
  std::string method;           ///< methods of a trial never share a randomizer or a mask
};

class Agent {
 public:
  Agent(Host& host, AgentId id, std::span<const AgentId> neighbors, const Randomness& randomness)
      : host_(&host), neighbors_(neighbors), randomness_(randomness), id_(id) {}

  AgentId id() const { return id_; }
  /// Sorted. Sums over neighbors go in this order, so that they round the same way every time.
  std::span<const AgentId> neighbors() const { return neighbors_; }

  /// To a neighbor, to a role, or to any agent of the graph: then it is routed hop by hop.
  void send(AgentId to, Tag tag, Bytes bytes) { host_->send(id_, to, tag, std::move(bytes)); }

  class Receive;
  Receive receive(AgentId from, Tag tag);

  class Arrival;
  /// Once per outer iteration. Metrics, progress, checkpoints and interruption happen here.
  template <BoundaryState S>
  Arrival boundary(const S& state);

  /// For simulated time: what this agent just did.
  void compute(Operation operation, std::uint64_t count) { host_->computed(id_, operation, count); }

  /// This agent's own stream for a purpose.
  RandomStream random(std::string_view purpose) const {
    return RandomStream({randomness_.seed, randomness_.run, id_, purpose});
  }
  /// What nobody else may know and results depend on (factors, dither): the same in every method of a trial.
  RandomStream private_random(std::string_view purpose) const {
    return randomness_.system_secrets ? RandomStream(system_stream_key()) : random(purpose);
  }
  /// What nobody else may know and no result depends on (randomizers, masks): another stream in every method.
  RandomStream secret_random(std::string_view purpose) const {
    if (randomness_.system_secrets) return RandomStream(system_stream_key());
    return random(std::string(purpose) + " of " + randomness_.method);
  }
  /// What an agent keeps over all trials and methods: its keys. (From the system: new ones at every call.)
  RandomStream lasting_secret_random(std::string_view purpose) const {
    if (randomness_.system_secrets) return RandomStream(system_stream_key());
    return RandomStream({randomness_.seed, StreamName::every_run, id_, purpose});
  }
  /// A stream that every agent of the run can draw the same numbers from.
  RandomStream shared_random(std::string_view purpose) const {
    return RandomStream({randomness_.seed, randomness_.run, StreamName::everyone, purpose});
  }

 private:
  Host* host_;
  std::span<const AgentId> neighbors_;
  Randomness randomness_;
  AgentId id_;
};

class [[nodiscard]] Agent::Receive {
 public:
  Receive(Host& host, AgentId me, AgentId from, Tag tag) : host_(&host), me_(me), from_(from), tag_(tag) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    return !host_->take_or_wait(me_, from_, tag_, bytes_, waiter);
  }
  Bytes await_resume() {
    host_->received(me_, from_, tag_, bytes_);
    return std::move(bytes_);
  }

 private:
  Host* host_;
  AgentId me_;
  AgentId from_;
  Tag tag_;
  Bytes bytes_;
};

class [[nodiscard]] Agent::Arrival {
 public:
  Arrival(Host& host, AgentId me, std::uint64_t iteration, Bytes state)
      : host_(&host), me_(me), iteration_(iteration), state_(std::move(state)) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    return !host_->arrive(me_, iteration_, std::move(state_), waiter);
  }
  void await_resume() const noexcept {}

 private:
  Host* host_;
  AgentId me_;
  std::uint64_t iteration_;
  Bytes state_;
};

inline Agent::Receive Agent::receive(AgentId from, Tag tag) {
  return Receive(*host_, id_, from, tag);
}

template <BoundaryState S>
Agent::Arrival Agent::boundary(const S& state) {
  Writer w;
  if (host_->wants_state(state.iteration, state.finished)) state.save(w);
  return Arrival(*host_, id_, state.iteration, w.take());
}

}  // namespace sotto
