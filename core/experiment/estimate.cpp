// SPDX-License-Identifier: MIT
#include "core/experiment/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/algorithms/iteration_options.h"
#include "core/protocols/exchange_options.h"

namespace sotto {

namespace {

constexpr double word = 8;
constexpr double multiply_add = 5e-10;      // small dense matrices, one core
constexpr double message_seconds = 1.5e-6;  // sent, received, resumed, timed
constexpr double boundary_seconds = 3e-6;   // of an agent
constexpr double trial_seconds = 3e-4;
constexpr double message_events = 2 * 16;  // bytes in the log
constexpr double program_bytes = 2e7;
constexpr double byte_seconds = 1e-9;      // of a message, written, read and added
constexpr double masked_number = 1e-8;     // of a secure sum, all masks of one party
constexpr double encrypted_number = 2e-5;  // the same under Paillier, 2048 bits

Sizes sizes_of(const Experiment& e, const OptionSet& options) {
  Sizes n;
  n.agents = static_cast<double>(e.agents());
  n.links = static_cast<double>(e.file_topology ? e.file_topology->links() : e.topology(0).links());
  n.features = static_cast<double>(e.shape.features);
  n.samples = static_cast<double>(e.shape.samples);
  n.held_out = static_cast<double>(e.shape.held_out);
  n.rank = static_cast<double>(options.get<IterationOptions>().rank);
  n.stored = e.data ? static_cast<double>(e.data->samples.stored()) : n.features * n.samples;
  return n;
}

/// Of one look at the factors: refits, as core/measures does them.
double measures_work(const Gives& gives, const Sizes& n) {
  if (gives.model == Model::orthonormal_basis) return 4 * n.rank * (n.stored + n.features * n.held_out);
  return n.rank * n.rank * (300 * n.samples + 600 * n.held_out) +
         4 * n.features * n.rank * (n.samples + n.held_out);
}

Estimate estimate_method(const Experiment& e, const OptionSet& options, double trials, double at_a_time) {
  const Sizes n = sizes_of(e, options);
  const AlgorithmKind& algorithm = algorithm_of(options);
  const Needs needs = algorithm.needs(options);
  const Workload work = algorithm.workload(options, n);
  const auto& output = options.get<OutputOptions>();
  const double looks = std::ceil(work.iterations / static_cast<double>(output.metrics_every)) + 1;
  Estimate total;
  double seconds = trial_seconds +
                   work.iterations * (work.multiply_adds * multiply_add + n.agents * boundary_seconds) +
                   looks * measures_work(algorithm.gives(options), n) * multiply_add;
  double run_bytes = n.rank * word * (n.agents * n.features * 12 + n.samples * 6);
  double result_bytes = looks * n.agents * (4 + 7) * word;
  if (needs.exchange) {
    const auto& exchange = options.get<ExchangeOptions>();
    const double rounds = work.iterations * work.exchange_rounds;
    const double messages = rounds * n.links * 2;
    const auto neighbors = static_cast<std::size_t>(std::max(1.0, std::round(n.links / n.agents)));
    const auto scheme = e.schemes->get(exchange.scheme, options.get<SchemeOptions>(), e.agents(),
                                       options.get<RunOptions>().key_seed());
    const auto forecast = scheme->forecast(
        forecast_range(exchange, work.penalty, static_cast<std::size_t>(n.features * n.rank)), neighbors);
    seconds += messages * message_seconds + rounds * n.agents * forecast.round_seconds;
    total.seconds += n.agents * forecast.once_seconds;
    total.bytes += n.agents * static_cast<double>(forecast.table_bytes);
    run_bytes += messages * message_events + n.links * static_cast<double>(forecast.message_bytes);
    result_bytes += output.events ? messages * message_events / 20 : 0;
    if (output.transcript) result_bytes += messages * static_cast<double>(forecast.message_bytes) * 3;
  }
  if (needs.sums) {
    const SumKind kind = options.get<SecureSumOptions>().kind;
    const double messages =
        work.iterations * work.sum_calls * 2 * n.agents * (kind == SumKind::shares ? n.agents / 2 : 1);
    seconds +=
        messages * message_seconds + work.iterations * work.sum_numbers *
                                         (kind == SumKind::paillier_tree ? encrypted_number : masked_number);
    run_bytes += messages * message_events;
    result_bytes += output.events ? messages * message_events / 20 : 0;
  }
  if (needs.mixing) {
    const double messages = work.iterations * work.gossip_rounds * n.links;
    seconds += messages * (message_seconds + n.features * n.rank * word * byte_seconds);
    run_bytes += messages * message_events;
    result_bytes += output.events ? messages * message_events / 20 : 0;
  }
  total.seconds += trials * seconds;
  total.bytes += at_a_time * run_bytes + trials * result_bytes;
  return total;
}

}  // namespace

Estimate estimate(const Experiment& experiment, int threads) {
  const auto trials = static_cast<double>(experiment.trials());
  const double at_a_time = std::min(trials, static_cast<double>(threads));
  Estimate total;
  double most = 0;
  for (const Method& m : experiment.methods) {
    const Estimate its = estimate_method(experiment, m.options, trials, at_a_time);
    total.seconds += its.seconds;
    most = std::max(most, its.bytes);
  }
  const double data = static_cast<double>(experiment.shape.features) *
                      static_cast<double>(experiment.shape.samples + experiment.shape.held_out) * word;
  total.bytes = most + data * (experiment.data ? 1 : 0) + at_a_time * 2 * data + program_bytes;
  return total;
}

}  // namespace sotto
