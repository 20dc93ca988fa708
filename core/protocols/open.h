// SPDX-License-Identifier: MIT
// Opening: everybody learns the sum of all parties' shares, and passes on sums of them alone: up a tree, added on the way, and the
// total down. Who learns what: where the shares are uniform but for their sum, the total and nothing else, whatever the graph:
// what a party sees is less than all shares together, and those could be drawn at random from the total alone.
#pragma once

#include <algorithm>
#include <vector>

#include "base/figure.h"
#include "core/protocols/spanning_tree.h"
#include "core/protocols/tags.h"
#include "crypto/secret_sharing.h"
#include "network/runtime/agent.h"
#include "network/runtime/task.h"

namespace sotto {

/// What an agent has sent in sums so far.
struct SumFigures {
  std::uint64_t calls = 0;
  std::uint64_t rounds = 0;    ///< messages that follow on each other, at most
  std::uint64_t messages = 0;  ///< that this agent sent
  std::uint64_t elements = 0;  ///< in them: numbers, or, paillier-tree, ciphertexts
  std::uint64_t bytes = 0;
  std::uint64_t coarse = 0;  ///< sums that came out with few steps of the grid: see SecureSum::note_coarse

  bool operator==(const SumFigures&) const = default;

  /// `family`: of sums; "sums", "normed", "offline".
  void count(const std::string& family, Counters& counters) const {
    counters.add(family + ".calls", Fold::largest, static_cast<double>(calls));
    counters.add(family + ".rounds", Fold::largest, static_cast<double>(rounds));
    counters.add(family + ".messages", Fold::sum, static_cast<double>(messages));
    counters.add(family + ".elements", Fold::sum, static_cast<double>(elements));
    counters.add(family + ".most_elements", Fold::largest, static_cast<double>(elements));
    counters.add(family + ".bytes", Fold::sum, static_cast<double>(bytes));
    counters.add(family + ".coarse", Fold::largest, static_cast<double>(coarse));
  }

  /// Counts a message, and sends it.
  void send(Agent& me, AgentId to, Tag tag, Bytes message, std::size_t elements_in_it) {
    ++messages;
    elements += elements_in_it;
    bytes += message.size();
    me.send(to, tag, std::move(message));
  }
};

/// shares_k <- the sum over all parties. `depth`: of the tree.
template <class Word>
Task<void> open_shares(Agent& me, const TreePlace& place, std::uint64_t depth, std::vector<Word>& shares,
                       SumFigures& figures) {
  for (const AgentId child : place.children)
    add_elements<Word>(shares, co_await me.receive(child, tags::sum_up));
  Bytes total = write_elements<Word>(shares);
  if (place.parent) {
    figures.send(me, *place.parent, tags::sum_up, std::move(total), shares.size());
    total = co_await me.receive(*place.parent, tags::sum_down);
    shares = read_elements<Word>(total, shares.size());
  }
  for (const AgentId child : place.children) figures.send(me, child, tags::sum_down, total, shares.size());
  figures.rounds += 2 * depth;
}

}  // namespace sotto
