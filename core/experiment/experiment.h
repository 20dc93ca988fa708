// SPDX-License-Identifier: MIT
// From a scenario file (TOML) to a validated Experiment. Strict: an unknown setting, a wrong type, a value out of
// range, a missing or broken file is a ScenarioError with file, line, column, the setting's full path and what is
// allowed. Everything that can be checked is checked here, before anything runs or is written.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/input_file.h"
#include "core/algorithms/kinds.h"
#include "core/data/dataset.h"
#include "core/experiment/options.h"
#include "core/scenario/scenario_document.h"
#include "crypto/shared_schemes.h"
#include "network/time/link.h"
#include "network/time/options.h"
#include "network/topology/options.h"

namespace sotto {

struct Experiment {
  OptionSet main;
  std::vector<Method> methods;  ///< the main algorithm first, then every [[method]]
  std::vector<InputFile> inputs;
  std::shared_ptr<const Dataset> data;  ///< of data.file, else null
  DataShape shape;
  std::string source;                     ///< the scenario file, for messages
  std::optional<Topology> file_topology;  ///< of topology.file: every trial has it
  std::vector<std::string> agent_names;   ///< by agent, if topology.file gives names; else empty
  std::vector<LinkAttributes>
      link_attributes;                     ///< by Topology::edge_list, if topology.file has any; else empty
  std::string resolved;                    ///< every setting with the value in force, as TOML
  std::vector<std::string> unused;         ///< settings that were given but that no method looks at
  std::shared_ptr<SharedSchemes> schemes;  ///< of all trials and methods
  std::string retimed_from;  ///< hash of the scenario that ran, where this one was only timed again

  const RunOptions& run() const { return main.get<RunOptions>(); }
  const OutputOptions& output() const { return main.get<OutputOptions>(); }
  std::size_t agents() const { return main.get<TopologyOptions>().shape.agents; }
  std::size_t trials() const { return static_cast<std::size_t>(run().trials); }
  /// The first method of a baseline; null: there is none.
  const Method* baseline(Baseline which) const;
  /// Of the resolved scenario and its inputs.
  std::string hash() const;
  /// The graph of a trial. ScenarioError if the settings allow none.
  Topology topology(std::uint64_t trial) const;
};

/// Whether the files that a scenario names are read and checked, or left where they are: a run that is only timed again
/// knows its graph and does not need its data.
enum class InputFiles { read, leave };

/// Whether a scenario file is run as it stands, or the points of its sweep.
enum class Sweeping { no, points };

/// Datasets that several experiments share: those that were asked for last, up to a gigabyte of them; what experiments still
/// use lives on. Threading: may be used by many threads; one that loads lets the others wait.
class DatasetCache {
 public:
  struct Loaded {
    std::shared_ptr<const Dataset> data;
    std::vector<InputFile> inputs;
  };
  explicit DatasetCache(std::size_t most_bytes = std::size_t{1} << 30) : most_(most_bytes) {}

  Loaded get(const std::string& settings, const std::function<Loaded()>& load);

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<std::string, Loaded>> kept_;  ///< the last used first
};

/// A scenario file, parsed once and read as often as its sweep has points. Threading: const, read from any thread.
class ScenarioFile {
 public:
  /// `folder` is where relative paths start, `source` names the text in messages.
  ScenarioFile(const std::string& text, std::string source, std::string folder,
               const std::vector<Assignment>& settings = {});
  static ScenarioFile read(const std::string& path, const std::vector<Assignment>& settings = {});

  /// As it stands, without its sweep.
  Experiment experiment(InputFiles files = InputFiles::read) const;
  /// Its axes as they stand; there may be none.
  const SweepAxes& axes() const { return document_.sweep(); }
  /// ScenarioError if there is none, or one that the command line contradicts.
  const SweepAxes& sweep() const;
  /// A point of the sweep. ScenarioError if it is no valid scenario.
  Experiment point(std::size_t number, DatasetCache& data) const;
  /// Every setting with the value in force, and the sweep, as TOML. No file is looked at.
  std::string resolved() const;
  std::string name() const;
  /// What was given but nothing looks at, by path: no method of the scenario as it stands (if `sweeping` says that it is run) and
  /// of any point of its sweep. Axes are named where the points are run. Reads topology files, no data.
  std::vector<UnusedSetting> unused(Sweeping sweeping) const;

 private:
  using LinksOfFiles = std::map<std::string, LinksGiven>;  ///< by topology.file

  OptionSet options(const ScenarioDocument& document) const;
  std::vector<UnusedSetting> unused(const ScenarioDocument& document, LinksOfFiles& links) const;
  Experiment experiment(const ScenarioDocument& document, InputFiles files, DatasetCache* data) const;

  ScenarioDocument document_;
  std::string text_hash_;
  std::string source_;
  std::string folder_;
};

/// Whether it has a stopping rule and was not told to run on: then reaching its limit is not what was hoped for.
bool expects_convergence(const OptionSet& options);

Experiment read_experiment(const std::string& path, const std::vector<Assignment>& settings = {});
/// The same from a text.
Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& folder,
                            const std::vector<Assignment>& settings = {},
                            InputFiles files = InputFiles::read);

}  // namespace sotto
