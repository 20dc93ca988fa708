// SPDX-License-Identifier: MIT
// Runs one method in one trial: builds what its algorithm needs, runs the agents, observes them, times the run.
// Tests: tests/core/algorithms/ppdnmf_test.cpp, tests/core/experiment/checkpoint_test.cpp
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/experiment/method_result.h"
#include "core/experiment/trial.h"
#include "network/runtime/runtime.h"

namespace sotto {

struct MethodOptions {
  const std::atomic<bool>* interrupt = nullptr;  ///< checked at every boundary
  std::function<void()> at_boundary;             ///< for progress
  std::uint64_t checkpoint_every = 0;            ///< 0: never
  std::function<void(Checkpoint)> save;          ///< also called where the run is interrupted
  std::optional<Checkpoint> resume;
};

/// Where a run took place: a trial's graph, or, for an algorithm in one place, a graph of one agent.
struct RunPlace {
  const Topology& topology;
  const std::vector<LinkAttributes>& link_attributes;
  std::optional<std::uint32_t> diameter;  ///< of the graph, where it is known
};

/// What a run cost under the links and costs of `options`: timing and links of `result`, at what it observed.
void time_run(MethodResult& result, const EventLog& log, const RunPlace& place, const OptionSet& options);

MethodResult run_method(Runtime& runtime, const Trial& trial, const Method& method,
                        MethodOptions options = {});

}  // namespace sotto
