#include "core/experiment/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

using Metric = double Metrics::*;
constexpr std::pair<const char*, Metric> metric_names[] = {
    {"nmse", &Metrics::nmse},
    {"nmse_mean_x", &Metrics::nmse_mean_x},
    {"nmse_held_out", &Metrics::nmse_held_out},
    {"consensus_error", &Metrics::consensus_error},
    {"objective", &Metrics::objective},
};

const Spread& find(const std::vector<std::pair<std::string, Spread>>& list, const std::string& name) {
  for (const auto& [key, spread] : list)
    if (key == name) return spread;
  static const Spread nothing;
  return nothing;
}

template <class Figure>
Spread spread_over(const std::vector<const MethodResult*>& runs, Figure figure) {
  std::vector<double> values;
  for (const MethodResult* run : runs) values.push_back(figure(*run));
  return Spread::of(values);
}

double busiest_link(const MethodResult& run) {
  std::uint64_t most = 0;
  for (const LinkCount& l : run.timing.links) most = std::max(most, l.bytes);
  return static_cast<double>(most);
}

double retransmissions(const MethodResult& run) {
  std::uint64_t all = 0;
  for (const LinkCount& l : run.timing.links) all += l.lost;
  return static_cast<double>(all);
}

std::vector<std::pair<std::string, Spread>> costs_of(const std::vector<const MethodResult*>& runs) {
  const auto at_end = [&](auto figure) {
    return spread_over(runs, [&](const MethodResult& r) {
      return static_cast<double>(figure(r.timing.total(r.timing.at.size() - 1)));
    });
  };
  std::vector<std::pair<std::string, Spread>> cost;
  cost.emplace_back("messages", at_end([](const Progress& p) { return p.messages; }));
  cost.emplace_back("bytes", at_end([](const Progress& p) { return p.bytes; }));
  cost.emplace_back("sim_seconds", at_end([](const Progress& p) { return p.seconds; }));
  cost.emplace_back("busiest_link_bytes", spread_over(runs, busiest_link));
  cost.emplace_back("role_messages", at_end([](const Progress& p) { return p.role_messages; }));
  cost.emplace_back("role_bytes", at_end([](const Progress& p) { return p.role_bytes; }));
  cost.emplace_back("retransmissions", spread_over(runs, retransmissions));
  cost.emplace_back("ciphertexts", spread_over(runs, [](const MethodResult& r) {
                      return static_cast<double>(r.exchange.ciphertexts);
                    }));
  cost.emplace_back("expansion", spread_over(runs, [](const MethodResult& r) {
                      return r.exchange.plain_bytes == 0 ? no_metric
                                                         : static_cast<double>(r.exchange.bytes) /
                                                               static_cast<double>(r.exchange.plain_bytes);
                    }));
  cost.emplace_back("table_bytes_per_agent", spread_over(runs, [](const MethodResult& r) {
                      return static_cast<double>(r.exchange.table_bytes);
                    }));
  return cost;
}

std::vector<std::pair<std::string, Spread>> network_of(const std::vector<const MethodResult*>& runs) {
  std::vector<std::pair<std::string, Spread>> network;
  network.emplace_back(
      "agents", spread_over(runs, [](const MethodResult& r) { return static_cast<double>(r.graph.agents); }));
  network.emplace_back(
      "edges", spread_over(runs, [](const MethodResult& r) { return static_cast<double>(r.graph.edges); }));
  network.emplace_back("diameter", spread_over(runs, [](const MethodResult& r) {
                         return r.graph.diameter ? static_cast<double>(*r.graph.diameter) : no_metric;
                       }));
  return network;
}

/// Against the first method whose algorithm is `centralized`, trial by trial.
Spread gap_percent(const std::vector<const MethodResult*>& runs,
                   const std::vector<const MethodResult*>& reference) {
  std::vector<double> gaps;
  for (std::size_t t = 0; t < std::min(runs.size(), reference.size()); ++t)
    gaps.push_back(100 * (runs[t]->observations.back().metrics.nmse_mean_x /
                              reference[t]->observations.back().metrics.nmse_mean_x -
                          1));
  return Spread::of(gaps);
}

}  // namespace

Spread Spread::of(const std::vector<double>& values) {
  Spread s;
  double sum = 0;
  for (const double v : values)
    if (!std::isnan(v)) {
      s.min = s.count == 0 ? v : std::min(s.min, v);
      s.max = s.count == 0 ? v : std::max(s.max, v);
      sum += v;
      ++s.count;
    }
  if (s.count == 0) return s;
  s.mean = sum / static_cast<double>(s.count);
  double squares = 0;
  for (const double v : values)
    if (!std::isnan(v)) squares += (v - s.mean) * (v - s.mean);
  s.sd = s.count > 1 ? std::sqrt(squares / static_cast<double>(s.count - 1)) : 0;
  return s;
}

const Spread& MethodSummary::metric(const std::string& metric_name) const {
  return find(metrics, metric_name);
}

const Spread& MethodSummary::costs(const std::string& cost_name) const {
  return find(cost, cost_name);
}

std::vector<MethodSummary> summarize(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  std::map<std::string, std::vector<const MethodResult*>> by_method;
  for (const MethodResult& run : runs) by_method[run.method].push_back(&run);
  const auto reference =
      std::find_if(experiment.methods.begin(), experiment.methods.end(),
                   [](const Method& m) { return m.settings.algorithm.name == "centralized"; });
  std::vector<MethodSummary> summaries;
  for (const Method& method : experiment.methods) {
    const auto& its = by_method[method.name];
    MethodSummary s;
    s.name = method.name;
    for (const auto& [name, member] : metric_names)
      s.metrics.emplace_back(name, spread_over(its, [&, m = member](const MethodResult& r) {
                               return r.observations.back().metrics.*m;
                             }));
    if (reference != experiment.methods.end())
      s.metrics.emplace_back("gap_percent", gap_percent(its, by_method[reference->name]));
    for (const MethodResult* r : its) ++(r->converged ? s.converged : s.limited);
    s.iterations = spread_over(
        its, [](const MethodResult& r) { return static_cast<double>(r.observations.back().iteration); });
    s.rounds = spread_over(
        its, [](const MethodResult& r) { return static_cast<double>(r.observations.back().round); });
    s.labels = its.front()->labels;
    s.network = network_of(its);
    s.cost = costs_of(its);
    summaries.push_back(std::move(s));
  }
  return summaries;
}

std::string brief_report(const std::vector<MethodSummary>& methods) {
  std::size_t width = 6;
  for (const MethodSummary& m : methods) width = std::max(width, m.name.size());
  std::string text =
      fmt::format("{:<{}}  {:>7}  {:>8}  {:>11}  {:>8}  {:>13}  {:>9}  {:>9}\n", "method", width, "rounds",
                  "nmse", "nmse_mean_x", "gap", "consensus_err", "MB sent", "sim s");
  for (const MethodSummary& m : methods) {
    const Spread& gap = m.metric("gap_percent");
    text +=
        fmt::format("{:<{}}  {:>7.6g}  {:>8.4f}  {:>11.4f}  {:>8}  {:>13.2e}  {:>9.3g}  {:>9.4g}\n", m.name,
                    width, m.rounds.mean, m.metric("nmse").mean, m.metric("nmse_mean_x").mean,
                    gap.count > 0 ? fmt::format("{:.2f} %", gap.mean) : "", m.metric("consensus_error").mean,
                    m.costs("bytes").mean / 1e6, m.costs("sim_seconds").mean);
  }
  return text;
}

}  // namespace sotto
