// From a scenario file (TOML) to a validated Experiment. Strict: an unknown key, a wrong type, a value out of
// range, a missing or broken file is a ScenarioError with file, line, column, the key's full path and what is
// allowed. Everything that can be checked is checked here, before anything runs or is written.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/scenario.h"
#include "network/topology.h"

namespace sotto {

/// A file that the result depends on.
struct InputFile {
  std::string name;  ///< as the scenario names it
  std::string sha256;
};

struct Experiment {
  Scenario main;
  std::vector<Method> methods;  ///< the main algorithm first, then every [[method]]
  std::vector<InputFile> inputs;
  std::string source;               ///< the scenario file, for messages
  std::string topology_text;        ///< contents of topology.file
  std::string resolved;             ///< every key with the value in force, as TOML
  std::vector<std::string> unused;  ///< keys that were set but that no method looks at

  /// Of the resolved scenario and its inputs.
  std::string hash() const;
  /// The graph of a trial. ScenarioError if the settings allow none.
  Topology topology(std::uint64_t trial) const;
};

/// A `--set key=value`: the value is TOML; what is not TOML is taken as a string.
using Setting = std::pair<std::string, std::string>;

Experiment read_experiment(const std::string& path, const std::vector<Setting>& settings = {});
/// The same from a text; `folder` is where relative paths start, `source` names the text in messages.
Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& folder,
                            const std::vector<Setting>& settings = {});

/// A whole file; ScenarioError naming it (and `key`, if a key named the file) if it cannot be read.
std::string read_input(const std::string& path, const SourcePlace& place, const std::string& key);

}  // namespace sotto
