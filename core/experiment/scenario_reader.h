// From a scenario file (TOML) to a validated Experiment. Strict: an unknown key, a wrong type, a value out of
// range, a missing or broken file is a ScenarioError with file, line, column, the key's full path and what is
// allowed. Everything that can be checked is checked here, before anything runs or is written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/dataset.h"
#include "core/experiment/input_file.h"
#include "core/experiment/scenario.h"
#include "core/protocols/shared_schemes.h"
#include "network/topology.h"

namespace sotto {

struct Experiment {
  Scenario main;
  std::vector<Method> methods;  ///< the main algorithm first, then every [[method]]
  std::vector<InputFile> inputs;
  std::shared_ptr<const Dataset> data;  ///< of data.file, else null
  DataShape shape;
  std::string source;                     ///< the scenario file, for messages
  std::optional<Topology> file_topology;  ///< of topology.file: every trial has it
  std::vector<std::string> agent_names;   ///< by agent, if topology.file gives names; else empty
  std::vector<LinkAttributes>
      link_attributes;                     ///< by Topology::edge_list, if topology.file has any; else empty
  std::string resolved;                    ///< every key with the value in force, as TOML
  std::vector<std::string> unused;         ///< keys that were set but that no method looks at
  std::shared_ptr<SharedSchemes> schemes;  ///< of all trials and methods
  std::string retimed_from;  ///< hash of the scenario that ran, where this one was only timed again

  /// Of the resolved scenario and its inputs.
  std::string hash() const;
  /// The graph of a trial. ScenarioError if the settings allow none.
  Topology topology(std::uint64_t trial) const;
};

/// A `--set key=value`: the value is TOML; what is not TOML is taken as a string.
using Setting = std::pair<std::string, std::string>;

/// Whether the files that a scenario names are read and checked, or left where they are: a run that is only timed again
/// knows its graph and does not need its data.
enum class InputFiles { read, leave };

Experiment read_experiment(const std::string& path, const std::vector<Setting>& settings = {});
/// The same from a text; `folder` is where relative paths start, `source` names the text in messages.
Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& folder,
                            const std::vector<Setting>& settings = {}, InputFiles files = InputFiles::read);

}  // namespace sotto
