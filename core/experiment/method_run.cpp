// SPDX-License-Identifier: MIT
#include "core/experiment/method_run.h"

#include <chrono>

#include "core/experiment/checks.h"
#include "core/experiment/recording.h"
#include "core/measures/pictures.h"
#include "network/time/options.h"

namespace sotto {

namespace {

bool in_one_place(const OptionSet& options) {
  return algorithm_of(options).baseline == Baseline::one_place;
}

/// The simulation's eye: measures, checkpoints, interruption.
class Observer final : public BoundaryWatcher {
 public:
  Observer(const Trial& trial, const Algorithm& algorithm, const OptionSet& settings, MethodOptions& options)
      : trial_(trial),
        algorithm_(algorithm),
        every_(static_cast<std::uint64_t>(settings.get<OutputOptions>().metrics_every)),
        agents_(in_one_place(settings) ? 1 : trial.topology.agents()),
        gives_(algorithm_of(settings).gives(settings)),
        options_(options) {
    if (!options.resume) return;
    observations_ = options.resume->observations;
    look_at(options.resume->states);  // if that boundary was the last, nothing more will be seen
  }

  bool wants_states(std::uint64_t iteration, bool finished) override {
    return finished || iteration % every_ == 0 || wants_checkpoint(iteration) ||
           iteration == last_.load(std::memory_order_relaxed);
  }

  /// Interrupted at a boundary whose states nobody wanted, and that are wanted now: everybody goes on to the next.
  Next at_boundary(const BoundaryView& boundary) override {
    const double started = thread_cpu_seconds();
    const bool has_states = !boundary.states.front().empty();
    const bool stop = options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
    if (has_states) observe(boundary);
    if (wants_checkpoint(boundary.iteration) || (stop && has_states && options_.save)) save(boundary);
    cpu_seconds_ += thread_cpu_seconds() - started;
    if (options_.at_boundary) options_.at_boundary();
    if (stop && !has_states && options_.save) {
      last_.store(boundary.iteration + 1, std::memory_order_relaxed);
      return Next::go_on;
    }
    return stop ? Next::stop : Next::go_on;
  }

  void finish(MethodResult& result) {
    result.observations = std::move(observations_);
    result.converged = converged_;
    for (const FactorView& view : latest_) result.counters.merge(view.counters);
    result.factors = std::move(latest_);
    result.metrics_cpu_seconds = cpu_seconds_;
  }

 private:
  bool wants_checkpoint(std::uint64_t iteration) const {
    return options_.checkpoint_every != 0 && iteration % options_.checkpoint_every == 0;
  }

  void look_at(std::span<const Bytes> states) {
    latest_.clear();
    for (const Bytes& state : states.first(agents_)) latest_.push_back(algorithm_.view(state));  // no roles
    converged_ = latest_.front().converged;
  }

  void observe(const BoundaryView& boundary) {
    look_at(boundary.states);
    if (boundary.iteration % every_ == 0 || latest_.front().finished)
      observations_.push_back(
          {boundary.iteration, latest_.front().round, measure({latest_, trial_.data, gives_})});
  }

  void save(const BoundaryView& boundary) const {
    options_.save({boundary.iteration,
                   {boundary.states.begin(), boundary.states.end()},
                   boundary.log,
                   observations_,
                   boundary.transcript});
  }

  const Trial& trial_;
  const Algorithm& algorithm_;
  std::uint64_t every_;
  std::size_t agents_;
  Gives gives_;
  MethodOptions& options_;
  std::vector<Observation> observations_;
  std::vector<FactorView> latest_;
  std::atomic<std::uint64_t> last_{~std::uint64_t{0}};  ///< the boundary to save and stop at
  bool converged_ = false;
  double cpu_seconds_ = 0;
};

std::vector<Edge> directed_links(const Topology& topology) {
  std::vector<Edge> links;
  links.reserve(topology.links());
  for (AgentId a = 0; a < topology.agents(); ++a)
    for (const AgentId b : topology.neighbors(a)) links.emplace_back(a, b);
  return links;
}

std::vector<std::uint64_t> observed_iterations(const std::vector<Observation>& observations) {
  std::vector<std::uint64_t> iterations;
  for (const Observation& o : observations) iterations.push_back(o.iteration);
  return iterations;
}

}  // namespace

void time_run(MethodResult& result, const EventLog& log, const RunPlace& place, const OptionSet& options) {
  const auto& cost = options.get<CostOptions>();
  const bool center = in_one_place(options);
  result.timing = replay(log, place.topology, options.get<LinkOptions>().model(place.link_attributes),
                         center ? cost.table_of_center() : cost.table(place.topology.agents()),
                         {options.get<RunOptions>().seed, result.trial, StreamName::everyone, "loss"},
                         observed_iterations(result.observations));
  result.links = directed_links(place.topology);
  result.graph = {place.topology.agents(), place.topology.edges(), place.diameter};
}

namespace {

struct RunStart {
  std::vector<Bytes> states;  ///< of the parties, then of the roles; empty ones: from the beginning
  std::uint64_t iteration = 0;
};

/// Takes what a checkpoint holds.
RunStart take_start(std::optional<Checkpoint>& resume, const RunOptions& run, std::size_t agents,
                    RuntimeOptions& runtime) {
  RunStart start{std::vector<Bytes>(agents), 0};
  if (!resume) return start;
  if (!run.seeded()) throw RunError("a run with entropy = \"os\" cannot go on: its keys were never saved");
  if (resume->states.size() < agents) throw FormatError("a checkpoint of another number of agents");
  start.iteration = resume->iteration;
  start.states = resume->states;
  runtime.resumed_log = std::move(resume->log);
  runtime.resumed_transcript = std::move(resume->transcript);
  return start;
}

/// What is made of the factors at the end.
void evaluate_end(const Trial& trial, const Method& method, MethodResult& result) {
  const auto& output = method.options.get<OutputOptions>();
  const Gives gives = algorithm_of(method.options).gives(method.options);
  const std::vector<std::string> no_words;
  result.application = evaluate_application(
      {{result.factors, trial.data, gives}, method.options, trial.file ? trial.file->words : no_words});
  if (!output.images.empty() && trial.number == 0)
    result.pictures = contact_sheets(*trial.file, result.factors, output.images, method.name);
}

}  // namespace

MethodResult run_method(Runtime& runtime, const Trial& trial, const Method& method, MethodOptions options) {
  const auto started = std::chrono::steady_clock::now();
  const OptionSet& settings = method.options;
  const auto& run_options = settings.get<RunOptions>();
  const auto& output = settings.get<OutputOptions>();
  check_graph({settings, SettingPlaces(trial.source), trial.topology, trial.agent_names});
  const auto algorithm =
      algorithm_of(settings).make(settings, trial.public_facts(settings), trial.kit(settings));
  const bool one_place = in_one_place(settings);
  const Topology center(1, {});
  const std::vector<LinkAttributes> no_attributes;
  const Topology& topology = one_place ? center : trial.topology;
  const RunPlace place = one_place ? RunPlace{center, no_attributes, 0}
                                   : RunPlace{trial.topology, trial.link_attributes, trial.diameter};
  Observer observer(trial, *algorithm, settings, options);
  RuntimeOptions how;
  how.randomness = {run_options.seed, trial.number, !run_options.seeded(), method.name};
  how.transcript = output.transcript;
  how.watcher = &observer;
  const RunStart start = take_start(options.resume, run_options, topology.agents(), how);
  std::vector<Role> roles = algorithm->roles(std::span(start.states).subspan(topology.agents()));
  if (start.states.size() != topology.agents() && start.states.size() != topology.agents() + roles.size())
    throw FormatError("a checkpoint of another number of agents");
  const std::vector<PartyInput> inputs =
      one_place ? std::vector<PartyInput>{trial.center()} : trial.parties();
  const PartyLife party = [&](Agent& me) {
    return algorithm->party(me, inputs[me.id()], start.states[me.id()]);
  };
  RunResult run = runtime.run(topology, party, std::move(how), std::move(roles));

  MethodResult result;
  result.trial = trial.number;
  result.method = method.name;
  result.interrupted = run.stopped;
  result.labels = algorithm->labels();
  observer.finish(result);
  for (std::string& label : coarse_labels(result.counters)) result.labels.push_back(std::move(label));
  if (!run.stopped) evaluate_end(trial, method, result);
  if (output.factors)
    result.samples = trial.data.numbers;
  else
    result.factors.clear();
  result.transcript = std::move(run.transcript);
  time_run(result, run.log, place, settings);
  if (output.events) result.events = record(result, place, run.log);
  result.measured_from = start.iteration;
  result.cpu_seconds = run.cpu_seconds;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace sotto
