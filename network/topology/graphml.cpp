// SPDX-License-Identifier: MIT
// GraphML over expat. Boost's read_graphml is not used: it throws on networkx's integer weights and on undeclared
// attributes, recurses into nested elements and has no line numbers.
// Tests: tests/network/topology/graph_file_test.cpp
#include <expat.h>
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <limits>
#include <memory>

#include "network/topology/graph_assembly.h"

namespace sotto {

namespace {

constexpr std::string_view graphml_namespace = "http://graphml.graphdrawing.org/xmlns";
constexpr char namespace_separator = '|';
constexpr std::size_t deepest_element = 64;

/// An attribute that the file declares.
struct DeclaredKey {
  const LinkAttribute* attribute = nullptr;  // nullptr: not of an edge, or none of ours
  LinkAttributes standard;                   // the declared default
  bool has_default = false;
};

enum class Element { other, graphml, key, standard, graph, node, edge, data, refused };

Element element_called(std::string_view name) {
  if (name == "graphml") return Element::graphml;
  if (name == "key") return Element::key;
  if (name == "default") return Element::standard;
  if (name == "graph") return Element::graph;
  if (name == "node") return Element::node;
  if (name == "edge") return Element::edge;
  if (name == "data") return Element::data;
  if (name == "hyperedge" || name == "port") return Element::refused;
  return Element::other;
}

class GraphmlReader {
 public:
  explicit GraphmlReader(const std::string& file_name)
      : file_name_(file_name), parser_(XML_ParserCreateNS(nullptr, namespace_separator)) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  GraphFile read(const std::string& text) {
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw ScenarioError({file_name_, 0, 0}, "", "is too large");
    // in one piece: expat scans an unfinished token again with every piece
    const auto status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_OK) {
      const XML_Error error = XML_GetErrorCode(parser_.get());
      if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      refuse(fmt::format("is not well-formed XML: {}", XML_ErrorString(error)));
    }
    if (!has_graph_) throw ScenarioError({file_name_, 1, 1}, "", "no graph in this file");
    return finish();
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  // expat is C: an exception waits here until it has returned.
  template <class Action>
  void guarded(Action action) {
    if (failure_) return;
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  /// Directly inside a <data> or <default> of ours, not in some element within it.
  bool at_value() const {
    return wants_text_ && (open_.back() == Element::data || open_.back() == Element::standard);
  }
  static GraphmlReader& self(void* user) { return *static_cast<GraphmlReader*>(user); }
  static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    self(user).guarded([&] { self(user).start(name, attributes); });
  }
  static void XMLCALL on_end(void* user, const XML_Char*) {
    self(user).guarded([&] { self(user).end(); });
  }
  static void XMLCALL on_text(void* user, const XML_Char* text, int size) {
    self(user).guarded([&] {
      if (self(user).at_value()) self(user).text_.append(text, static_cast<std::size_t>(size));
    });
  }
  static void XMLCALL on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    self(user).guarded([&] { self(user).refuse("a document type (and with it, entities) is not allowed"); });
  }

  SourcePlace here() const {
    return {file_name_, static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
  }
  [[noreturn]] void refuse(const std::string& problem) const { throw ScenarioError(here(), "", problem); }

  static const char* find(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2)
      if (name == attributes[0]) return attributes[1];
    return nullptr;
  }
  std::string required(const XML_Char** attributes, const char* name, const char* element) const {
    const char* value = find(attributes, name);
    if (value == nullptr) refuse(fmt::format("<{}> needs {}=\"...\"", element, name));
    return value;
  }

  /// Elements of other namespaces are somebody's drawing instructions.
  static Element kind_of(std::string_view name) {
    const std::size_t bar = name.rfind(namespace_separator);
    if (bar == std::string_view::npos) return element_called(name);
    if (!name.starts_with(graphml_namespace)) return Element::other;
    return element_called(name.substr(bar + 1));
  }

  void start(const XML_Char* name, const XML_Char** attributes) {
    if (open_.size() >= deepest_element)
      refuse(fmt::format("elements are nested more than {} deep", deepest_element));
    const Element parent = open_.empty() ? Element::other : open_.back();
    const Element element = kind_of(name);
    if (open_.empty() && element != Element::graphml) refuse("the outermost element must be <graphml>");
    open_.push_back(Element::other);  // what a parent of no interest holds is of no interest
    switch (element) {
      case Element::graphml:
        if (open_.size() == 1) open_.back() = element;
        break;
      case Element::key:
        if (parent == Element::graphml) start_key(attributes);
        break;
      case Element::standard:
        if (parent == Element::key) start_default();
        break;
      case Element::graph:
        start_graph(parent, attributes);
        break;
      case Element::node:
        if (parent == Element::graph) start_node(attributes);
        break;
      case Element::edge:
        if (parent == Element::graph) start_edge(attributes);
        break;
      case Element::data:
        if (parent == Element::edge) start_data(attributes);
        break;
      case Element::refused:
        if (parent == Element::graph || parent == Element::node)
          refuse("hyperedges and ports have no meaning for agents");
        break;
      case Element::other:
        break;
    }
  }

  void end() {
    const Element element = open_.back();
    open_.pop_back();
    if (element == Element::standard || element == Element::data) {
      wants_text_ = false;
      if (value_key_ != nullptr && value_key_->attribute != nullptr)
        element == Element::standard ? end_default() : end_data();
    }
  }

  void start_key(const XML_Char** attributes) {
    open_.back() = Element::key;
    const char* whose = find(attributes, "for");
    const char* name = find(attributes, "attr.name");
    const bool of_edges =
        whose == nullptr || std::strcmp(whose, "edge") == 0 || std::strcmp(whose, "all") == 0;
    const std::string id = required(attributes, "id", "key");
    const auto [at, is_new] = keys_.emplace(id, DeclaredKey{});
    if (!is_new) refuse(fmt::format("key {} is declared twice", agent_label({id}, 0)));
    if (of_edges && name != nullptr) at->second.attribute = find_link_attribute(name);
    value_key_ = &at->second;
  }

  void start_default() {
    open_.back() = Element::standard;
    expect_text();
  }
  void end_default() {
    if (value_key_->has_default) throw ScenarioError(value_place_, "", "a second default");
    value_key_->attribute->read(text_, value_place_, value_key_->standard);
    value_key_->has_default = true;
  }

  void start_graph(Element parent, const XML_Char** attributes) {
    if (parent == Element::node || parent == Element::edge || parent == Element::graph)
      refuse("a graph within a graph has no meaning for agents");
    if (parent != Element::graphml) return;
    if (has_graph_) refuse("a second graph: one file, one graph");
    has_graph_ = true;
    open_.back() = Element::graph;
    const std::string direction = required(attributes, "edgedefault", "graph");
    if (direction == "directed") refuse("the graph is directed; links here have no direction");
    if (direction != "undirected") refuse("edgedefault must be \"undirected\"");
  }

  void start_node(const XML_Char** attributes) {
    open_.back() = Element::node;
    const std::string id = required(attributes, "id", "node");
    const AgentId number = nodes_.number(id, here());
    if (number < declared_.size() && declared_[number])
      refuse(fmt::format("node {} is there twice", agent_label({id}, 0)));
    declared_.resize(nodes_.size());
    declared_[number] = true;
  }

  void start_edge(const XML_Char** attributes) {
    open_.back() = Element::edge;
    const char* directed = find(attributes, "directed");
    if (directed != nullptr && (std::strcmp(directed, "true") == 0 || std::strcmp(directed, "1") == 0))
      refuse("the edge is directed; links here have no direction");
    if (find(attributes, "sourceport") != nullptr || find(attributes, "targetport") != nullptr)
      refuse("hyperedges and ports have no meaning for agents");
    const SourcePlace place = here();
    const AgentId source = nodes_.number(required(attributes, "source", "edge"), place);
    const AgentId target = nodes_.number(required(attributes, "target", "edge"), place);
    edges_.push_back({source, target, place.line, place.column, {}});
  }

  void start_data(const XML_Char** attributes) {
    open_.back() = Element::data;
    const std::string id = required(attributes, "key", "data");
    const auto at = keys_.find(id);
    if (at == keys_.end()) refuse(fmt::format("key {} is not declared", agent_label({id}, 0)));
    value_key_ = &at->second;
    expect_text();
  }
  void end_data() {
    LinkAttributes& link = edges_.back().link;
    const LinkAttribute& attribute = *value_key_->attribute;
    if (link.*attribute.field)
      throw ScenarioError(value_place_, std::string(attribute.name), "is there twice");
    attribute.read(text_, value_place_, link);
  }

  void expect_text() {
    text_.clear();
    wants_text_ = value_key_->attribute != nullptr;
    value_place_ = here();
  }

  GraphFile finish() {
    declared_.resize(nodes_.size());
    std::vector<std::string> names = nodes_.take();
    if (names.empty()) throw ScenarioError({file_name_, 1, 1}, "", "no node in this file");
    for (const FileEdge& e : edges_)
      for (const AgentId end : {e.a, e.b})
        if (!declared_[end])
          throw ScenarioError({file_name_, e.line, e.column}, "",
                              fmt::format("there is no node {}", agent_label(names, end)));
    for (const auto& [_, key] : keys_)
      if (key.has_default)
        for (FileEdge& e : edges_)
          if (!(e.link.*key.attribute->field))
            e.link.*key.attribute->field = key.standard.*key.attribute->field;
    const std::size_t agents = names.size();
    return assemble_graph(agents, std::move(edges_), std::move(names), file_name_);
  }

  const std::string& file_name_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::exception_ptr failure_;
  std::vector<Element> open_;
  bool has_graph_ = false;
  std::map<std::string, DeclaredKey, std::less<>> keys_;
  NodeNames nodes_;
  std::vector<bool> declared_;  // by node: an edge may name it before its own element does
  std::vector<FileEdge> edges_;
  DeclaredKey* value_key_ = nullptr;  // of the <data> or <default> that is being read
  SourcePlace value_place_;
  bool wants_text_ = false;
  std::string text_;
};

}  // namespace

GraphFile parse_graphml(const std::string& text, const std::string& file_name) {
  return GraphmlReader(file_name).read(text);
}

std::string write_graphml(const GraphFile& graph) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  const auto said = [&](std::size_t edge, const LinkAttribute& attribute) {
    return graph.links.empty() ? std::nullopt : graph.links[edge].*attribute.field;
  };
  const std::vector<Edge> edges = graph.topology.edge_list();
  for (const LinkAttribute& attribute : link_attributes()) {
    bool present = false;
    for (std::size_t k = 0; k < edges.size() && !present; ++k) present = said(k, attribute).has_value();
    if (present)
      text += fmt::format("  <key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"double\"/>\n",
                          attribute.name);
  }
  text += "  <graph edgedefault=\"undirected\">\n";
  const auto id = [&](AgentId a) {
    return graph.names.empty() ? fmt::format("{}", a) : xml_escaped(graph.names[a]);
  };
  for (AgentId a = 0; a < graph.topology.agents(); ++a) text += fmt::format("    <node id=\"{}\"/>\n", id(a));
  for (std::size_t k = 0; k < edges.size(); ++k) {
    text += fmt::format("    <edge source=\"{}\" target=\"{}\"", id(edges[k].first), id(edges[k].second));
    std::string data;
    for (const LinkAttribute& attribute : link_attributes())
      if (const auto value = said(k, attribute))
        data += fmt::format("<data key=\"{}\">{}</data>", attribute.name, *value);
    text += data.empty() ? "/>\n" : ">" + data + "</edge>\n";
  }
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace sotto
