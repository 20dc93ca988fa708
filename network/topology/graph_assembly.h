// SPDX-License-Identifier: MIT
// What the parsers and writers of topology files share: attributes of edges, names of nodes, and the way from a
// file's edges to a GraphFile. Only the formats' own files include this.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "network/topology/graph_file.h"

namespace sotto {

/// An edge attribute that means something here; its range is that of the key in [link].
struct LinkAttribute {
  std::string_view name;
  std::optional<double> LinkAttributes::*field;
  double low, high;
  bool above_low;

  std::string allowed() const;
  /// Never for a NaN.
  bool holds(double value) const { return value >= low && value <= high && !(above_low && value == low); }
  /// ScenarioError at `place` if the text is no number in the range.
  void read(std::string_view text, const SourcePlace& place, LinkAttributes& into) const;
};

std::span<const LinkAttribute> link_attributes();
/// nullptr: somebody else's attribute.
const LinkAttribute* find_link_attribute(std::string_view name);

struct FileEdge {
  AgentId a, b;
  std::uint32_t line, column;
  LinkAttributes link;
};

/// Nodes by name, numbered as they come.
class NodeNames {
 public:
  /// A name that is new gets the next number. ScenarioError at `place` for bytes that not every format can hold:
  /// control characters, broken UTF-8.
  AgentId number(std::string_view name, const SourcePlace& place);
  std::size_t size() const { return names_.size(); }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::map<std::string, AgentId, std::less<>> numbers_;
  std::vector<std::string> names_;
};

/// Edges in the file's order between nodes in the file's order. Refuses loops, repeats, what is not connected.
GraphFile assemble_graph(std::size_t agents, std::vector<FileEdge> edges, std::vector<std::string> names,
                         const std::string& file_name);

/// `&`, `<`, `>` and `"` as XML writes them.
std::string xml_escaped(std::string_view text);

}  // namespace sotto
