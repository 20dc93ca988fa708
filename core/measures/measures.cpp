// SPDX-License-Identifier: MIT
// Tests: tests/extension/extension_test.cpp
#include <algorithm>

#include "core/measures/measure.h"

namespace sotto {

extern const MeasureKind factor_errors;
extern const MeasureKind projection_errors;

namespace {

std::vector<const MeasureKind*>& measure_table() {
  static std::vector<const MeasureKind*> kinds{&factor_errors, &projection_errors};
  return kinds;
}

}  // namespace

std::span<const MeasureKind* const> measures() {
  return measure_table();
}

void add_measure(const MeasureKind& kind) {
  measure_table().push_back(&kind);
}

std::vector<const Figure*> trace_figures() {
  std::vector<const Figure*> figures;
  for (const MeasureKind* kind : measure_table())
    for (const Figure* figure : kind->figures)
      if (std::find(figures.begin(), figures.end(), figure) == figures.end()) figures.push_back(figure);
  return figures;
}

Observed measure(const MeasureInput& input) {
  Observed observed;
  for (const MeasureKind* kind : measure_table())
    if (kind->applies(input.gives)) kind->evaluate(input, observed);
  return observed;
}

void Observed::save(Writer& w) const {
  all.save(w);
  agents.save(w);
}

Observed Observed::load(Reader& r) {
  Observed observed;
  observed.all = FigureValues::load(r);
  observed.agents = AgentFigures::load(r);
  return observed;
}

}  // namespace sotto
