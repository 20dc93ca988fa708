// SPDX-License-Identifier: MIT
// Broken topology files: what the quick and the long test have in common.
#pragma once

#include <doctest/doctest.h>

#include "base/error.h"
#include "network/topology/graph_file.h"
#include "tests/support/mutate.h"

namespace sotto::testing {

struct FuzzedFormat {
  const char* name;
  GraphFile (*parse)(const std::string& text, const std::string& file_name);
  std::vector<std::string> seeds;
  std::vector<std::string_view> tokens;
};

inline std::vector<FuzzedFormat> fuzzed_formats() {
  return {
      {"GraphML",
       parse_graphml,
       {R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d1" for="edge" attr.name="weight" attr.type="long"/>
<key id="d0" for="edge" attr.name="latency_ms" attr.type="double"><default>7</default></key>
<graph edgedefault="undirected"><node id="0"/><node id="1"><data key="d1">5</data></node><node id="2"/>
<edge source="0" target="1"><data key="d0">5.5</data><data key="d1">3</data></edge><edge source="1" target="2"/>
</graph></graphml>)",
        R"(<graphml><key id="a" for="all" attr.name="loss" attr.type="float"/><graph id="G" edgedefault="undirected">
<node id="&amp;Wien"/><edge source="&amp;Wien" target="Z&#252;rich"><data key="a">0.25</data></edge><node id="Zürich"/>
</graph></graphml>)"},
       {"<graph>",
        "</graph>",
        "<graph edgedefault=\"directed\">",
        "<node id=\"9\"/>",
        "<edge source=\"0\" target=\"2\"/>",
        "<hyperedge/>",
        "<!DOCTYPE x [<!ENTITY a \"b\">]>",
        "&a;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<a>",
        "<data key=\"d0\">",
        "<?x?>",
        "&#0;",
        "xmlns:y=\"z\"",
        "</edge>",
        "<default>",
        "<port/>"}},
      {"DOT",
       parse_dot,
       {R"(strict graph "a b" { // comment
  graph [name="x"]; node [shape=box]
  edge [latency_ms=5, loss="0.1"];
  0 -- 1 -- 2 [weight=3, bandwidth_mbit=2.5];
  /* more */ subgraph cluster_x { edge [loss=""]; 3; 2 -- 3 }
  3:n -- 0 [label=<<b>x</b>>]; rank = same
})",
        "graph{\"Z\xc3\xbcrich\" -- \"a\\\"b\" [latency_ms=1]\n# line\n\"a\\\"b\" -- c -- "
        "d[color=red];\"c\"+\"c\" -- d}"},
       {"graph", "digraph", "strict", "subgraph", "{",        "}", "[",  "]",  "--", "->",
        "\"",    "<",       ">",      "=",        ";",        ",", "/*", "*/", "//", "edge [loss=0.5]",
        "node",  "\\\"",    "+",      ":",        "{a -- b}", "-", "."}},
      {"edge list",
       parse_edge_list,
       {"# 4 agents\n0 1\n1 2 latency_ms=5 loss=0.25\n2 3 {'weight': 3, 'bandwidth_mbit': 2.5, 'name': "
        "'x'}\n3 0 {}\n",
        "0 1 {\"latency_ms\": 1e-3}\r\n\t0 2 color=red\n1 2"},
       {"latency_ms=", "loss=1", "{", "}", "'", "\"", ":", ",", "{'a': {", " ", "0 1\n", "#", "\\",
        "99999999", "[", "=", "'loss': 2"}},
  };
}

/// What is no graph is refused, with the file's name in front; what is taken is written and read again to the same.
/// Any other exception, and any crash, is the test's failure.
inline void fuzz(const FuzzedFormat& format, std::size_t inputs) {
  RandomStream random({7, 0, 0, format.name});
  std::size_t taken = 0;
  for (std::size_t k = 0; k < inputs; ++k) {
    const std::string& seed = format.seeds[random.below(format.seeds.size())];
    const std::string text = mutate(seed, random, format.tokens, format.seeds);
    try {
      const GraphFile graph = format.parse(text, "f");
      ++taken;
      if (taken % 16 != 0) continue;
      const GraphFile again = parse_graphml(write_graphml(graph), "again");
      REQUIRE(again.topology.edge_list() == graph.topology.edge_list());
      REQUIRE(again.names == graph.names);
    } catch (const ScenarioError& e) {
      if (!std::string_view(e.what()).starts_with("f:")) FAIL(e.what() << " for\n" << text);
    }
  }
  CHECK(taken > inputs / 100);
  CHECK(taken < inputs);
}

}  // namespace sotto::testing
