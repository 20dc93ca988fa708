// SPDX-License-Identifier: MIT
// The files of an output folder, one row each: what a file holds, when it is written, its contents. docs/outputs.md is
// printed from the table. All files but timings.csv are the same bytes on every rerun. A run that was only timed again has no
// events, factors and transcript, and a manifest that says so.
// Tests: tests/core/results/output_test.cpp, tests/extension/extension_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "core/experiment/runner.h"
#include "core/results/summary.h"

namespace sotto {

/// The figures of trace.csv, in the order of its columns behind `round`.
std::vector<std::string> trace_columns();

struct RunConditions {
  int threads = 1;
  std::string started;  ///< ISO 8601
};

/// A column of a CSV file.
struct Column {
  const char* name;
  const char* help;
};

/// A row of the table of output files.
struct OutputFile {
  const char* name;
  const char* help;  ///< one line
  /// Of a CSV file: the columns before those of figures.
  std::span<const Column> columns;
  bool (*wanted)(const Experiment& experiment);
  std::string (*contents)(const Experiment& experiment, const std::vector<MethodResult>& runs,
                          const RunConditions& conditions);
};
/// Before anything runs, from one thread: a file that the program was not built with.
void add_output_file(const OutputFile& file);

/// In the order in which they are written: manifest first, summary last.
std::vector<OutputFile> output_file_table();

/// Names and contents: manifest first, summary last.
NamedFiles output_files(const Experiment& experiment, const std::vector<MethodResult>& runs,
                        const RunConditions& conditions);

}  // namespace sotto
