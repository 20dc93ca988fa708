// SPDX-License-Identifier: MIT
// Whole trials of experiment 1. Bar (see bench/check.py): two threads finish 20 trials at least 1.8 times as
// fast as one. One and two threads take turns within a run, so that a noisy machine is as noisy for both.
#include <benchmark/benchmark.h>

#include <chrono>

#include "core/experiment/runner.h"

namespace {

using namespace sotto;

double seconds_for(const Experiment& experiment, int threads) {
  ProcessRuntime workers(threads);
  const auto started = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(run_experiment(workers, experiment).runs.data());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

void twenty_trials_one_and_two_threads(benchmark::State& state) {
  const Experiment experiment =
      read_experiment(std::string(SOTTO_SOURCE_DIR) + "/scenarios/ppdnmf-synthetic.toml",
                      {{"trials", "20"}, {"output.metrics_every", "10"}});
  for (auto _ : state) {
    const double one = seconds_for(experiment, 1);
    const double two = seconds_for(experiment, 2);
    state.counters["one_thread_s"] = one;
    state.counters["two_threads_s"] = two;
    state.counters["speedup"] = one / two;
  }
}
BENCHMARK(twenty_trials_one_and_two_threads)
    ->Iterations(1)
    ->Repetitions(7)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

/// A thousand agents, 200 plain rounds, on two threads. Bar: a minute.
void thousand_agents(benchmark::State& state) {
  const Experiment experiment =
      read_experiment(std::string(SOTTO_SOURCE_DIR) + "/scenarios/ppdnmf-thousand.toml");
  for (auto _ : state) state.counters["seconds"] = seconds_for(experiment, 2);
}
BENCHMARK(thousand_agents)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
