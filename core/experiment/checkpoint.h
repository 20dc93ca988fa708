// SPDX-License-Identifier: MIT
// One method in one trial, frozen at a boundary: everybody's state, what happened so far, what was observed and, where a
// transcript is kept, every message that was received.
// Started again from here, a run ends in the same bytes as one that was never interrupted.
#pragma once

#include <vector>

#include "core/measures/measure.h"
#include "network/time/event_log.h"

namespace sotto {

/// A row of the trace before costs are known.
struct Observation {
  std::uint64_t iteration = 0;
  std::uint64_t round = 0;
  Observed figures;

  void save(Writer& w) const;
  static Observation load(Reader& r);
};

void save_transcript(const std::vector<std::vector<Message>>& transcript, Writer& w);
std::vector<std::vector<Message>> load_transcript(Reader& r);

struct Checkpoint {
  std::uint64_t iteration = 0;
  std::vector<Bytes> states;  ///< by agent
  EventLog log;
  std::vector<Observation> observations;
  std::vector<std::vector<Message>> transcript;  ///< by agent, as BoundaryView::transcript

  Bytes save() const;
  static Checkpoint load(std::span<const std::uint8_t> bytes);
};

}  // namespace sotto
