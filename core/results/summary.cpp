// SPDX-License-Identifier: MIT
#include "core/results/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/text_table.h"
#include "core/measures/factor_errors.h"

namespace sotto {

namespace {

double mean_uplift(const MethodResult& run, const MethodResult& local) {
  return Spread::of(uplift_percent(run.application, local.application)).mean;
}

double gap_percent(const MethodResult& run, const MethodResult& reference) {
  return 100 * (run.final_figure(figures::nmse_mean_x) / reference.final_figure(figures::nmse_mean_x) - 1);
}

constexpr Figure agents_figure{"agents", "", "agents of the graph", Better::neither, Scope::final};
constexpr Figure edges_figure{"edges", "", "edges of the graph", Better::neither, Scope::final};
constexpr Figure diameter_figure{"diameter", "hops", "longest shortest path", Better::neither, Scope::final};

const std::vector<RunFigure>& network_figures() {
  static const std::vector<RunFigure> all{
      {&agents_figure, [](const MethodResult& r) { return static_cast<double>(r.graph.agents); }},
      {&edges_figure, [](const MethodResult& r) { return static_cast<double>(r.graph.edges); }},
      {&diameter_figure, [](const MethodResult& r) {
         return r.graph.diameter ? static_cast<double>(*r.graph.diameter) : no_figure;
       }}};
  return all;
}

using MethodRuns = std::vector<const MethodResult*>;

template <class Of>
Spread spread_over(const MethodRuns& runs, const Of& figure) {
  std::vector<double> values;
  for (const MethodResult* run : runs) values.push_back(figure(*run));
  return Spread::of(values);
}

void add_spreads(const std::vector<RunFigure>& figures, const MethodRuns& runs,
                 std::vector<FigureSpread>& to) {
  for (const RunFigure& f : figures) to.push_back({f.figure, spread_over(runs, f.of)});
}

/// Nothing where the experiment has no such baseline.
std::vector<RunFigure> paired(const Experiment& experiment, const std::vector<MethodResult>& runs,
                              const PairedFigure& figure) {
  if (experiment.baseline(figure.baseline) == nullptr) return {};
  return {{&figure.figure,
           [&figure, others = baseline_runs(experiment, figure.baseline, runs)](const MethodResult& run) {
             const auto other = others.find(run.trial);
             return other == others.end() ? no_figure : figure.of(run, *other->second);
           }}};
}

/// Where methods start, by method; nothing where all whose result depends on it start alike.
std::vector<std::string> different_starts(const Experiment& experiment) {
  std::vector<std::string> starts;
  std::set<std::string> different;
  for (const Method& method : experiment.methods) {
    starts.push_back(start_of(method.options));
    if (!starts.back().empty()) different.insert(starts.back());
  }
  if (different.size() < 2) starts.assign(starts.size(), "");
  return starts;
}

}  // namespace

const PairedFigure gap{{"gap_percent", "%", "nmse_mean_x above that of centralized", Better::lower,
                        Scope::final, "gap", "{:.2f} %"},
                       Baseline::one_place,
                       gap_percent};

const PairedFigure uplift{{"uplift_percent", "%", "what parties gained over their local models, on average",
                           Better::higher, Scope::final, "uplift", "{:.2f} %"},
                          Baseline::local,
                          mean_uplift};

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

std::map<std::uint64_t, const MethodResult*> baseline_runs(const Experiment& experiment, Baseline baseline,
                                                           const std::vector<MethodResult>& runs) {
  std::map<std::uint64_t, const MethodResult*> by_trial;
  const Method* const method = experiment.baseline(baseline);
  for (const MethodResult& r : runs)
    if (method != nullptr && r.method == method->name) by_trial[r.trial] = &r;
  return by_trial;
}

std::vector<RunFigure> final_columns(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  std::vector<RunFigure> columns = observed_figures();
  const auto add = [&](std::vector<RunFigure> more) {
    columns.insert(columns.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  // a column of its own also where there is no baseline: rows of different runs go under one header
  const auto add_paired = [&](const PairedFigure& figure) {
    auto own = paired(experiment, runs, figure);
    if (own.empty()) own.push_back({&figure.figure, [](const MethodResult&) { return no_figure; }});
    add(std::move(own));
  };
  add_paired(gap);
  add(cost_figures());
  add(final_application_figures());
  add_paired(uplift);
  return columns;
}

const Spread& MethodSummary::figure(std::string_view figure_name) const {
  for (const auto* list : {&figures, &cost})
    for (const FigureSpread& f : *list)
      if (f.figure->name == figure_name) return f.spread;
  static const Spread nothing;
  return nothing;
}

std::vector<MethodSummary> summarize(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  std::map<std::string, MethodRuns> by_method;
  for (const MethodResult& run : runs) by_method[run.method].push_back(&run);
  std::vector<MethodSummary> summaries;
  const std::vector<std::string> starts = different_starts(experiment);
  for (const Method& method : experiment.methods) {
    const MethodRuns& own = by_method[method.name];
    MethodSummary s;
    s.name = method.name;
    s.start = starts[summaries.size()];
    add_spreads(observed_figures(), own, s.figures);
    add_spreads(paired(experiment, runs, gap), own, s.figures);
    add_spreads(final_application_figures(), own, s.figures);
    add_spreads(paired(experiment, runs, uplift), own, s.figures);
    s.rows = own.front()->application.rows;
    for (const MethodResult* r : own) ++(r->converged ? s.converged : s.limited);
    s.iterations = spread_over(
        own, [](const MethodResult& r) { return static_cast<double>(r.observations.back().iteration); });
    s.rounds = spread_over(
        own, [](const MethodResult& r) { return static_cast<double>(r.observations.back().round); });
    s.labels = own.front()->labels;
    add_spreads(network_figures(), own, s.network);
    add_spreads(cost_figures(), own, s.cost);
    summaries.push_back(std::move(s));
  }
  return summaries;
}

std::string brief_report(const std::vector<MethodSummary>& methods) {
  using Part = std::vector<FigureSpread> MethodSummary::*;
  const auto table_of = [&](const std::vector<Part>& parts) {
    TextTable table;
    table.add("method", TextTable::Align::left);
    table.add("start", TextTable::Align::left);
    table.add("rounds");
    for (const MethodSummary& m : methods) {
      table.set("method", m.name);
      table.set("start", m.start);
      table.set("rounds", fmt::format("{:.6g}", m.rounds.mean));
      for (const Part part : parts)
        for (const FigureSpread& f : m.*part)
          if (!f.figure->title.empty())
            table.set(std::string(f.figure->title), shown(*f.figure, f.spread.mean));
      table.end_row();
    }
    return table;
  };
  constexpr std::size_t widest = 120;
  const TextTable one = table_of({&MethodSummary::figures, &MethodSummary::cost});
  std::string text = one.text(widest);
  if (text != one.text())  // too wide: what the methods came to, and below it what it cost
    text = table_of({&MethodSummary::figures}).text(widest) + "\n" +
           table_of({&MethodSummary::cost}).text(widest);
  const std::string labels = label_lines(methods);
  return text + (labels.empty() ? "" : "\n" + labels);
}

std::string label_lines(const std::vector<MethodSummary>& methods) {
  const auto in_all = [&](const std::string& label) {
    return methods.size() > 1 && std::all_of(methods.begin(), methods.end(), [&](const MethodSummary& m) {
             return std::find(m.labels.begin(), m.labels.end(), label) != m.labels.end();
           });
  };
  std::string common;
  std::string own;
  for (const MethodSummary& m : methods)
    for (const std::string& label : m.labels)
      if (!in_all(label))
        own += label.starts_with(m.name + ": ") ? label + "\n" : fmt::format("{}: {}\n", m.name, label);
      else if (&m == &methods.front())
        common += fmt::format("all methods: {}\n", label);
  return common + own;
}

}  // namespace sotto
