// SPDX-License-Identifier: MIT
// Measures: figures that no agent could compute, from everybody's factors at a boundary. One file per family of figures, one row
// in measures.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/figure.h"
#include "core/algorithms/kinds.h"
#include "core/data/dataset.h"

namespace sotto {

/// What is looked at. `views` by agent, or a single one that holds all samples (centralized).
struct MeasureInput {
  const std::vector<FactorView>& views;
  const TrialData& data;
  Gives gives;

  bool one_place() const { return views.size() == 1 && data.parts.size() > 1; }
  const FactorView& view(std::size_t agent) const { return views[one_place() ? 0 : agent]; }
};

/// Figures of scope `trace`, over all agents and of each.
struct Observed {
  FigureValues all;
  AgentFigures agents;

  void save(Writer& w) const;
  static Observed load(Reader& r);
};

struct MeasureKind {
  std::string_view name;
  std::span<const Figure* const> figures;
  bool (*applies)(const Gives& gives);
  void (*evaluate)(const MeasureInput& input, Observed& to);
};

std::span<const MeasureKind* const> measures();
/// Before anything runs, from one thread: a measure that the program was not built with. It must outlive the program's work.
void add_measure(const MeasureKind& kind);

/// Those of all measures, each once, in the order of the table.
std::vector<const Figure*> trace_figures();
/// By all measures that apply.
Observed measure(const MeasureInput& input);

/// error / size, no figure where there is nothing.
inline double relative(double error, double size) {
  return size > 0 ? error / size : no_figure;
}

}  // namespace sotto
