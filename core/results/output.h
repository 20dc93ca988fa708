// The output folder of a run. Every file is written under a temporary name and renamed when all are complete, the
// manifest first, the summary last: a killed run leaves no half-written file under its final name, a folder always
// says whose results it holds, and one with a summary is complete.
//   trace.csv      one row per trial, method, phase and observed outer iteration
//   final.csv      one row per trial and method: every metric and cost at the end
//   agents.csv     the trace per agent
//   links.csv      messages, bytes and retransmissions per trial, method and directed link
//   summary.json   final figures over trials, stop, labels, cost
//   manifest.json  resolved scenario, versions, commit, SHA-256 of inputs
//   timings.csv    measured time: the ONLY file that differs between repeats
//   events.bin     what it takes to time the run again, unless the scenario says no
//   factors.csv, transcript.csv   where the scenario asks for them
//   checkpoint/    of a run that is not finished: what it goes on from (checkpoint_folder.h)
// A run that was only timed again has the same files but the last three, and a manifest that says so.
#pragma once

#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "core/experiment/runner.h"
#include "core/results/summary.h"

namespace sotto {

/// A folder that this process may write to: created if missing, locked against a second run, refused
/// (ScenarioError) if it holds another scenario's results.
class OutputFolder {
 public:
  OutputFolder(const std::string& path, const Experiment& experiment);

  const std::string& path() const { return lock_.path(); }
  /// Where what is not finished is kept.
  std::string checkpoint_path() const { return path() + "/checkpoint"; }
  /// Whether there is a summary: then everything else is there, too.
  bool complete() const;
  /// Of each method, the trials that reached their limit, as the summary of a complete run says.
  std::vector<std::size_t> limited(const Experiment& experiment) const;
  /// The manifest alone: whose folder this is, before there are results.
  void claim(const Experiment& experiment);
  /// All of them or none: an OutputError (disk full, no permission) leaves what was there. Manifest first.
  void write(const NamedFiles& files);

 private:
  FolderLock lock_;
};

/// The figures of trace.csv, in the order of its columns behind `round`.
std::vector<std::string> trace_columns();

struct RunConditions {
  int threads = 1;
  std::string started;  ///< ISO 8601
};

/// A row of the table of output files.
struct OutputFile {
  const char* name;
  bool (*wanted)(const Experiment& experiment);
  std::string (*contents)(const Experiment& experiment, const std::vector<MethodResult>& runs,
                          const RunConditions& conditions);
};
/// Before anything runs, from one thread: a file that the program was not built with.
void add_output_file(const OutputFile& file);

/// Names and contents: manifest first, summary last.
NamedFiles output_files(const Experiment& experiment, const std::vector<MethodResult>& runs,
                        const RunConditions& conditions);

}  // namespace sotto
