// SPDX-License-Identifier: MIT
// The output folder of a run. Every file is written under a temporary name and renamed when all are complete, the
// manifest first, the summary last: a killed run leaves no half-written file under its final name, a folder always
// says whose results it holds, and one with a summary is complete.
// output_files.h lists the files. checkpoint/ of a run that is not finished holds what it continues from
// (checkpoint_folder.h).
#pragma once

#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "core/results/output_files.h"

namespace sotto {

/// A folder that this process may write to: created if missing, locked against a second run, refused (ScenarioError) if it holds another
/// scenario's results, a sweep, or a file by the name of one of these without a manifest that explains it. Other files are left alone.
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

}  // namespace sotto
