// SPDX-License-Identifier: MIT
// Graphs as files: GraphML, DOT and edge lists both ways, SVG drawings one way. An edge may carry its link's latency_ms,
// bandwidth_mbit and loss; every other attribute is somebody else's and ignored. Nodes called by exactly the whole
// numbers 0 to n-1 are the agents of those numbers; otherwise agents are numbered in the order of the file and keep
// their names. Only undirected, connected graphs without loops and parallel edges: anything else is a ScenarioError with
// file, line and column.
// To add a format: one file, its functions below, and a row in the table of graph_file.cpp; beside it stands what a text is recognized
// by where the name of its file tells nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/time/link.h"
#include "network/topology/topology.h"

namespace sotto {

struct GraphFile {
  Topology topology;
  std::vector<std::string> names;     ///< by agent; empty: the agents' numbers
  std::vector<LinkAttributes> links;  ///< by Topology::edge_list; empty: no edge says anything
};

struct GraphFormat {
  std::string_view name;
  std::vector<std::string_view> extensions;  ///< the first one is the usual one
  GraphFile (*parse)(const std::string& text, const std::string& file_name);  ///< nullptr: written only
  std::string (*write)(const GraphFile& graph);
};

std::span<const GraphFormat> graph_formats();
/// By the extension of a file's name; nullptr if that says nothing.
const GraphFormat* find_graph_format(std::string_view file_name);
/// All extensions, for messages: ".graphml, .xml, ...".
std::string graph_extensions();

/// Format by the file's extension and, where that says nothing, by how the text starts; otherwise an edge list.
GraphFile parse_graph(const std::string& text, const std::string& file_name);

/// What messages call an agent: its name in quotes, without what a terminal would choke on, or its number.
std::string agent_label(const std::vector<std::string>& names, AgentId agent);

GraphFile parse_graphml(const std::string& text, const std::string& file_name);
std::string write_graphml(const GraphFile& graph);

/// DOT as Graphviz and networkx write it; subgraphs are flattened, edges to whole subgraphs refused.
GraphFile parse_dot(const std::string& text, const std::string& file_name);
/// ScenarioError for a name that DOT has no way to quote: an odd number of backslashes at its
/// end or before a quote.
std::string write_dot(const GraphFile& graph);

/// One edge a line: two agent numbers from 0, then `latency_ms=5` words or a Python dictionary, as networkx writes it;
/// '#' starts a comment. The number of agents is the largest number plus one.
GraphFile parse_edge_list(const std::string& text, const std::string& file_name);
/// Names are kept as comments only.
std::string write_edge_list(const GraphFile& graph);

/// A drawing that stands alone: cut vertices marked, numbers in the nodes of small graphs. Forces on a start by the
/// distances to a few agents: no chance in it. ScenarioError above `max_drawn_agents`.
std::string write_svg(const GraphFile& graph);
inline constexpr std::size_t max_drawn_agents = 5000;

}  // namespace sotto
