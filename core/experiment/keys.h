// The table of every key of a scenario file: its name, what it may be, what it means, how it gets into a
// Scenario and out again. Reading, `validate --resolved`, manifests and the README's list all come from this
// one table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/experiment/scenario.h"

namespace sotto {

/// A value as it stands in a file, freed of the parser's types. Lists hold numbers, or strings.
using KeyValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;

struct Key {
  std::string path;     ///< "topology.agents"
  std::string allowed;  ///< "a whole number from 1 to 1000000"
  std::string help;     ///< one line
  /// Returns what is wrong, or nothing.
  std::function<std::optional<std::string>(Scenario&, const KeyValue&)> read;
  /// The value in force; nothing where the key has no value of its own (an alternative is in force).
  std::function<std::optional<KeyValue>(const Scenario&)> write;
  /// Whether the chosen algorithm, scheme and generator look at it.
  std::function<bool(const Scenario&)> used;
};

const std::vector<Key>& keys();
const Key* find_key(std::string_view path);
/// The known key most like a misspelt one; empty if nothing is near.
std::string nearest_key(std::string_view path);
/// As it would be written in a file.
std::string toml_text(const KeyValue& value);

}  // namespace sotto
