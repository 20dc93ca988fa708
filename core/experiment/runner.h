// Runs an experiment: every method in every trial, trials side by side on the workers. Results come in the
// order of trials and methods, whatever finished first.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/checkpoint_folder.h"
#include "core/experiment/method_result.h"
#include "core/experiment/scenario_reader.h"
#include "network/runtime/runtime.h"
#include "network/time/timeline.h"

namespace sotto {

/// What all methods of a trial share.
struct Trial {
  Trial(const Experiment& experiment, std::uint64_t number);

  std::uint64_t number;
  Topology topology;
  std::vector<LinkAttributes> link_attributes;
  std::optional<std::uint32_t> diameter;
  PublicFacts facts;
  TrialData data;
  std::shared_ptr<const Dataset> file;  ///< where the data came from one
  std::shared_ptr<SharedSchemes> schemes;
  std::string source;  ///< the scenario file, for messages
  std::vector<std::string> agent_names;
};

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

/// What a run cost under the links and costs of `settings`: timing and links of `result`, at what it observed.
void time_run(MethodResult& result, const EventLog& log, const RunPlace& place, const Scenario& settings);

MethodResult run_method(Workers& workers, const Trial& trial, const Method& method,
                        MethodOptions options = {});

/// Told of every boundary from any thread, one call at a time.
class ProgressWatcher {
 public:
  virtual ~ProgressWatcher() = default;
  virtual void boundary(std::uint64_t trial, std::size_t method) = 0;
  virtual void method_done(std::uint64_t trial, std::size_t method) = 0;
};

struct ExperimentOptions {
  const std::atomic<bool>* interrupt = nullptr;
  ProgressWatcher* progress = nullptr;
  /// Where unfinished work is kept every output.checkpoint_every iterations and where the run is interrupted, and found
  /// again; null: nowhere.
  const CheckpointFolder* checkpoints = nullptr;
};

struct ExperimentResult {
  bool interrupted = false;
  std::vector<MethodResult> runs;
};

ExperimentResult run_experiment(Workers& workers, const Experiment& experiment,
                                const ExperimentOptions& options = {});

}  // namespace sotto
