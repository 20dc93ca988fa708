// SPDX-License-Identifier: MIT
#include "network/topology/graph_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace sotto {

namespace {

constexpr std::array<LinkAttribute, 3> attributes{{
    {"latency_ms", &LinkAttributes::latency_ms, 0, 1e7, false},
    {"bandwidth_mbit", &LinkAttributes::bandwidth_mbit, 0, 1e9, true},
    {"loss", &LinkAttributes::loss, 0, 0.99, false},
}};

/// Bytes of the UTF-8 character that starts the text; 0 if none does, or if XML cannot hold it.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0xffU >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(k) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[size] || code > 0x10ffff || surrogate || (code & 0xfffe) == 0xfffe ? 0 : size;
}

void refuse_bad_name(std::string_view name, const SourcePlace& place) {
  while (!name.empty()) {
    const std::size_t size = character_size(name);
    if (size == 0)
      throw ScenarioError(place, "", "the name of a node must be UTF-8 text without control characters");
    name.remove_prefix(size);
  }
}

/// The names as whole numbers, if they are exactly 0 to n-1 (they are distinct already).
std::optional<std::vector<AgentId>> as_numbers(const std::vector<std::string>& names) {
  std::vector<AgentId> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    AgentId number = 0;
    const char* last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data(), last, number);
    const bool canonical = !name.empty() && (name.size() == 1 || name.front() != '0');
    if (error != std::errc{} || end != last || !canonical || number >= names.size()) return {};
    numbers.push_back(number);
  }
  return numbers;
}

void refuse_loops_and_repeats(std::vector<FileEdge>& edges, const std::vector<std::string>& names,
                              const std::string& file_name) {
  for (const FileEdge& e : edges)
    if (e.a == e.b)
      throw ScenarioError({file_name, e.line, e.column}, "",
                          fmt::format("agent {} has an edge to itself", agent_label(names, e.a)));
  const auto ends = [](const FileEdge& e) { return std::minmax(e.a, e.b); };
  std::stable_sort(edges.begin(), edges.end(),
                   [&](const FileEdge& x, const FileEdge& y) { return Edge(ends(x)) < Edge(ends(y)); });
  const FileEdge* first = nullptr;  // of all repeats, the one that a reader of the file meets first
  const FileEdge* original = nullptr;
  for (std::size_t k = 1; k < edges.size(); ++k) {
    const FileEdge& e = edges[k];
    if (Edge(ends(edges[k - 1])) != Edge(ends(e))) continue;
    if (first != nullptr && std::pair(first->line, first->column) <= std::pair(e.line, e.column)) continue;
    first = &e;
    original = &edges[k - 1];
  }
  if (first != nullptr)
    throw ScenarioError({file_name, first->line, first->column}, "",
                        fmt::format("edge {}-{} was on line {} already", agent_label(names, first->a),
                                    agent_label(names, first->b), original->line));
}

/// Topology says it with numbers; a file whose agents have names wants them named.
void refuse_disconnected(const std::vector<FileEdge>& edges, const std::vector<std::string>& names,
                         const std::string& file_name) {
  std::vector<AgentId> leader(names.size());
  for (AgentId v = 0; v < leader.size(); ++v) leader[v] = v;
  const auto find = [&](AgentId v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (const FileEdge& e : edges) leader[find(e.a)] = find(e.b);
  constexpr std::size_t shown = 8;
  std::size_t apart = 0;
  std::string list;
  for (AgentId v = 0; v < leader.size(); ++v)
    if (find(v) != find(0) && ++apart <= shown) list += (apart > 1 ? ", " : "") + agent_label(names, v);
  if (apart > shown) list += fmt::format(" and {} more", apart - shown);
  if (apart > 0)
    throw ScenarioError({file_name, 0, 0}, "",
                        fmt::format("the graph is not connected: agent{} {} cannot be reached from agent {}",
                                    apart > 1 ? "s" : "", list, agent_label(names, 0)));
}

}  // namespace

std::string LinkAttribute::allowed() const {
  return above_low ? fmt::format("a number above {} and up to {}", low, high)
                   : fmt::format("a number from {} to {}", low, high);
}

void LinkAttribute::read(std::string_view text, const SourcePlace& place, LinkAttributes& into) const {
  constexpr std::string_view spaces = " \t\r\n";
  std::string_view digits = text.substr(std::min(text.find_first_not_of(spaces), text.size()));
  digits = digits.substr(0, digits.find_last_not_of(spaces) + 1);
  double value = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (error != std::errc{} || end != last || !holds(value))
    throw ScenarioError(place, std::string(name), "must be " + allowed());
  into.*field = value;
}

std::span<const LinkAttribute> link_attributes() {
  return attributes;
}

const LinkAttribute* find_link_attribute(std::string_view name) {
  for (const LinkAttribute& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

AgentId NodeNames::number(std::string_view name, const SourcePlace& place) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  refuse_bad_name(name, place);
  const auto number = static_cast<AgentId>(names_.size());
  numbers_.emplace(name, number);
  names_.emplace_back(name);
  return number;
}

GraphFile assemble_graph(std::size_t agents, std::vector<FileEdge> edges, std::vector<std::string> names,
                         const std::string& file_name) {
  if (const auto numbers = as_numbers(names)) {
    names.clear();
    if (!numbers->empty())
      for (FileEdge& e : edges) e = {(*numbers)[e.a], (*numbers)[e.b], e.line, e.column, e.link};
  }
  refuse_loops_and_repeats(edges, names, file_name);
  if (!names.empty()) refuse_disconnected(edges, names, file_name);
  std::vector<Edge> plain;
  plain.reserve(edges.size());
  for (const FileEdge& e : edges) plain.emplace_back(e.a, e.b);
  std::vector<LinkAttributes> links;
  const auto says_something = [](const FileEdge& e) {
    return std::any_of(attributes.begin(), attributes.end(),
                       [&](const LinkAttribute& a) { return (e.link.*a.field).has_value(); });
  };
  if (std::any_of(edges.begin(), edges.end(), says_something))  // sorted as Topology::edge_list is
    for (const FileEdge& e : edges) links.push_back(e.link);
  try {
    return {Topology(agents, std::move(plain)), std::move(names), std::move(links)};
  } catch (const RunError& e) {
    throw ScenarioError({file_name, 0, 0}, "", e.what());
  }
}

std::string agent_label(const std::vector<std::string>& names, AgentId agent) {
  if (names.empty()) return fmt::format("{}", agent);
  constexpr std::size_t longest = 60;
  std::string_view rest = names[agent];
  std::string label = "\"";
  while (!rest.empty() && label.size() <= longest) {
    const std::size_t size = character_size(rest);
    label += size == 0 ? "?" : rest.substr(0, size);
    rest.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return label + (rest.empty() ? "\"" : "...\"");
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

}  // namespace sotto
