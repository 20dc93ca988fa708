#include "network/topology_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"

namespace sotto {

namespace {

constexpr AgentId largest_agent = 100'000'000;

struct Line {
  std::string_view rest;
  SourcePlace place;
  const char* start;

  void skip_spaces() {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\r'))
      rest.remove_prefix(1);
  }
  SourcePlace here() const {
    return {place.source, place.line, static_cast<std::uint32_t>(rest.data() - start + 1)};
  }
  AgentId number() {
    skip_spaces();
    AgentId value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || value > largest_agent)
      throw ScenarioError(here(), "",
                          fmt::format("an edge is two agent numbers from 0 to {}", largest_agent));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }
};

}  // namespace

Topology parse_edge_list(const std::string& text, const std::string& file_name) {
  std::map<Edge, std::uint32_t> line_of;
  AgentId largest = 0;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Line line{std::string_view(text).substr(at, end - at), {file_name, ++number, 1}, text.data() + at};
    line.rest = line.rest.substr(0, line.rest.find('#'));
    at = end + 1;
    line.skip_spaces();
    if (line.rest.empty()) continue;
    const AgentId a = line.number();
    const AgentId b = line.number();
    line.skip_spaces();
    if (!line.rest.empty()) throw ScenarioError(line.here(), "", "more than two agent numbers on a line");
    if (a == b) throw ScenarioError(line.place, "", fmt::format("agent {} has an edge to itself", a));
    const auto [other, is_new] = line_of.emplace(Edge{std::min(a, b), std::max(a, b)}, number);
    if (!is_new)
      throw ScenarioError(line.place, "",
                          fmt::format("edge {}-{} was on line {} already", a, b, other->second));
    largest = std::max({largest, a, b});
  }
  if (line_of.empty()) throw ScenarioError({file_name, 1, 1}, "", "no edge in this file");
  std::vector<Edge> edges;
  edges.reserve(line_of.size());
  for (const auto& [edge, _] : line_of) edges.push_back(edge);
  // a graph on n agents needs n - 1 edges: checked before anything is allocated for a number in the file
  if (edges.size() < largest)
    throw ScenarioError({file_name, 0, 0}, "",
                        fmt::format("the graph is not connected: {} agents (0 to {}) but only {} edges",
                                    largest + 1, largest, edges.size()));
  try {
    return Topology(std::size_t{largest} + 1, std::move(edges));
  } catch (const RunError& e) {
    throw ScenarioError({file_name, 0, 0}, "", e.what());
  }
}

std::string write_edge_list(const Topology& topology) {
  std::string text = fmt::format("# {} agents, {} edges\n", topology.agents(), topology.edges());
  for (const auto& [a, b] : topology.edge_list()) text += fmt::format("{} {}\n", a, b);
  return text;
}

}  // namespace sotto
