#include "core/experiment/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "core/algorithms/algorithms.h"
#include "core/algorithms/rri_start.h"
#include "core/experiment/recording.h"
#include "core/experiment/validation.h"
#include "core/measures/pictures.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

/// The diameter, or, where a search from every agent would take too long, twice the distance to the agent farthest from
/// agent 0: never less than the diameter.
std::uint64_t reach_of(const Topology& topology, const std::optional<std::uint32_t>& diameter) {
  if (diameter) return *diameter;
  const auto distances = topology.distances(0);
  const std::uint64_t farthest = *std::max_element(distances.begin(), distances.end());
  return std::min<std::uint64_t>(2 * farthest, topology.agents() - 1);
}

/// The simulation's eye: metrics, checkpoints, interruption.
class Observer final : public BoundaryWatcher {
 public:
  Observer(const Trial& trial, const Algorithm& algorithm, const Scenario& s, MethodOptions& options)
      : trial_(trial),
        algorithm_(algorithm),
        every_(static_cast<std::uint64_t>(s.output.metrics_every)),
        agents_(algorithm.one_place() ? 1 : trial.topology.agents()),
        counted_(s.algorithm.weights == "observed" ? CountedEntries::stored : CountedEntries::all),
        projected_(find_algorithm(s.algorithm.name)->svd(s.algorithm)),
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
    for (const FactorView& view : latest_) {
      result.exchange.ciphertexts += view.exchange.ciphertexts;
      result.exchange.bytes += view.exchange.bytes;
      result.exchange.plain_bytes += view.exchange.plain_bytes;
      result.exchange.table_bytes = std::max(result.exchange.table_bytes, view.exchange.table_bytes);
      result.sums.add(view.sums);
      result.normed.add(view.normed);
      result.offline.add(view.offline);
    }
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
      observations_.push_back({boundary.iteration, latest_.front().round,
                               projected_ ? evaluate_projection(latest_, trial_.data)
                                          : evaluate(latest_, trial_.data, counted_)});
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
  CountedEntries counted_;
  bool projected_;
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

Trial::Trial(const Experiment& experiment, std::uint64_t trial)
    : number(trial),
      topology(experiment.topology(trial)),
      link_attributes(experiment.link_attributes),
      diameter(exact_diameter(topology)),
      data(make_data(experiment.main, experiment.data.get(), trial)) {
  file = experiment.data;
  schemes = experiment.schemes;
  source = experiment.source;
  agent_names = experiment.agent_names;
  facts.agents = topology.agents();
  facts.reach = reach_of(topology, diameter);
}

void time_run(MethodResult& result, const EventLog& log, const RunPlace& place, const Scenario& settings) {
  const bool center = place.topology.agents() != settings.topology.shape.agents;
  result.timing = replay(
      log, place.topology, settings.link.model(place.link_attributes),
      center ? settings.cost.table_of_center() : settings.cost.table(place.topology.agents()),
      {settings.seed, result.trial, StreamName::everyone, "loss"}, observed_iterations(result.observations));
  result.links = directed_links(place.topology);
  result.graph = {place.topology.agents(), place.topology.edges(), place.diameter};
}

namespace {

/// What all parties know before a secure sum, and, where it goes under a key, what with.
void prepare_sums(const Scenario& s, const Trial& trial, PublicFacts& facts) {
  facts.sums = std::make_shared<const SumPlan>(SumPlan::make(sum_kind(s.secure_sum.kind), trial.topology));
  if (facts.sums->kind == SumKind::paillier_tree) {
    Scenario encrypted = s;
    encrypted.exchange.scheme = "paillier";
    facts.scheme = trial.schemes->get(encrypted);
  }
  const AlgorithmEntry& entry = *find_algorithm(s.algorithm.name);
  if (entry.svd(s.algorithm) && s.algorithm.sums == "normed") {
    std::shared_ptr<const AdditiveScheme> scheme;
    if (s.secure_sum.offline != "dealer") {
      Scenario products = s;
      products.exchange.scheme = s.secure_sum.offline;
      scheme = trial.schemes->get(products);
    }
    facts.normed = std::make_shared<const NormedSumFacts>(
        NormedSumFacts::make(s.secure_sum, trial.topology.agents(),
                             static_cast<std::size_t>(trial.data.all.rows()), std::move(scheme)));
  }
  if (entry.svd(s.algorithm) && s.application.kind == "pcr" && s.algorithm.response_fit == "shared") {
    Index at = 0;
    for (const Samples& part : trial.data.parts) {
      facts.responses.emplace_back(trial.data.response.segment(at, part.cols()));
      at += part.cols();
    }
  }
  if (entry.rri(s.algorithm) && s.algorithm.initialization == "nndsvd")
    facts.start = nndsvd_topics(trial.data.all, s.algorithm.rank);
}

}  // namespace

MethodResult run_method(Workers& workers, const Trial& trial, const Method& method, MethodOptions options) {
  const auto started = std::chrono::steady_clock::now();
  const Scenario& s = method.settings;
  const AlgorithmEntry& entry = *find_algorithm(s.algorithm.name);
  PublicFacts facts = trial.facts;
  check_neighborhoods(s, trial.topology, SettingPlaces(trial.source), trial.agent_names);
  if (entry.exchanges()) facts.scheme = trial.schemes->get(s);
  if (entry.sums()) prepare_sums(s, trial, facts);
  const auto algorithm = entry.make(s, facts);
  const Topology alone(1, {});
  const std::vector<LinkAttributes> no_attributes;
  const Topology& topology = algorithm->one_place() ? alone : trial.topology;
  const RunPlace place = algorithm->one_place()
                             ? RunPlace{alone, no_attributes, 0}
                             : RunPlace{trial.topology, trial.link_attributes, trial.diameter};
  Observer observer(trial, *algorithm, s, options);
  RuntimeOptions runtime;
  runtime.randomness = {s.seed, trial.number, s.entropy == "os", method.name};
  runtime.transcript = s.output.transcript;
  runtime.watcher = &observer;
  std::vector<Bytes> starts(topology.agents());
  std::uint64_t measured_from = 0;
  if (options.resume) {
    if (s.entropy != "seed")
      throw RunError("a run with entropy = \"os\" cannot go on: its keys were never saved");
    if (options.resume->states.size() < topology.agents())
      throw FormatError("a checkpoint of another number of agents");
    measured_from = options.resume->iteration;
    starts = options.resume->states;
    runtime.resumed_log = std::move(options.resume->log);
    runtime.resumed_transcript = std::move(options.resume->transcript);
  }
  std::vector<Role> roles = algorithm->roles(std::span(starts).subspan(topology.agents()));
  if (starts.size() != topology.agents() && starts.size() != topology.agents() + roles.size())
    throw FormatError("a checkpoint of another number of agents");
  const PartyLife party = [&](Agent& me) {
    return algorithm->party(me, algorithm->one_place() ? trial.data.all : trial.data.parts[me.id()],
                            starts[me.id()]);
  };
  RunResult run = run_agents(workers, topology, party, std::move(runtime), std::move(roles));

  MethodResult result;
  result.trial = trial.number;
  result.method = method.name;
  result.interrupted = run.stopped;
  result.labels = algorithm->labels();
  observer.finish(result);
  if (result.sums.all.coarse > 0)
    result.labels.push_back(fmt::format(
        "{} of {} secure sums came out within 2^20 steps of the grid, and are right to few digits: raise "
        "secure_sum.fraction_bits, or scale the data",
        result.sums.all.coarse, result.sums.all.calls));
  if (!run.stopped)
    result.application = evaluate_application(s, result.factors, trial.data,
                                              trial.file ? trial.file->words : std::vector<std::string>{});
  if (!s.output.images.empty() && trial.number == 0 && !run.stopped)
    result.pictures = contact_sheets(*trial.file, result.factors, s.output.images, method.name);
  if (s.output.factors)
    result.samples = trial.data.numbers;
  else
    result.factors.clear();
  result.transcript = std::move(run.transcript);
  time_run(result, run.log, place, s);
  if (s.output.events) result.events = record(result, place, run.log);
  result.measured_from = measured_from;
  result.cpu_seconds = run.cpu_seconds;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

namespace {

/// One trial after another, or several at a time: each writes its own places only.
class TrialRunner {
 public:
  TrialRunner(Workers& workers, const Experiment& experiment, const ExperimentOptions& options)
      : workers_(workers),
        experiment_(experiment),
        options_(options),
        results_(static_cast<std::size_t>(experiment.main.trials) * experiment.methods.size()),
        finished_(results_.size()),
        failures_(static_cast<std::size_t>(experiment.main.trials)) {}

  ExperimentResult run() {
    workers_.run([&](Workers::Batch& batch) {
      for (std::size_t t = 0; t < failures_.size(); ++t)
        batch.post({[](void* self, void* trial) {
                      static_cast<TrialRunner*>(self)->run_trial(reinterpret_cast<std::uintptr_t>(trial));
                    },
                    this, reinterpret_cast<void*>(t)});
    });
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    ExperimentResult result;
    result.interrupted = std::count(finished_.begin(), finished_.end(), 0) > 0;
    if (result.interrupted && options_.checkpoints != nullptr && !checkpoint_every()) save_finished();
    result.runs = std::move(results_);
    return result;
  }

 private:
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  std::uint64_t checkpoint_every() const {
    return static_cast<std::uint64_t>(experiment_.main.output.checkpoint_every);
  }

  /// What nobody asked to be saved until now.
  void save_finished() const {
    for (std::size_t k = 0; k < results_.size(); ++k)
      if (finished_[k] != 0)
        options_.checkpoints->save(k / experiment_.methods.size(), k % experiment_.methods.size(),
                                   results_[k]);
  }

  void run_trial(std::size_t t) {
    // Trials start in order, so every trial before a failed one runs to its end: the first failure is always
    // the same.
    if (t > first_failure_.load() || interrupted()) return;
    try {
      const Trial trial(experiment_, t);
      for (std::size_t m = 0; m < experiment_.methods.size() && !interrupted(); ++m) {
        run_or_load(trial, m);
        if (options_.progress != nullptr) {
          const std::lock_guard lock(progress_mutex_);
          options_.progress->method_done(t, m);
        }
      }
    } catch (...) {
      failures_[t] = std::current_exception();
      std::size_t known = first_failure_.load();
      while (t < known && !first_failure_.compare_exchange_weak(known, t)) {
      }
    }
  }

  void run_or_load(const Trial& trial, std::size_t m) {
    MethodOptions method;
    method.interrupt = options_.interrupt;
    if (options_.progress != nullptr)
      method.at_boundary = [&, m] {
        const std::lock_guard lock(progress_mutex_);
        options_.progress->boundary(trial.number, m);
      };
    const std::size_t place = trial.number * experiment_.methods.size() + m;
    if (const CheckpointFolder* const kept = options_.checkpoints; kept != nullptr) {
      CheckpointFolder::Saved saved = kept->load(trial.number, m);
      if (saved.result) {
        results_[place] = std::move(*saved.result);
        finished_[place] = 1;
        return;
      }
      method.resume = std::move(saved.boundary);
      method.checkpoint_every = checkpoint_every();
      method.save = [&, m, kept](const Checkpoint& c) { kept->save(trial.number, m, c); };
    }
    MethodResult& result = results_[place] =
        run_method(workers_, trial, experiment_.methods[m], std::move(method));
    finished_[place] = result.interrupted ? 0 : 1;
    if (options_.checkpoints != nullptr && checkpoint_every() && !result.interrupted)
      options_.checkpoints->save(trial.number, m, result);
  }

  Workers& workers_;
  const Experiment& experiment_;
  const ExperimentOptions& options_;
  std::vector<MethodResult> results_;
  std::vector<char> finished_;  ///< by the same numbers; not vector<bool>: every trial writes its own
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> first_failure_{~std::size_t{0}};
  std::mutex progress_mutex_;
};

}  // namespace

ExperimentResult run_experiment(Workers& workers, const Experiment& experiment,
                                const ExperimentOptions& options) {
  return TrialRunner(workers, experiment, options).run();
}

}  // namespace sotto
