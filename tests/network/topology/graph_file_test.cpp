// SPDX-License-Identifier: MIT
#include "network/topology/graph_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "network/topology/generators.h"
#include "network/topology/graph_assembly.h"
#include "tests/support/repetitions.h"
#include "tests/support/topology_fuzz.h"

using namespace sotto;

namespace {

GraphFile drawn(std::size_t agents, double degree) {
  GeneratorOptions s;
  s.agents = agents;
  s.average_degree = degree;
  RandomStream random({1, 0, StreamName::everyone, "topology"});
  return {generate("random", s, random), {}, {}};
}

void fails(const std::string& text, const char* message, const char* file = "g.txt") {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(parse_graph(text, file), doctest::Contains(message), ScenarioError);
}

/// A GraphML file around its nodes and edges, which start on line 3.
std::string graphml(const std::string& inside, const std::string& keys = "") {
  return "<?xml version='1.0'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">" + keys +
         "<graph edgedefault=\"undirected\">\n" + inside + "</graph></graphml>";
}
void fails_graphml(const std::string& inside, const char* message, const std::string& keys = "") {
  fails(graphml(inside, keys), message, "g.graphml");
}
const std::string three_nodes = R"(<node id="0"/><node id="1"/><node id="2"/>)";
const std::string latency_key = R"(<key id="d0" for="edge" attr.name="latency_ms" attr.type="double"/>)";

void check_same(const GraphFile& a, const GraphFile& b) {
  CHECK(a.topology.agents() == b.topology.agents());
  CHECK(a.topology.edge_list() == b.topology.edge_list());
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t k = 0; k < a.links.size(); ++k)
    for (const LinkAttribute& attribute : link_attributes())
      CHECK(a.links[k].*attribute.field == b.links[k].*attribute.field);
}

}  // namespace

TEST_CASE("topology files: every format reads back what it writes, and so does a guess from the text") {
  GraphFile plain = drawn(12, 3);
  GraphFile rich = drawn(12, 3);
  rich.links.resize(rich.topology.edges());
  rich.links[0].latency_ms = 0.1;
  rich.links[3] = {1e-7, 123456.789, 0.99};
  rich.links[17].loss = 0;
  for (AgentId a = 0; a < 12; ++a) rich.names.push_back("<Zürich> & \"" + std::to_string(a) + "\" \\ ' -- #");
  const GraphFile single{Topology(1, {}), {}, {}};
  for (const GraphFormat& format : graph_formats()) {
    if (format.parse == nullptr) continue;
    CAPTURE(format.name);
    for (const GraphFile* graph : {&plain, &rich}) {
      const std::string text = format.write(*graph);
      for (const std::string_view extension : format.extensions) {
        const GraphFile again = parse_graph(text, fmt::format("a{}", extension));
        check_same(again, *graph);
        if (format.write != write_edge_list) CHECK(again.names == graph->names);
      }
      check_same(parse_graph(text, "a.unknown"), *graph);
      check_same(parse_graph(text, "A.TXT"), *graph);
    }
    if (format.write != write_edge_list) check_same(parse_graph(format.write(single), "one"), single);
  }
  fails("<svg/>", "g.svg: SVG is written, not read", "g.svg");
  CHECK(graph_extensions() == ".graphml, .xml, .dot, .gv, .txt, .edges, .edgelist, .svg");
}

TEST_CASE("topology files: numbers are agents whatever their order; other names are kept in theirs") {
  const auto numbered = parse_dot("graph { 2 -- 0; 1 -- 2 [loss=0.5]; 1 }", "g");
  CHECK(numbered.names.empty());
  CHECK(numbered.topology.edge_list() == std::vector<Edge>{{0, 2}, {1, 2}});
  CHECK(!numbered.links[0].loss);
  CHECK(numbered.links[1].loss == 0.5);
  for (const char* text :
       {"graph { 2 -- 3; 1 -- 2 }", "graph { 00 -- 1; 1 -- 2 }", "graph { 0 -- 1; 1 -- \"\" }",
        "graph { 0 -- -1; 0 -- 1 }", "graph { 0 -- 4294967298 -- 1 }"})
    CHECK(parse_dot(text, "g").names.size() == 3);
  const auto named =
      parse_graphml(graphml(R"(<node id="Rome"/><node id="7"/><edge source="7" target="Rome"/>)"), "g");
  CHECK(named.names == std::vector<std::string>{"Rome", "7"});
  CHECK(agent_label(named.names, 0) == "\"Rome\"");
  CHECK(agent_label({}, 5) == "5");
  CHECK(agent_label({std::string("a\x1b\xff")}, 0) == "\"a??\"");
  CHECK(agent_label({std::string(1000, 'x')}, 0).size() < 80);
}

TEST_CASE("edge lists: attributes as words and as networkx's dictionaries") {
  CHECK(parse_edge_list("# two\n 0\t1 # an edge\r\n\n1 2", "t").topology.agents() == 3);
  CHECK(parse_edge_list("0 1 {}\n1 2 {'weight': 3}\n0 2 color=red", "t").links.empty());
  const auto graph = parse_edge_list(
      "0 1 latency_ms=5 loss=0.01\n1 2 {'weight': 3, \"bandwidth_mbit\": 1e1, 'by': 'it\\'s, {x}'}\n", "t");
  CHECK(graph.links[0].latency_ms == 5);
  CHECK(graph.links[0].loss == 0.01);
  CHECK(!graph.links[0].bandwidth_mbit);
  CHECK(graph.links[1].bandwidth_mbit == 10);
}

TEST_CASE("edge lists: errors name file, line and column") {
  fails("", "g.txt:1:1: no edge");
  fails("0 1\n1 x\n", "g.txt:2:3: an edge is two agent numbers");
  fails("0 1\n1\n", "g.txt:2:2: an edge is two agent numbers");
  fails("0 -1\n", "g.txt:1:3:");
  fails("0 1 2\n", "g.txt:1:5: more than two");
  fails("0 1 3.5\n", "attributes are written as latency_ms=5");
  fails("0 1x=5\n", "g.txt:1:4: an edge is two agent numbers");
  fails("0 1\n1 1\n", "g.txt:2:1: agent 1 has an edge to itself");
  fails("0 1\n\n1 0\n", "g.txt:3:1: edge 1-0 was on line 1 already");
  fails("2 3\n0 1\n0 1\n3 2\n2 3", "g.txt:3:1: edge 0-1 was on line 2 already");
  fails("0 1\n2 3\n0 4\n1 4\n", "not connected: agents 2, 3 cannot be reached");
  fails("0 99999999\n", "not connected: 100000000 agents");  // and no huge allocation
  fails("0 4294967296\n", "g.txt:1:3:");
  fails("0 1 latency_ms=\n", "g.txt:1:5: latency_ms: must be a number from 0 to 10000000");
  fails("0 1\n1 2 {'loss': 1}", "g.txt:2:6: loss: must be a number from 0 to 0.99");
  fails("0 1 loss=0.1 loss=0.2", "g.txt:1:14: loss: is there twice");
  fails("0 1 {'loss': 0.1, 'loss': 0.1}", "is there twice");
  fails("0 1 {'a': [1]}", "must be a number or a text");
  fails("0 1 {'a': 1", "is missing");
  fails("0 1 {'a' 1}", "a ':' is missing");
  fails("0 1 {a: 1}", "must stand in quotes");
  fails("0 1 {'a: 1}", "the quote does not end");
  fails("0 1 {'a\\", "the quote does not end");
  fails("0 1 {} 5", "nothing may follow");
}

TEST_CASE("GraphML: what networkx and others write") {
  const std::string keys =
      R"(<key id="d2" for="edge" attr.name="latency_ms" attr.type="long"><default> 7 </default></key>)"
      R"(<key id="d1" for="node" attr.name="latency_ms" attr.type="string"/>)"
      R"(<key id="d0" for="edge" attr.name="weight" attr.type="boolean"/><key id="y" for="port" yfiles.type="x"/>)";
  const auto graph = parse_graphml(
      graphml(
          "<data key=\"d9\">of the graph</data><edge source=\"0\" target=\"2\"><data key=\"d0\">true</data>"
          "<y:edge xmlns:y=\"http://www.yworks.com/xml\"><y:graph/></y:edge></edge>" +
              three_nodes.substr(0, three_nodes.size() - 2) +
              "><data key=\"d1\">x</data></node><!-- c --><edge source=\"1\" target=\"0\" directed=\"false\">"
              "<data key=\"d2\"><![CDATA[2]]>5</data></edge>",
          keys),
      "g");
  CHECK(graph.names.empty());
  CHECK(graph.topology.edge_list() == std::vector<Edge>{{0, 1}, {0, 2}});
  CHECK(graph.links[0].latency_ms == 25);
  CHECK(graph.links[1].latency_ms == 7);  // the default
}

TEST_CASE("GraphML: errors name file, line and column") {
  fails("<graphml>", "g.graphml:1:10: is not well-formed XML", "g.graphml");
  fails("<graphml/>", "no graph in this file", "g.graphml");
  fails("<a/>", "g.graphml:1:1: the outermost element must be <graphml>", "g.graphml");
  fails("<graphml><graph edgedefault=\"directed\"/></graphml>", "g.graphml:1:10: the graph is directed",
        "g.graphml");
  fails("<graphml><graph/></graphml>", "<graph> needs edgedefault", "g.graphml");
  fails("<graphml><graph edgedefault=\"both\"/></graphml>", "must be \"undirected\"", "g.graphml");
  fails_graphml("", "no node in this file");
  fails_graphml("</graph><graph edgedefault=\"undirected\">", "g.graphml:3:9: a second graph");
  fails_graphml("<node id=\"0\"><graph edgedefault=\"undirected\"/></node>",
                "g.graphml:3:14: a graph within a graph");
  fails_graphml(three_nodes + "\n<hyperedge/>", "g.graphml:4:1: hyperedges and ports");
  fails_graphml("<node id=\"0\"><port name=\"p\"/></node>", "g.graphml:3:14: hyperedges and ports");
  fails_graphml(three_nodes + "<edge source=\"0\" target=\"1\" sourceport=\"p\"/>", "hyperedges and ports");
  fails_graphml(three_nodes + "\n <edge source=\"0\" target=\"5\"/>",
                "g.graphml:4:2: there is no node \"5\"");
  fails_graphml(three_nodes + "\n<edge source=\"0\" target=\"1\" directed=\"true\"/>",
                "g.graphml:4:1: the edge is directed");
  fails_graphml(three_nodes + "\n<edge source=\"0\"/>", "g.graphml:4:1: <edge> needs target");
  fails_graphml("<node/>", "<node> needs id");
  fails_graphml("<node id=\"a\"/>\n<node id=\"a\"/>", "g.graphml:4:1: node \"a\" is there twice");
  const std::string edge = "<edge source=\"0\" target=\"1\"/>\n";
  fails_graphml(three_nodes + "\n" + edge + "<edge source=\"1\" target=\"0\"/>",
                "g.graphml:5:1: edge 1-0 was on line 4 already");
  fails_graphml(three_nodes + "\n<edge source=\"1\" target=\"1\"/>",
                "g.graphml:4:1: agent 1 has an edge to itself");
  fails_graphml(three_nodes + edge, "g.graphml: the graph is not connected: agent 2 cannot be reached");
  fails_graphml("<node id=\"Ur\"/><node id=\"Rome\"/><node id=\"Oslo\"/>",
                "not connected: agents \"Rome\", \"Oslo\" cannot be reached from agent \"Ur\"");
  fails_graphml("<node id=\"a&#9;b\"/>", "must be UTF-8 text without control characters");
  const auto data = [&](const std::string& inside) {
    return three_nodes + "\n<edge source=\"0\" target=\"1\">" + inside + "</edge>";
  };
  fails_graphml(data("<data key=\"d7\">1</data>"), "g.graphml:4:29: key \"d7\" is not declared");
  fails_graphml(data("<data>1</data>"), "<data> needs key");
  for (const char* bad : {"-1", "x", "", "nan", "inf", "1e400", "5 5", "true", "1e8", "<a>5</a>"})
    fails_graphml(data("<data key=\"d0\">" + std::string(bad) + "</data>"),
                  "g.graphml:4:29: latency_ms: must be a number from 0 to 10000000", latency_key);
  fails_graphml(data("<data key=\"d0\">1</data><data key=\"d0\">1</data>"), "latency_ms: is there twice",
                latency_key);
  fails_graphml("", "key \"d0\" is declared twice", latency_key + latency_key);
  fails_graphml("", "<key> needs id", "<key/>");
  const std::string open_key = latency_key.substr(0, latency_key.size() - 2);
  fails_graphml("", "must be a number", open_key + "><default>x</default></key>");
  fails_graphml("", "a second default", open_key + "><default>1</default><default>1</default></key>");
}

TEST_CASE("GraphML: neither entities nor deep nestings") {
  std::string bomb = "<?xml version='1.0'?>\n<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'n'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " \"";
    for (int k = 0; k < 10; ++k) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "\">";
  }
  fails(bomb + "]><graphml>&m;</graphml>", "g.xml:2:13: a document type", "g.xml");
  fails("<!DOCTYPE g SYSTEM \"/etc/passwd\"><graphml/>", "a document type", "g.xml");
  std::string deep = "<graphml>";
  for (int k = 0; k < 1'000'000; ++k) deep += "<a>";
  fails(deep, "nested more than 64 deep", "g.xml");
}

TEST_CASE("DOT: what Graphviz and networkx write") {
  const auto graph = parse_dot(
      "\xef\xbb\xbf/* by hand */ STRICT Graph \"my graph\" {\n# 1 \"x.c\"\n graph [bb=\"0,0,1,1\"]; node "
      "[label=\"\\N\"];\n"
      "edge [latency_ms=5];\n \"a\":n:s -- b -- c [bandwidth_mbit=\"2.5\", weight=3; dir=none][color=red]; "
      "// x\n"
      "subgraph cluster_1 { edge [latency_ms=\"\", loss=.5] c -- d; { rank = same; d; } }\n"
      "label=<a <b>c</b>>; \"d\" -- \"e\\\n2\" + \"\\\"\\n\\\\\" [bold]\n}\n",
      "g");
  CHECK(graph.names == std::vector<std::string>{"a", "b", "c", "d", "e2\"\\n\\\\"});
  CHECK(graph.topology.edge_list() == std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(graph.links[0].latency_ms == 5);
  CHECK(graph.links[0].bandwidth_mbit == 2.5);
  CHECK(graph.links[1].bandwidth_mbit == 2.5);
  CHECK(!graph.links[2].latency_ms);
  CHECK(graph.links[2].loss == 0.5);
  CHECK(graph.links[3].latency_ms == 5);  // the subgraph's defaults ended with it
  CHECK(!graph.links[3].loss);
  for (const char* name : {"a\\", "a\\\\\\\"b"})
    CHECK_THROWS_WITH_AS(write_dot({Topology(1, {}), {name}, {}}),
                         doctest::Contains("DOT: cannot hold the name"), ScenarioError);
  const GraphFile slashes{Topology(1, {}), {"\\a\\\\\"\\\\"}, {}};
  CHECK(parse_dot(write_dot(slashes), "g").names == slashes.names);
}

TEST_CASE("DOT: errors name file, line and column") {
  const auto fails_dot = [](const std::string& text, const char* message) { fails(text, message, "g.dot"); };
  fails_dot("digraph { a -> b }", "g.dot:1:1: the graph is directed");
  fails_dot("graph {\n a -> b }", "g.dot:2:4: the edge is directed");
  fails_dot("graph { {a} -> b }", "the edge is directed");
  fails_dot("a -- b", "g.dot:1:1: a DOT file starts with 'graph'");
  fails_dot("graph x y", "a '{' is missing");
  fails_dot("graph {", "g.dot:1:8: the graph's '}' is missing");
  fails_dot("graph {}", "no node in this file");
  fails_dot("graph { a } graph { b }", "g.dot:1:13: nothing may follow the graph");
  fails_dot("graph { a -- }", "a node is missing after '--'");
  fails_dot("graph { a -- {b c} }", "g.dot:1:14: an edge to a whole subgraph");
  fails_dot("graph { {b c} -- a }", "g.dot:1:15: an edge to a whole subgraph");
  fails_dot("graph { a -- b;\nb -- a }", "g.dot:2:1: edge \"b\"-\"a\" was on line 1 already");
  fails_dot("graph { a -- b -- b }", "g.dot:1:14: agent \"b\" has an edge to itself");
  fails_dot("graph { a -- b; c; d }",
            "g.dot: the graph is not connected: agents \"c\", \"d\" cannot be reached");
  fails_dot("graph { a -- b [latency_ms=x] }", "g.dot:1:17: latency_ms: must be a number from 0");
  fails_dot("graph { a -- b [bandwidth_mbit=0] }",
            "bandwidth_mbit: must be a number above 0 and up to 1000000000");
  fails_dot("graph { edge [loss=1] }", "g.dot:1:15: loss: must be a number from 0 to 0.99");
  fails_dot("graph { a -- b [loss] }", "loss: must be");
  fails_dot("graph { a -- b [=] }", "an attribute's name or a ']'");
  fails_dot("graph { a -- b [c=] }", "a value is missing");
  fails_dot("graph { a = }", "a value is missing");
  fails_dot("graph { a: }", "a port is missing");
  fails_dot("graph { \"a", "g.dot:1:9: this quote does not end");
  fails_dot("graph { \"a\\", "this quote does not end");
  fails_dot("graph { \"a\\\"", "this quote does not end");
  fails_dot("graph { \"a\" + b", "a '+' joins two quoted texts");
  fails_dot("graph { <a<b> }", "g.dot:1:9: this '<' has no '>'");
  fails_dot("graph { \n/* ", "g.dot:2:1: this comment does not end");
  fails_dot("graph { 1a }", "g.dot:1:9: this is neither a number nor a name");
  fails_dot("graph { 1.2.3 }", "neither a number nor a name");
  fails_dot("graph { - }", "g.dot:1:9: this character has no meaning");
  fails_dot("graph { \"\xff\" }", "must be UTF-8 text without control characters");
  fails_dot("graph { \"\xed\xa0\x80\" }", "must be UTF-8");
  fails_dot("graph { \"\xc0\x80\" }", "must be UTF-8");
  std::string deep = "graph ";
  for (int k = 0; k < 1'000'000; ++k) deep += "{";
  fails_dot(deep, "nested more than 64 deep");
}

TEST_CASE("SVG: escaped names, cut vertices marked, numbers in small graphs, the same drawing every time") {
  GraphFile graph{Topology(3, {{0, 1}, {1, 2}}), {"<a>", "b & c", "\"d\""}, {}};
  const std::string svg = write_svg(graph);
  CHECK(svg == write_svg(graph));
  CHECK(svg.find("<title>&lt;a&gt;</title>") != std::string::npos);
  CHECK(svg.find("<title>b &amp; c, a cut vertex</title>") != std::string::npos);
  CHECK(svg.find("viewBox=\"0 0 1000 1000\"") != std::string::npos);
  CHECK(svg.find("<desc>") != std::string::npos);
  CHECK(svg.find(">2</text>") != std::string::npos);
  CHECK(svg.find("\"nan") == std::string::npos);
  const std::string large = write_svg(drawn(200, 4));
  CHECK(large.find("</text>") == std::string::npos);
  CHECK(large.find("\"nan") == std::string::npos);
  CHECK(write_svg({Topology(1, {}), {}, {}}).find("\"nan") == std::string::npos);
  CHECK(write_svg({Topology(2, {{0, 1}}), {}, {}}).find("\"nan") == std::string::npos);
  CHECK_THROWS_WITH_AS(write_svg(drawn(max_drawn_agents + 1, 3)), doctest::Contains("more than 5000 agents"),
                       ScenarioError);
}

TEST_CASE("topology files: 2,000 broken ones per format: a graph or a ScenarioError, nothing else") {
  for (const testing::FuzzedFormat& format : testing::fuzzed_formats()) {
    CAPTURE(format.name);
    testing::fuzz(format, testing::repetitions<std::size_t>(2000, 400));
  }
}
