// SPDX-License-Identifier: MIT
// What one method came to in one trial: all that the output files are made of. It serializes, so that what is finished
// when a run is interrupted is not run again.
// Tests: tests/core/experiment/checkpoint_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/experiment/checkpoint.h"
#include "core/measures/application.h"
#include "network/time/timeline.h"

namespace sotto {

/// The graph that a method ran on, in figures.
struct GraphFigures {
  std::size_t agents = 1;
  std::size_t edges = 0;
  std::optional<std::uint32_t> diameter;  ///< none where it would take too long
};

struct MethodResult {
  std::uint64_t trial = 0;
  std::string method;
  bool interrupted = false;
  bool converged = false;  ///< by the stopping rule
  std::vector<Observation> observations;
  GraphFigures graph;
  Timing timing;            ///< at the observed iterations
  std::vector<Edge> links;  ///< directed, as timing.links
  std::vector<std::string> labels;
  Counters counters;  ///< of protocols, over all agents
  ApplicationResult application;
  std::vector<FactorView> factors;  ///< at the end, with output.factors
  std::vector<Index> samples;       ///< with them: where each sample was in its file, agent after agent
  std::vector<std::vector<Message>> transcript;
  std::vector<std::pair<std::string, std::string>> pictures;  ///< files, with output.images
  Bytes events;  ///< with output.events: what it takes to time the run again, compressed (recording.h)
  std::uint64_t measured_from = 0;  ///< the boundary that it was started from: where measuring began
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double metrics_cpu_seconds = 0;

  /// Over all agents, at the end.
  double final_figure(const Figure& figure) const { return observations.back().figures.all.get(figure); }

  void save(Writer& w) const;
  static MethodResult load(Reader& r);
};

/// What both a saved result and a record for timing hold: trial, method, stop, observations, labels, counters, application.
void save_observed(const MethodResult& result, Writer& w);
/// FormatError for what no run could have come to.
MethodResult load_observed(Reader& r);

}  // namespace sotto
