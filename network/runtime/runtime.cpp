// SPDX-License-Identifier: MIT
#include "network/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace sotto {

namespace {

/// Messages from one sender that were not received yet. Almost always empty or one.
class Channel {
 public:
  void push(Tag tag, Bytes bytes) { items_.push_back({std::move(bytes), tag}); }

  bool pop(Tag tag, Bytes& out) {
    for (std::size_t k = head_; k < items_.size(); ++k)
      if (items_[k].tag == tag) {
        out = std::move(items_[k].bytes);
        remove(k);
        return true;
      }
    return false;
  }
  bool empty() const { return head_ == items_.size(); }

 private:
  struct Item {
    Bytes bytes;
    Tag tag;
  };

  void remove(std::size_t k) {
    if (k != head_) {
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(k));
      return;
    }
    if (++head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= 64 &&
               2 * head_ >= items_.size()) {  // amortised: each item is moved at most once more
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  std::vector<Item> items_;
  std::size_t head_ = 0;
};

struct Mailbox {
  std::mutex mutex;
  std::vector<Channel> from_neighbor;      // as Agent::neighbors()
  std::map<AgentId, Channel> from_others;  // routed, and roles
  // The one receive that this agent waits in.
  std::coroutine_handle<> waiter{};
  AgentId awaited = 0;
  Tag awaited_tag = 0;
  Bytes* destination = nullptr;
};

class Simulation final : public Host {
 public:
  Simulation(Workers& workers, const Topology& topology, const PartyLife& party, RuntimeOptions options,
             std::vector<Role> roles)
      : workers_(workers),
        topology_(topology),
        options_(std::move(options)),
        roles_(std::move(roles)),
        count_(topology.agents() + roles_.size()),
        mailboxes_(count_),
        iterations_(count_),
        states_(options_.watcher ? count_ : 0),
        at_boundary_(count_),
        transcript_(options_.transcript ? count_ : 0),
        alive_(count_) {
    if (options_.event_log) log_ = options_.resumed_log ? std::move(*options_.resumed_log) : EventLog(count_);
    if (options_.event_log && log_.agents() != count_)
      throw FormatError("a saved event log of another number of agents");
    if (options_.transcript && options_.resumed_log) {
      if (options_.resumed_transcript.size() != count_)
        throw FormatError("a saved transcript of another number of agents");
      transcript_ = std::move(options_.resumed_transcript);
    }
    agents_.reserve(count_);
    lives_.reserve(count_);
    for (AgentId id = 0; id < count_; ++id) {
      const bool is_role = id >= topology.agents();
      const auto neighbors = is_role ? std::span<const AgentId>{} : topology.neighbors(id);
      mailboxes_[id].from_neighbor.resize(neighbors.size());
      agents_.emplace_back(*this, id, neighbors, options_.randomness);
      lives_.push_back(is_role ? live(agents_[id], roles_[id - topology.agents()].life)
                               : live(agents_[id], party));
    }
  }

  RunResult run() {
    RunResult result;
    result.cpu_seconds = workers_.run([&](Workers::Batch& batch) {
      batch_ = &batch;
      for (const auto& life : lives_) post(life.handle());
    });
    batch_ = nullptr;
    for (AgentId id = 0; id < count_; ++id)
      if (lives_[id].done() && lives_[id].failure()) fail(id, lives_[id].failure());
    if (watcher_failure_) std::rethrow_exception(watcher_failure_);
    if (!stopped_) refuse_deadlock();
    if (!stopped_) refuse_unread("ended");
    result.stopped = stopped_;
    result.log = std::move(log_);
    if (options_.transcript) add_relayed();
    result.transcript = std::move(transcript_);
    return result;
  }

  void send(AgentId from, AgentId to, Tag tag, Bytes bytes) override {
    if (to >= count_ || to == from) throw RunError(fmt::format("{} cannot send to {}", name(from), name(to)));
    if (options_.event_log) log_.add(from, {bytes.size(), to, tag, Event::Kind::send, {}});
    Mailbox& box = mailboxes_[to];
    std::coroutine_handle<> ready{};
    {
      const std::lock_guard lock(box.mutex);
      if (box.waiter && box.awaited == from && box.awaited_tag == tag) {
        *box.destination = std::move(bytes);
        ready = std::exchange(box.waiter, {});
      } else {
        channel(to, from).push(tag, std::move(bytes));
      }
    }
    if (ready) post(ready);
  }

  bool take_or_wait(AgentId to, AgentId from, Tag tag, Bytes& out, std::coroutine_handle<> waiter) override {
    if (from >= count_ || to == from)
      throw RunError(fmt::format("{} cannot receive from {}", name(to), name(from)));
    Mailbox& box = mailboxes_[to];
    const std::lock_guard lock(box.mutex);
    if (channel(to, from).pop(tag, out)) return true;
    box.awaited = from;
    box.awaited_tag = tag;
    box.destination = &out;
    box.waiter = waiter;
    return false;
  }

  void received(AgentId to, AgentId from, Tag tag, const Bytes& bytes) override {
    if (options_.event_log) log_.add(to, {bytes.size(), from, tag, Event::Kind::receive, {}});
    if (options_.transcript) transcript_[to].push_back({from, to, tag, bytes});
  }

  void computed(AgentId agent, Operation operation, std::uint64_t count) override {
    if (options_.event_log) log_.add(agent, {count, 0, 0, Event::Kind::compute, operation});
  }

  bool wants_state(std::uint64_t iteration, bool finished) override {
    return options_.watcher != nullptr && options_.watcher->wants_states(iteration, finished);
  }

  bool arrive(AgentId agent, std::uint64_t iteration, Bytes state, std::coroutine_handle<> waiter) override {
    if (options_.event_log) log_.add(agent, {iteration, 0, 0, Event::Kind::boundary, {}});
    if (options_.watcher == nullptr) return true;
    std::vector<std::coroutine_handle<>> released;
    {
      const std::lock_guard lock(boundary_mutex_);
      iterations_[agent] = iteration;
      states_[agent] = std::move(state);
      at_boundary_[agent] = waiter;
      ++arrived_;
      released = release_if_complete();
    }
    // This coroutine may already run elsewhere if it was released: touch nothing of it from here on.
    for (const auto& handle : released) post(handle);
    return false;
  }

 private:
  Task<void> live(Agent& agent, const PartyLife& life) {
    co_await life(agent);  // if it throws, it never arrives or leaves: the others come to rest
    leave();
  }

  /// An agent's life is over: a boundary waits for one fewer.
  void leave() {
    std::vector<std::coroutine_handle<>> released;
    {
      const std::lock_guard lock(boundary_mutex_);
      --alive_;
      released = release_if_complete();
    }
    for (const auto& handle : released) post(handle);
  }

  /// Under boundary_mutex_. Nobody runs while the watcher looks: everyone alive is at the boundary.
  std::vector<std::coroutine_handle<>> release_if_complete() {
    if (arrived_ == 0 || arrived_ < alive_) return {};
    try {
      const std::uint64_t iteration = common_iteration();
      refuse_unread(fmt::format("passed boundary {}", iteration));
      stopped_ = options_.watcher->at_boundary({iteration, states_, log_, transcript_}) ==
                 BoundaryWatcher::Next::stop;
    } catch (...) {
      watcher_failure_ = std::current_exception();
    }
    if (stopped_ || watcher_failure_) return {};
    arrived_ = 0;
    std::vector<std::coroutine_handle<>> released;
    for (auto& waiter : at_boundary_)
      if (waiter) released.push_back(std::exchange(waiter, {}));
    return released;
  }

  /// Whoever lies on the way of a routed message saw its bytes.
  void add_relayed() {
    Routes routes(topology_);
    std::vector<std::vector<Message>> relayed(count_);
    for (AgentId to = 0; to < topology_.agents(); ++to)
      for (const Message& m : transcript_[to])
        if (m.from < topology_.agents())
          for (AgentId at = routes.next_hop(m.from, to); at != to; at = routes.next_hop(at, to))
            relayed[at].push_back(m);
    for (AgentId id = 0; id < count_; ++id)
      for (Message& m : relayed[id]) transcript_[id].push_back(std::move(m));
  }

  std::uint64_t common_iteration() const {
    std::optional<std::uint64_t> common;
    for (AgentId id = 0; id < count_; ++id) {
      if (!at_boundary_[id]) continue;
      if (common && iterations_[id] != *common)
        throw RunError(
            fmt::format("{} is at boundary {} while others are at {}", name(id), iterations_[id], *common));
      common = iterations_[id];
    }
    return *common;
  }

  void post(std::coroutine_handle<> handle) {
    batch_->post(
        {[](void* address, void*) { run_until_blocked(std::coroutine_handle<>::from_address(address)); },
         handle.address(), nullptr});
  }

  Channel& channel(AgentId to, AgentId from) {
    Mailbox& box = mailboxes_[to];
    const auto row = agents_[to].neighbors();
    const auto at = std::lower_bound(row.begin(), row.end(), from);
    if (at != row.end() && *at == from) return box.from_neighbor[static_cast<std::size_t>(at - row.begin())];
    return box.from_others[from];
  }

  std::string name(AgentId id) const {
    if (id < topology_.agents()) return fmt::format("agent {}", id);
    if (id < count_) return fmt::format("role '{}'", roles_[id - topology_.agents()].name);
    return fmt::format("agent {} (there are {})", id, count_);
  }

  [[noreturn]] void fail(AgentId id, const std::exception_ptr& failure) const {
    const std::string who = name(id) + ": ";
    try {
      std::rethrow_exception(failure);
    } catch (const CryptoError& e) {
      throw CryptoError(who + e.what());
    } catch (const std::exception& e) {
      throw RunError(who + e.what());
    }
  }

  void refuse_deadlock() const {
    std::string waits;
    std::size_t count = 0;
    for (AgentId id = 0; id < count_; ++id) {
      if (lives_[id].done()) continue;
      constexpr std::size_t shown = 8;
      if (++count > shown) continue;
      const Mailbox& box = mailboxes_[id];
      waits += count > 1 ? "; " : "";
      if (box.waiter)
        waits += fmt::format("{} waits for message {} from {}", name(id), box.awaited_tag, name(box.awaited));
      else
        waits += fmt::format("{} waits at boundary {}", name(id), iterations_[id]);
    }
    if (count > 8) waits += fmt::format("; and {} more", count - 8);
    if (count > 0) throw RunError("deadlock: nobody can go on: " + waits);
  }

  /// Messages of an iteration are consumed in it: a cut with full channels could not be started from again.
  void refuse_unread(const std::string& what_it_did) const {
    const auto refuse = [&](AgentId to, AgentId from) {
      throw RunError(
          fmt::format("{} {} without receiving a message from {}", name(to), what_it_did, name(from)));
    };
    for (AgentId id = 0; id < count_; ++id) {
      const auto row = agents_[id].neighbors();
      for (std::size_t k = 0; k < row.size(); ++k)
        if (!mailboxes_[id].from_neighbor[k].empty()) refuse(id, row[k]);
      for (const auto& [from, waiting] : mailboxes_[id].from_others)
        if (!waiting.empty()) refuse(id, from);
    }
  }

  Workers& workers_;
  const Topology& topology_;
  RuntimeOptions options_;
  std::vector<Role> roles_;
  std::size_t count_;
  Workers::Batch* batch_ = nullptr;
  std::vector<Mailbox> mailboxes_;
  EventLog log_;
  std::vector<Agent> agents_;
  std::vector<Task<void>> lives_;

  std::mutex boundary_mutex_;
  std::vector<std::uint64_t> iterations_;  // by agent: the boundary it is at
  std::size_t arrived_ = 0;
  bool stopped_ = false;
  std::exception_ptr watcher_failure_;
  std::vector<Bytes> states_;
  std::vector<std::coroutine_handle<>> at_boundary_;
  std::vector<std::vector<Message>> transcript_;
  std::size_t alive_;
};

}  // namespace

RunResult run_agents(Workers& workers, const Topology& topology, const PartyLife& party,
                     RuntimeOptions options, std::vector<Role> roles) {
  Simulation simulation(workers, topology, party, std::move(options), std::move(roles));
  return simulation.run();
}

RunResult ProcessRuntime::run(const Topology& topology, const PartyLife& party, RuntimeOptions options,
                              std::vector<Role> roles) {
  return run_agents(workers_, topology, party, std::move(options), std::move(roles));
}

void ProcessRuntime::each(std::size_t count, const std::function<void(std::size_t)>& job) {
  workers_.run([&](Workers::Batch& batch) {
    for (std::size_t k = 0; k < count; ++k)
      batch.post({[](void* what, void* with) {
                    (*static_cast<const std::function<void(std::size_t)>*>(what))(
                        reinterpret_cast<std::uintptr_t>(with));
                  },
                  const_cast<std::function<void(std::size_t)>*>(&job), reinterpret_cast<void*>(k)});
  });
}

}  // namespace sotto
