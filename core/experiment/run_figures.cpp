// SPDX-License-Identifier: MIT
#include "core/experiment/run_figures.h"

#include "core/protocols/gossip.h"

namespace sotto {

namespace {

/// What protocols counted: one family a row.
constexpr std::span<const CounterFigure> (*counter_families[])() = {exchange_figures, secure_sum_figures,
                                                                    normed_sum_figures, gossip_figures};

}  // namespace

std::vector<RunFigure> observed_figures() {
  std::vector<RunFigure> all;
  for (const Figure* figure : trace_figures())
    all.push_back({figure, [figure](const MethodResult& run) { return run.final_figure(*figure); }});
  return all;
}

std::vector<RunFigure> cost_figures() {
  std::vector<RunFigure> all;
  for (const ProgressFigure& f : progress_figures())
    all.push_back({&f.figure, [&f](const MethodResult& run) {
                     return f.of(run.timing.total(run.timing.at.size() - 1));
                   }});
  for (const TimingFigure& f : timing_figures())
    all.push_back({&f.figure, [&f](const MethodResult& run) { return f.of(run.timing); }});
  for (const auto family : counter_families)
    for (const CounterFigure& f : family())
      all.push_back({&f.figure, [&f](const MethodResult& run) { return f.of(run.counters); }});
  return all;
}

std::vector<RunFigure> final_application_figures() {
  std::vector<RunFigure> all;
  for (const Figure* figure : application_figures())
    all.push_back(
        {figure, [figure](const MethodResult& run) { return run.application.figures.get(*figure); }});
  return all;
}

}  // namespace sotto
