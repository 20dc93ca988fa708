// SPDX-License-Identifier: MIT
// Tests: tests/network/topology/graph_file_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "network/topology/graph_assembly.h"

namespace sotto {

namespace {

constexpr AgentId largest_agent = 100'000'000;

/// One line, read from left to right.
class Line {
 public:
  Line(std::string_view text, const std::string& file_name, std::uint32_t number)
      : rest_(text.substr(0, text.find('#'))), start_(text.data()), file_name_(file_name), number_(number) {}

  bool at_end() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    return rest_.empty();
  }
  SourcePlace here() const {
    return {file_name_, number_, static_cast<std::uint32_t>(rest_.data() - start_ + 1)};
  }
  [[noreturn]] void refuse(const std::string& problem) const { throw ScenarioError(here(), "", problem); }

  AgentId agent() {
    at_end();
    AgentId value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value > largest_agent)
      refuse(fmt::format("an edge is two agent numbers from 0 to {}", largest_agent));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  /// What follows the two numbers.
  LinkAttributes attributes() {
    LinkAttributes link;
    const bool apart =
        rest_.empty() || std::string_view(" \t\r{").find(rest_.front()) != std::string_view::npos;
    if (!apart) refuse(fmt::format("an edge is two agent numbers from 0 to {}", largest_agent));
    if (at_end()) return link;
    if (rest_.front() == '{')
      read_dictionary(link);
    else
      while (!at_end()) read_word(link);
    return link;
  }

 private:
  bool take(char c) {
    if (at_end() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view take_until(std::string_view stops) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(stops));
    rest_.remove_prefix(word.size());
    return word;
  }

  /// Said once is enough: a second value would contradict the first.
  static void set(std::string_view key, std::string_view value, const SourcePlace& place,
                  LinkAttributes& link) {
    const LinkAttribute* attribute = find_link_attribute(key);
    if (attribute == nullptr) return;
    if (link.*attribute->field) throw ScenarioError(place, std::string(key), "is there twice");
    attribute->read(value, place, link);
  }

  void read_word(LinkAttributes& link) {
    const SourcePlace place = here();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      refuse("more than two agent numbers on a line; attributes are written as latency_ms=5");
    rest_.remove_prefix(word.size());
    set(word.substr(0, equals), word.substr(equals + 1), place, link);
  }

  /// {'latency_ms': 5, 'color': 'red'}: keys and values on one level.
  void read_dictionary(LinkAttributes& link) {
    take('{');
    while (!take('}')) {
      at_end();
      const SourcePlace place = here();
      const std::string_view key = quoted();
      if (!take(':')) refuse("a ':' is missing after the attribute's name");
      at_end();
      const bool is_text = rest_.starts_with('\'') || rest_.starts_with('"');
      std::string_view value = is_text ? quoted() : take_until(",} \t\r");
      if (value.find_first_of("{[(") != std::string_view::npos && !is_text)
        refuse("an attribute's value must be a number or a text");
      set(key, value, place, link);
      if (take(',')) continue;
      if (!take('}')) refuse("a ',' or the '}' is missing");
      break;
    }
    if (!at_end()) refuse("nothing may follow the '}'");
  }

  std::string_view quoted() {
    const char quote = rest_.empty() ? ' ' : rest_.front();
    if (quote != '\'' && quote != '"') refuse("an attribute's name must stand in quotes");
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote) end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) refuse("the quote does not end on this line (a '#' starts a comment)");
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  std::string_view rest_;
  const char* start_;
  const std::string& file_name_;
  std::uint32_t number_;
};

}  // namespace

GraphFile parse_edge_list(const std::string& text, const std::string& file_name) {
  std::vector<FileEdge> edges;
  AgentId largest = 0;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Line line(std::string_view(text).substr(at, end - at), file_name, ++number);
    at = end + 1;
    if (line.at_end()) continue;
    const AgentId a = line.agent();
    const AgentId b = line.agent();
    edges.push_back({a, b, number, 1, line.attributes()});
    largest = std::max({largest, a, b});
  }
  if (edges.empty()) throw ScenarioError({file_name, 1, 1}, "", "no edge in this file");
  // only now is there as much in the file as will be allocated for its largest number
  if (largest >= 2 * edges.size())
    throw ScenarioError({file_name, 0, 0}, "",
                        fmt::format("the graph is not connected: {} agents (0 to {}) but only {} edges",
                                    largest + 1, largest, edges.size()));
  return assemble_graph(std::size_t{largest} + 1, std::move(edges), {}, file_name);
}

std::string write_edge_list(const GraphFile& graph) {
  const Topology& topology = graph.topology;
  std::string text = fmt::format("# {} agents, {} edges\n", topology.agents(), topology.edges());
  for (AgentId a = 0; a < graph.names.size(); ++a) text += fmt::format("# {} is {}\n", a, graph.names[a]);
  const std::vector<Edge> edges = topology.edge_list();
  for (std::size_t k = 0; k < edges.size(); ++k) {
    std::string dictionary;
    for (const LinkAttribute& attribute : link_attributes())
      if (!graph.links.empty() && graph.links[k].*attribute.field)
        dictionary += fmt::format("{}'{}': {}", dictionary.empty() ? "" : ", ", attribute.name,
                                  *(graph.links[k].*attribute.field));
    text += fmt::format("{} {}", edges[k].first, edges[k].second);
    text += dictionary.empty() ? "\n" : " {" + dictionary + "}\n";
  }
  return text;
}

}  // namespace sotto
