// SPDX-License-Identifier: MIT
// A secure sum of 10^4 numbers by 5 parties, in processor time per party, beside what cannot be done without: four masks of
// AES-128-CTR, adding them, and numbers to the grid and back. Bar (bench/check.py): at most twice that.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include <ctime>

#include "core/protocols/secure_sum.h"
#include "network/runtime/runtime.h"
#include "network/topology/generators.h"

namespace {

using namespace sotto;

constexpr std::size_t parties = 5;
constexpr std::size_t entries = 10'000;
constexpr int calls = 200;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds per call and party.
double protocol(const char* kind) {
  GeneratorOptions shape;
  shape.agents = parties;
  RandomStream random({1, 0, 0, "bench"});
  const Topology graph = generate("complete", shape, random);
  SecureSumOptions settings;
  settings.kind = from_word<SumKind>(kind);
  const SumPlan plan = SumPlan::make(from_word<SumKind>(kind), graph);
  Workers workers(1);
  const double started = cpu_seconds();
  run_agents(workers, graph, [&](Agent& me) -> Task<void> {
    SecureSum sum(me, settings, plan, nullptr);
    co_await sum.open();
    Vector x = Vector::Constant(entries, 0.25 + me.id());
    for (int c = 0; c < calls; ++c) x = 0.2 * co_await sum.sum(std::move(x));
    benchmark::DoNotOptimize(x.data());
  });
  return (cpu_seconds() - started) / (calls * static_cast<double>(parties));
}

/// Seconds of the work itself, for one party: straight loops over whole vectors.
double floor_of_one() {
  const std::array<std::uint8_t, 16> key{};
  const std::vector<std::uint64_t> zeros(entries);
  std::vector<std::uint64_t> mask(entries);
  std::vector<std::uint64_t> y(entries);
  std::vector<double> x(entries, 0.25);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  const double started = cpu_seconds();
  for (int c = 0; c < calls; ++c) {
    const RingGrid<std::uint64_t> grid(40, parties);
    y = grid.encode(x);
    EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nullptr, key.data(), key.data());
    for (std::size_t k = 0; k + 1 < parties; ++k) {
      int written = 0;
      EVP_EncryptUpdate(context, reinterpret_cast<std::uint8_t*>(mask.data()), &written,
                        reinterpret_cast<const std::uint8_t*>(zeros.data()), static_cast<int>(8 * entries));
      for (std::size_t e = 0; e < entries; ++e) y[e] += mask[e];
    }
    grid.decode(y, x);
    for (double& v : x) v = 0.25;
    benchmark::DoNotOptimize(y.data());
  }
  EVP_CIPHER_CTX_free(context);
  return (cpu_seconds() - started) / calls;
}

void secure_sum(benchmark::State& state) {
  const char* const kind = state.range(0) == 0 ? "edge-masks" : "shares";
  for (auto _ : state) {
    const double floor = floor_of_one();
    const double sum = protocol(kind);
    state.counters["us_per_party"] = 1e6 * sum;
    state.counters["floor_us"] = 1e6 * floor;
    state.counters["over_floor"] = sum / floor;
  }
}
BENCHMARK(secure_sum)
    ->ArgName("shares")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(1)
    ->Repetitions(7)
    ->Unit(benchmark::kMillisecond);

}  // namespace
