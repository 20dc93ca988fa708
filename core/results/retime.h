// SPDX-License-Identifier: MIT
// Times a finished run again, on other links or at other costs, from the folder that it wrote: the manifest says what
// ran, events.bin what happened. Nothing is computed twice, so no result can change; only [link] and [cost] may.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/method_run.h"

namespace sotto {

struct FinishedRun {
  Experiment experiment;  ///< with the new settings; knows what it was timed again from
  std::string events;     ///< contents of events.bin
  std::string events_path;
};

/// ScenarioError for a setting of something else than link and cost, or a folder that holds no finished run.
FinishedRun read_finished_run(const std::string& folder, const std::vector<Assignment>& settings);

/// Those of the new settings that no link and no method of the run looks at. FormatError as `retime`.
std::vector<UnusedSetting> unused_settings(const FinishedRun& run, const std::vector<Assignment>& settings);

/// In the order of trials and methods. FormatError names the file if it does not hold what the manifest says.
std::vector<MethodResult> retime(const FinishedRun& run);

}  // namespace sotto
