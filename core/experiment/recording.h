// SPDX-License-Identifier: MIT
// events.bin: a finished run, as far as time is concerned. For every method in every trial the graph, what happened
// on it and what was observed: all that the output files need except factors and transcript, so that a run can be
// timed again on other links (`sotto retime`) without being run again. Sizes of messages, never contents.
//
//   "sotto events " and the version, hash of the scenario that ran, number of runs; then one compressed block per run
//
// A program reads its own version alone: the file is for timing a run again, not for keeping. Reading takes nothing on trust: a
// FormatError for bytes that are not of this form or contradict themselves, and memory in proportion to what the bytes really
// hold. Who wrote a file is not checked.
// Tests: tests/core/results/retime_test.cpp
#pragma once

#include "core/experiment/method_run.h"

namespace sotto {

/// One method in one trial, as it comes out of the file.
struct Recording {
  MethodResult result;  ///< trial, method, converged, observations, labels
  Topology topology;
  std::vector<LinkAttributes> link_attributes;
  EventLog log;
};

/// Compressed.
Bytes record(const MethodResult& result, const RunPlace& place, const EventLog& log);
Recording load_recording(std::span<const std::uint8_t> recorded);

std::string events_file(const std::string& scenario_hash, const std::vector<MethodResult>& runs);

struct EventsFile {
  std::string scenario_hash;
  std::vector<std::span<const std::uint8_t>> runs;  ///< still compressed, inside the text that was parsed

  static EventsFile parse(std::string_view text);
};

}  // namespace sotto
