// SPDX-License-Identifier: MIT
// The figures of a run at its end: those that were observed, what the run cost, what its application measured. Files and
// tables loop over these.
// Tests: tests/extension/extension_test.cpp, tests/core/results/output_test.cpp
#pragma once

#include <functional>
#include <vector>

#include "core/experiment/method_result.h"

namespace sotto {

struct RunFigure {
  const Figure* figure;
  std::function<double(const MethodResult& run)> of;  ///< no_figure: it has none
};

std::vector<RunFigure> observed_figures();
std::vector<RunFigure> cost_figures();
std::vector<RunFigure> final_application_figures();

}  // namespace sotto
