#include "core/results/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

template <double Metrics::*Metric>
double at_end(const MethodResult& run) {
  return run.observations.back().metrics.*Metric;
}

template <double ApplicationFigures::*Figure>
double application(const MethodResult& run) {
  return run.application.*Figure;
}

constexpr FinalFigure metric_table[] = {
    {"nmse", at_end<&Metrics::nmse>},
    {"nmse_mean_x", at_end<&Metrics::nmse_mean_x>},
    {"nmse_held_out", at_end<&Metrics::nmse_held_out>},
    {"consensus_error", at_end<&Metrics::consensus_error>},
    {"objective", at_end<&Metrics::objective>},
};

constexpr FinalFigure application_table[] = {
    {"frobenius", application<&ApplicationFigures::frobenius>},
    {"coherence_umass", application<&ApplicationFigures::umass>},
    {"coherence_npmi", application<&ApplicationFigures::npmi>},
    {"perplexity", application<&ApplicationFigures::perplexity>},
    {"rmse", application<&ApplicationFigures::rmse>},
    {"subspace_error", application<&ApplicationFigures::subspace_error>},
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

Progress last(const MethodResult& run) {
  return run.timing.total(run.timing.at.size() - 1);
}

double expansion(const MethodResult& run) {
  return run.exchange.plain_bytes == 0
             ? no_metric
             : static_cast<double>(run.exchange.bytes) / static_cast<double>(run.exchange.plain_bytes);
}

template <SumTotals MethodResult::*Sums, std::uint64_t SumFigures::*Figure>
double sum_figure(const MethodResult& run) {
  const SumFigures& all = (run.*Sums).all;
  return all.calls == 0 ? no_metric : static_cast<double>(all.*Figure);
}
template <std::uint64_t SumFigures::*Figure>
constexpr auto plain_sum = sum_figure<&MethodResult::sums, Figure>;
template <std::uint64_t SumFigures::*Figure>
constexpr auto normed_sum = sum_figure<&MethodResult::normed, Figure>;
template <std::uint64_t SumFigures::*Figure>
constexpr auto offline_sum = sum_figure<&MethodResult::offline, Figure>;

constexpr FinalFigure cost_table[] = {
    {"messages", [](const MethodResult& r) { return static_cast<double>(last(r).messages); }},
    {"bytes", [](const MethodResult& r) { return static_cast<double>(last(r).bytes); }},
    {"sim_seconds", [](const MethodResult& r) { return last(r).seconds; }},
    {"busiest_link_bytes", busiest_link},
    {"role_messages", [](const MethodResult& r) { return static_cast<double>(last(r).role_messages); }},
    {"role_bytes", [](const MethodResult& r) { return static_cast<double>(last(r).role_bytes); }},
    {"retransmissions", retransmissions},
    {"ciphertexts", [](const MethodResult& r) { return static_cast<double>(r.exchange.ciphertexts); }},
    {"expansion", expansion},
    {"table_bytes_per_agent",
     [](const MethodResult& r) { return static_cast<double>(r.exchange.table_bytes); }},
    {"secure_sums", plain_sum<&SumFigures::calls>},
    {"secure_sum_rounds", plain_sum<&SumFigures::rounds>},
    {"secure_sum_messages", plain_sum<&SumFigures::messages>},
    {"secure_sum_elements", plain_sum<&SumFigures::elements>},
    {"secure_sum_elements_of_one",
     [](const MethodResult& r) {
       return r.sums.all.calls == 0 ? no_metric : static_cast<double>(r.sums.most_elements);
     }},
    {"secure_sum_bytes", plain_sum<&SumFigures::bytes>},
    {"normed_sums", normed_sum<&SumFigures::calls>},
    {"normed_sum_rounds", normed_sum<&SumFigures::rounds>},
    {"normed_sum_messages", normed_sum<&SumFigures::messages>},
    {"normed_sum_elements", normed_sum<&SumFigures::elements>},
    {"normed_sum_bytes", normed_sum<&SumFigures::bytes>},
    {"offline_messages", offline_sum<&SumFigures::messages>},
    {"offline_bytes", offline_sum<&SumFigures::bytes>},
};

std::vector<std::pair<std::string, Spread>> spreads(std::span<const FinalFigure> figures,
                                                    const std::vector<const MethodResult*>& runs) {
  std::vector<std::pair<std::string, Spread>> all;
  for (const FinalFigure& figure : figures) all.emplace_back(figure.name, spread_over(runs, figure.of));
  return all;
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

/// Trial by trial.
Spread paired(const std::vector<const MethodResult*>& runs, const std::vector<const MethodResult*>& others,
              double (*figure)(const MethodResult& run, const MethodResult& other)) {
  std::vector<double> values;
  for (std::size_t t = 0; t < std::min(runs.size(), others.size()); ++t)
    values.push_back(figure(*runs[t], *others[t]));
  return Spread::of(values);
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

std::span<const FinalFigure> final_metrics() {
  return metric_table;
}

std::span<const FinalFigure> final_application() {
  return application_table;
}

std::span<const FinalFigure> final_costs() {
  return cost_table;
}

namespace {

const Method* first_of(const Experiment& experiment, std::string_view algorithm) {
  for (const Method& m : experiment.methods)
    if (m.settings.algorithm.name == algorithm) return &m;
  return nullptr;
}

}  // namespace

const Method* reference_of(const Experiment& experiment) {
  return first_of(experiment, "centralized");
}

const Method* local_of(const Experiment& experiment) {
  return first_of(experiment, "local");
}

double mean_uplift(const MethodResult& run, const MethodResult& local) {
  return Spread::of(uplift_percent(run.application, local.application)).mean;
}

double gap_percent(const MethodResult& run, const MethodResult& reference) {
  return 100 * (at_end<&Metrics::nmse_mean_x>(run) / at_end<&Metrics::nmse_mean_x>(reference) - 1);
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
  const Method* const reference = reference_of(experiment);
  const Method* const local = local_of(experiment);
  std::vector<MethodSummary> summaries;
  for (const Method& method : experiment.methods) {
    const auto& its = by_method[method.name];
    MethodSummary s;
    s.name = method.name;
    s.metrics = spreads(metric_table, its);
    if (reference != nullptr)
      s.metrics.emplace_back("gap_percent", paired(its, by_method[reference->name], gap_percent));
    for (auto& figure : spreads(application_table, its)) s.metrics.push_back(std::move(figure));
    if (local != nullptr)
      s.metrics.emplace_back("uplift_percent", paired(its, by_method[local->name], mean_uplift));
    s.terms = its.front()->application.terms;
    for (const MethodResult* r : its) ++(r->converged ? s.converged : s.limited);
    s.iterations = spread_over(
        its, [](const MethodResult& r) { return static_cast<double>(r.observations.back().iteration); });
    s.rounds = spread_over(
        its, [](const MethodResult& r) { return static_cast<double>(r.observations.back().round); });
    s.labels = its.front()->labels;
    s.network = network_of(its);
    s.cost = spreads(cost_table, its);
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
