// SPDX-License-Identifier: MIT
// The offline phase by a dealer: a role outside the graph with a link of its own to every party. It gives every party a seed, once;
// a call's shares are pseudorandom functions of it (prg.h), but for what must have a certain sum: those shares party 0 gets from the
// dealer, call by call. So the dealer sends d elements and some dozens more for a vector, to one party.
// Who learns what: the dealer sees that sums are computed, how many, and how long they are: no data, and nothing that is opened.
// Parties see uniform numbers. A dealer that colludes with a party that hears the openings takes every mask off.
// The dealer keeps nothing but the seeds, and those follow from its stream: a run that goes on from a boundary finds it as it was (its
// state there says whether the run was over).
// Tests: tests/core/protocols/normed_secure_sum_test.cpp
#pragma once

#include <memory>

#include "core/protocols/offline.h"
#include "network/runtime/runtime.h"

namespace sotto {

/// The role. It serves until party 0 says that the run is finished. `start`: its state at a boundary that the run goes on from, or
/// empty.
Role dealer_role(const NormedSumPlan& plan, const Bytes& start);

/// A party's side.
template <class Vec>
std::unique_ptr<Offline<Vec>> make_dealer_client(Agent& me, const NormedSumPlan& plan, AgentId dealer);

}  // namespace sotto
