// SPDX-License-Identifier: MIT
#include "cli/sum_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/clock.h"
#include "core/protocols/normed_secure_sum.h"
#include "crypto/schemes.h"
#include "network/runtime/runtime.h"

namespace sotto {

namespace {

/// When everybody was at which boundary.
class Stopwatch final : public BoundaryWatcher {
 public:
  bool wants_states(std::uint64_t, bool) override { return false; }
  Next at_boundary(const BoundaryView&) override {
    times_.push_back(clock_seconds());
    return Next::go_on;
  }
  /// From boundary first + 2 k to the next, over all k.
  double median_from(std::size_t first) const {
    std::vector<double> spans;
    for (std::size_t k = first; k + 1 < times_.size(); k += 2) spans.push_back(times_[k + 1] - times_[k]);
    return median(spans);
  }

 private:
  std::vector<double> times_;
};

struct Mark {
  std::uint64_t iteration;
  bool finished;
  void save(Writer&) const {}
};

Topology complete_graph(std::size_t agents) {
  std::vector<Edge> edges;
  for (AgentId a = 0; a < agents; ++a)
    for (AgentId b = a + 1; b < agents; ++b) edges.emplace_back(a, b);
  return Topology(agents, edges);
}

/// A party's part of a sum of norm 1/2.
Matrix own_part(const Agent& me, std::size_t parties, std::size_t entries) {
  Matrix x(static_cast<Index>(entries), 1);
  RandomStream random = me.random("bench");
  for (double& v : x.reshaped()) v = random.normal();
  return x * (0.5 / (x.norm() * std::sqrt(static_cast<double>(parties))));
}

class Bench {
 public:
  Bench(const SumBenchSettings& settings, std::size_t parties, std::size_t entries)
      : settings_(settings),
        parties_(parties),
        entries_(entries),
        graph_(complete_graph(parties)),
        workers_(settings.threads) {}

  SumBenchRow plain(const std::string& kind) {
    SecureSumOptions sums;
    sums.kind = from_word<SumKind>(kind);
    const SumPlan plan = SumPlan::make(sums.kind, graph_);
    Stopwatch watch;
    std::vector<SumFigures> figures(parties_);
    run(watch, {}, [&](Agent& me) -> Task<void> {
      SecureSum sum(me, sums, plan, nullptr);
      co_await sum.open();
      const Vector own = own_part(me, parties_, entries_).col(0);
      for (int k = 0; k < settings_.repetitions; ++k) {
        co_await me.boundary(mark(2 * k));
        (void)co_await sum.sum(own);
        co_await me.boundary(mark(2 * k + 1));
      }
      figures[me.id()] = sum.figures();
    });
    SumBenchRow row = measured(watch, 0, figures);
    row.protocol = kind;
    row.fraction_bits = static_cast<int>(sums.fraction_bits);
    row.offline = "none";
    return row;
  }

  SumBenchRow normed(const std::string& offline) {
    NormedSumOptions sums;
    sums.offline = from_word<OfflinePhase>(offline);
    sums.output_bits = settings_.output_bits;
    sums.norm_bound_bits = settings_.norm_bound_bits;
    const std::shared_ptr<const AdditiveScheme> scheme =
        sums.scheme() ? make_scheme(*sums.scheme(), {{}, parties_, nullptr}) : nullptr;
    const NormedSumFacts facts = NormedSumFacts::make(sums, parties_, entries_, scheme);
    const SumPlan tree = SumPlan::make(SumKind::shares, graph_);
    const int repetitions = sums.scheme() ? 1 : settings_.repetitions;
    Stopwatch watch;
    std::vector<SumFigures> figures(parties_);
    std::vector<SumFigures> before(parties_);
    std::vector<SumFigures> prepared(parties_);
    run(watch, facts.roles(), [&](Agent& me) -> Task<void> {
      const auto sum = NormedSecureSum::make(me, facts, tree);
      const Matrix own = own_part(me, parties_, entries_);
      co_await sum->open();
      before[me.id()] = sum->offline_figures();
      const auto arrive = [&](int number, bool finished) {
        sum->at_boundary(static_cast<std::uint64_t>(number), finished);
        return me.boundary(Mark{static_cast<std::uint64_t>(number), finished});
      };
      co_await arrive(0, false);
      for (int k = 0; k < repetitions; ++k) {
        co_await sum->prepare(1);
        co_await arrive(2 * k + 1, false);
        (void)co_await sum->normalize(own);
        co_await arrive(2 * k + 2, k + 1 == repetitions);
      }
      figures[me.id()] = sum->figures();
      prepared[me.id()] = sum->offline_figures();
    });
    SumBenchRow row = measured(watch, 1, figures);
    row.protocol = "normed";
    row.fraction_bits = settings_.output_bits;
    row.offline = offline;
    row.offline_seconds = watch.median_from(0);
    for (std::size_t m = 0; m < parties_; ++m) row.offline_bytes += prepared[m].bytes - before[m].bytes;
    row.offline_bytes /= static_cast<std::uint64_t>(repetitions);
    return row;
  }

 private:
  static Mark mark(int number) { return {static_cast<std::uint64_t>(number), false}; }

  void run(Stopwatch& watch, std::vector<Role> roles, const PartyLife& party) {
    RuntimeOptions options;
    options.randomness.seed = settings_.seed;
    options.watcher = &watch;
    options.event_log = false;
    run_agents(workers_, graph_, party, std::move(options), std::move(roles));
  }

  SumBenchRow measured(const Stopwatch& watch, std::size_t first,
                       const std::vector<SumFigures>& figures) const {
    SumBenchRow row;
    row.parties = parties_;
    row.d = entries_;
    row.online_seconds = watch.median_from(first);
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    for (const SumFigures& of_party : figures) {
      row.rounds = std::max(row.rounds, of_party.rounds);
      calls = std::max(calls, of_party.calls);
      bytes += of_party.bytes;
    }
    row.rounds /= calls;
    row.bytes = bytes / calls;
    return row;
  }

  const SumBenchSettings& settings_;
  std::size_t parties_;
  std::size_t entries_;
  Topology graph_;
  Workers workers_;
};

}  // namespace

std::vector<SumBenchRow> bench_sums(const SumBenchSettings& settings,
                                    const std::function<void(const std::string&)>& told) {
  std::vector<SumBenchRow> rows;
  for (const std::size_t parties : settings.parties)
    for (const std::size_t entries : settings.entries) {
      if (told) told(fmt::format("{} parties, d = {}", parties, entries));
      Bench bench(settings, parties, entries);
      if (parties > 2) rows.push_back(bench.plain("edge-masks"));
      rows.push_back(bench.plain("shares"));
      for (const std::string& offline : settings.offline) {
        if (told && offline != "dealer") told(fmt::format("  without a dealer: {}", offline));
        rows.push_back(bench.normed(offline));
      }
    }
  return rows;
}

std::string sum_bench_table(const std::vector<SumBenchRow>& rows) {
  std::string text =
      fmt::format("{:<11} {:>7} {:>7} {:>4} {:<9} {:>12} {:>12} {:>7} {:>12} {:>14}\n", "protocol", "parties",
                  "d", "f", "offline", "online ms", "offline ms", "rounds", "bytes", "offline bytes");
  for (const SumBenchRow& r : rows)
    text += fmt::format("{:<11} {:>7} {:>7} {:>4} {:<9} {:>12.4g} {:>12.4g} {:>7} {:>12} {:>14}\n",
                        r.protocol, r.parties, r.d, r.fraction_bits, r.offline, 1e3 * r.online_seconds,
                        1e3 * r.offline_seconds, r.rounds, r.bytes, r.offline_bytes);
  return text;
}

std::string sum_bench_json(const std::vector<SumBenchRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SumBenchRow& r : rows)
    list.push_back({{"protocol", r.protocol},
                    {"parties", r.parties},
                    {"d", r.d},
                    {"fraction_bits", r.fraction_bits},
                    {"offline", r.offline},
                    {"online_seconds", r.online_seconds},
                    {"offline_seconds", r.offline_seconds},
                    {"rounds", r.rounds},
                    {"bytes", r.bytes},
                    {"offline_bytes", r.offline_bytes}});
  return list.dump(1) + "\n";
}

}  // namespace sotto
