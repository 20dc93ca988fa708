// SPDX-License-Identifier: MIT
#include "network/topology/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"

namespace sotto {

namespace {

const std::vector<GraphFormat>& format_table() {
  static const std::vector<GraphFormat> formats{
      {"GraphML", {".graphml", ".xml"}, parse_graphml, write_graphml},
      {"DOT", {".dot", ".gv"}, parse_dot, write_dot},
      {"edge list", {".txt", ".edges", ".edgelist"}, parse_edge_list, write_edge_list},
      {"SVG", {".svg"}, nullptr, write_svg},
  };
  return formats;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// What the text itself looks like: no edge list starts like this.
const GraphFormat* format_of_text(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string start = lower_case(text.substr(0, 8));
  for (const char* xml : {"<?xml", "<graphml", "<!"})
    if (start.starts_with(xml)) return &format_table()[0];
  for (const char* dot : {"graph", "strict", "digraph", "//", "/*"})
    if (start.starts_with(dot)) return &format_table()[1];
  return nullptr;
}

}  // namespace

std::span<const GraphFormat> graph_formats() {
  return format_table();
}

const GraphFormat* find_graph_format(std::string_view file_name) {
  const std::string lower = lower_case(file_name);
  for (const GraphFormat& format : format_table())
    for (const std::string_view extension : format.extensions)
      if (lower.ends_with(extension)) return &format;
  return nullptr;
}

std::string graph_extensions() {
  std::string list;
  for (const GraphFormat& format : format_table())
    for (const std::string_view extension : format.extensions)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", extension);
  return list;
}

GraphFile parse_graph(const std::string& text, const std::string& file_name) {
  const GraphFormat* format = find_graph_format(file_name);
  if (format == nullptr || format->parse == parse_edge_list) {
    const GraphFormat* looks_like = format_of_text(text);
    if (looks_like != nullptr) format = looks_like;
  }
  if (format == nullptr) return parse_edge_list(text, file_name);
  if (format->parse == nullptr)
    throw ScenarioError({file_name, 0, 0}, "", fmt::format("{} is written, not read", format->name));
  return format->parse(text, file_name);
}

}  // namespace sotto
