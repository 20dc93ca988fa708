// The output folder of a run. Every file is written under a temporary name and renamed when all are complete, the
// manifest first, the summary last: a killed run leaves no half-written file under its final name, a folder always
// says whose results it holds, and one with a summary is complete.
//   trace.csv      one row per trial, method, phase and observed outer iteration
//   agents.csv     the same per agent
//   links.csv      messages, bytes and retransmissions per trial, method and directed link
//   summary.json   final figures over trials, stop, labels, cost
//   manifest.json  resolved scenario, versions, commit, SHA-256 of inputs
//   timings.csv    measured time: the ONLY file that differs between repeats
//   events.bin     what it takes to time the run again, unless the scenario says no
//   factors.csv, transcript.csv   where the scenario asks for them
// A run that was only timed again has the same files but the last three, and a manifest that says so.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/runner.h"
#include "core/experiment/summary.h"

namespace sotto {

/// A folder that this process may write to: created if missing, locked against a second run, refused
/// (ScenarioError) if it holds another scenario's results.
class OutputFolder {
 public:
  OutputFolder(const std::string& path, const Experiment& experiment);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;

  const std::string& path() const { return path_; }
  /// All of them or none: a RunError (disk full, no permission) leaves what was there. Manifest first.
  void write(const std::vector<std::pair<std::string, std::string>>& files) const;

 private:
  void leave() const;

  std::string path_;
  int lock_ = -1;
  std::vector<std::string> created_;  ///< folders that were not there, innermost first
  mutable bool written_ = false;
};

struct RunConditions {
  int threads = 1;
  std::string started;  ///< ISO 8601
};

/// Names and contents: manifest first, summary last.
std::vector<std::pair<std::string, std::string>> output_files(const Experiment& experiment,
                                                              const std::vector<MethodResult>& runs,
                                                              const RunConditions& conditions);

}  // namespace sotto
