// Edge-list files: one edge a line, two agent numbers from 0; '#' starts a comment. The number of agents is
// the largest number plus one.
#pragma once

#include <string>

#include "network/topology.h"

namespace sotto {

/// ScenarioError names the file and the line. Bytes after the two numbers are refused, not ignored.
Topology parse_edge_list(const std::string& text, const std::string& file_name);
std::string write_edge_list(const Topology& topology);

}  // namespace sotto
