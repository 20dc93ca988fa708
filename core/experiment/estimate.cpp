#include "core/experiment/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/fixed_point.h"
#include "core/algorithms/algorithms.h"
#include "core/measures/factor_errors.h"

namespace sotto {

namespace {

constexpr double word = 8;
constexpr double multiply_add = 5e-10;      // small dense matrices, one core
constexpr double message_seconds = 1.5e-6;  // sent, received, resumed, timed
constexpr double boundary_seconds = 3e-6;   // of an agent
constexpr double trial_seconds = 3e-4;
constexpr double message_events = 2 * 16;  // bytes in the log
constexpr double program_bytes = 2e7;
constexpr double masked_number = 1e-8;     // of a secure sum, all masks of one party
constexpr double encrypted_number = 2e-5;  // the same under Paillier, 2048 bits

/// Sizes of a trial, as numbers to compute with.
struct Sizes {
  double agents, links, features, samples, held_out, rank;
  double stored;  ///< entries

  Sizes(const Experiment& e, const Scenario& s)
      : agents(static_cast<double>(s.topology.shape.agents)),
        links(e.file_topology ? static_cast<double>(e.file_topology->links())
                              : static_cast<double>(e.topology(0).links())),
        features(static_cast<double>(e.shape.features)),
        samples(static_cast<double>(e.shape.samples)),
        held_out(static_cast<double>(e.shape.held_out)),
        rank(static_cast<double>(s.algorithm.rank)),
        stored(e.data ? static_cast<double>(e.data->samples.stored()) : features * samples) {}
};

ExchangeRange range_of(const Scenario& s, double entries) {
  ExchangeRange range;
  range.entries = static_cast<std::size_t>(entries);
  range.value_bits = FixedPoint(s.exchange.quantization, s.exchange.max_abs).value_bits();
  const double penalty = s.algorithm.scale_free ? 1 : s.algorithm.penalty;  // known when the data is
  range.factor_bits = std::max(
      1, static_cast<int>(s.exchange.penalty_bits) + static_cast<int>(std::ceil(std::log2(penalty))) + 1);
  range.factor_per_entry = s.exchange.privacy == "per-entry";
  return range;
}

/// Multiply-adds of all agents in one outer iteration.
double iteration_work(const AlgorithmSettings& a, const Sizes& n) {
  if (find_algorithm(a.name)->svd(a)) return 2 * n.rank * (n.stored + n.agents * n.features * n.rank);
  if (find_algorithm(a.name)->rri(a))
    return n.rank * (2 * n.stored + 2 * n.rank * (n.samples + n.agents * n.features));
  const double turns = a.name == "ppdnmf" && a.variant == "corrected" && a.acceleration == "inertial" ? 3 : 1;
  const double sweeps = a.right_iterations > 0     ? static_cast<double>(a.right_iterations)
                        : a.right_factor == "hals" ? 5
                                                   : 30;
  const double right = n.features * n.samples * n.rank + sweeps * n.rank * n.rank * n.samples;
  const double left = n.features * n.samples * n.rank +
                      static_cast<double>(a.inner_iterations) * n.agents * n.features * n.rank * n.rank * 4;
  return turns * (right + left);
}

/// Of one look at the factors: refits, as metrics.h says.
double metrics_work(const AlgorithmSettings& a, const Sizes& n) {
  if (find_algorithm(a.name)->svd(a)) return 4 * n.rank * (n.stored + n.features * n.held_out);
  return n.rank * n.rank * (300 * n.samples + 600 * n.held_out) +
         4 * n.features * n.rank * (n.samples + n.held_out);
}

Estimate estimate_method(const Experiment& e, const Scenario& s, double trials, double at_a_time) {
  const Sizes n(e, s);
  const AlgorithmSettings& a = s.algorithm;
  const auto iterations = static_cast<double>(a.outer_iterations);
  const double looks = std::ceil(iterations / static_cast<double>(s.output.metrics_every)) + 1;
  Estimate total;
  double seconds = trial_seconds +
                   iterations * (iteration_work(a, n) * multiply_add + n.agents * boundary_seconds) +
                   looks * metrics_work(a, n) * multiply_add;
  double run_bytes = n.rank * word * (n.agents * n.features * 12 + n.samples * 6);
  double result_bytes = looks * n.agents * (4 + 7) * word;
  if (find_algorithm(a.name)->exchanges()) {
    const double rounds = iterations * static_cast<double>(a.inner_iterations);
    const double messages = rounds * n.links * 2;
    const auto neighbors = static_cast<std::size_t>(std::max(1.0, std::round(n.links / n.agents)));
    const auto forecast = e.schemes->get(s)->forecast(range_of(s, n.features * n.rank), neighbors);
    seconds += messages * message_seconds + rounds * n.agents * forecast.round_seconds;
    total.seconds += n.agents * forecast.once_seconds;
    total.bytes += n.agents * static_cast<double>(forecast.table_bytes);
    run_bytes += messages * message_events + n.links * static_cast<double>(forecast.message_bytes);
    result_bytes += s.output.events ? messages * message_events / 20 : 0;
    if (s.output.transcript) result_bytes += messages * static_cast<double>(forecast.message_bytes) * 3;
  }
  if (find_algorithm(a.name)->sums()) {
    const bool svd = find_algorithm(a.name)->svd(a);
    const double sums = svd ? 15 * iterations : iterations * n.rank;  // openings of a normalized one
    const double numbers = iterations * n.rank * n.agents * (n.features + 1) * (svd ? 4 : 1);
    const double messages = sums * 2 * n.agents * (s.secure_sum.kind == "shares" ? n.agents / 2 : 1);
    const bool encrypted = s.secure_sum.kind == "paillier-tree";
    seconds += messages * message_seconds + numbers * (encrypted ? encrypted_number : masked_number);
    run_bytes += messages * message_events;
    result_bytes += s.output.events ? messages * message_events / 20 : 0;
  }
  total.seconds += trials * seconds;
  total.bytes += at_a_time * run_bytes + trials * result_bytes;
  return total;
}

}  // namespace

Estimate estimate(const Experiment& experiment, int threads) {
  const auto trials = static_cast<double>(experiment.main.trials);
  const double at_a_time = std::min(trials, static_cast<double>(threads));
  Estimate total;
  double most = 0;
  for (const Method& m : experiment.methods) {
    const Estimate its = estimate_method(experiment, m.settings, trials, at_a_time);
    total.seconds += its.seconds;
    most = std::max(most, its.bytes);
  }
  const double data = static_cast<double>(experiment.shape.features) *
                      static_cast<double>(experiment.shape.samples + experiment.shape.held_out) * word;
  total.bytes = most + data * (experiment.data ? 1 : 0) + at_a_time * 2 * data + program_bytes;
  return total;
}

}  // namespace sotto
