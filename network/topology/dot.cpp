// SPDX-License-Identifier: MIT
// The part of the DOT language that describes graphs: https://graphviz.org/doc/info/lang.html
// Tests: tests/network/topology/graph_file_test.cpp
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "network/topology/graph_assembly.h"

namespace sotto {

namespace {

constexpr std::size_t deepest_subgraph = 64;

struct Token {
  enum Kind { end, id, quoted, punctuation } kind = end;
  std::string text;  // of a quoted id: without its quotes; edge operators are punctuation
  std::uint32_t line = 1, column = 1;

  bool is(std::string_view what) const { return kind == punctuation && text == what; }
  /// Keywords are written in any case, and never in quotes.
  bool is_word(std::string_view word) const {
    return kind == id && std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == b;
           });
  }
  bool is_name() const { return kind == id || kind == quoted; }
};

class DotLexer {
 public:
  DotLexer(const std::string& text, const std::string& file_name) : text_(text), file_name_(file_name) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_start_ = 3;
  }

  Token next() {
    skip_blanks();
    Token token;
    token.line = line_;
    token.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '"') {
      token.kind = Token::quoted;
      token.text = quoted();
    } else if (c == '<') {
      token.kind = Token::quoted;
      token.text = html();
    } else if (is_letter(c) || is_digit(c) || c == '.' ||
               (c == '-' && at_ + 1 < text_.size() && is_numeric(text_[at_ + 1]))) {
      token.kind = Token::id;
      token.text = word();
    } else {
      token.kind = Token::punctuation;
      const std::string_view two = text_.substr(at_, 2);
      token.text = two == "--" || two == "->" ? two : two.substr(0, 1);
      at_ += token.text.size();
      if (std::string_view("{}[]=;,:").find(c) == std::string_view::npos && token.text.size() == 1)
        throw ScenarioError({file_name_, token.line, token.column}, "",
                            "this character has no meaning in DOT");
    }
    return token;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_numeric(char c) { return is_digit(c) || c == '.'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (static_cast<unsigned char>(c) >= 0x80);
  }

  [[noreturn]] void refuse(std::uint32_t line, std::size_t column, const std::string& problem) const {
    throw ScenarioError({file_name_, line, static_cast<std::uint32_t>(column)}, "", problem);
  }
  void step() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_start_ = at_;
  }
  bool ahead(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) {
        step();
      } else if (ahead("//") || ahead("#")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (ahead("/*")) {
        const auto line = line_;
        const auto column = at_ - line_start_ + 1;
        for (at_ += 2; at_ < text_.size() && !ahead("*/");) step();
        if (at_ == text_.size()) refuse(line, column, "this comment does not end");
        at_ += 2;
      } else {
        break;
      }
    }
  }

  /// A letter and what follows it, or a number.
  std::string word() {
    const std::size_t start = at_;
    const bool number = !is_letter(text_[at_]);
    if (text_[at_] == '-') ++at_;
    while (at_ < text_.size() &&
           (number ? is_numeric(text_[at_]) : is_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    const std::string_view found = text_.substr(start, at_ - start);
    const bool digits = std::any_of(found.begin(), found.end(), is_digit);
    const auto dots = std::count(found.begin(), found.end(), '.');
    if (number && (!digits || dots > 1 || (at_ < text_.size() && is_letter(text_[at_]))))
      refuse(line_, start - line_start_ + 1, "this is neither a number nor a name: put it in quotes");
    return std::string(found);
  }

  /// \" is a quote, a backslash at the end of a line joins the lines; any other backslash stands for itself. "a" + "b"
  /// is one text.
  std::string quoted() {
    std::string value;
    for (;;) {
      const auto line = line_;
      const auto column = at_ - line_start_ + 1;
      for (++at_; at_ < text_.size() && text_[at_] != '"'; step()) {
        if (ahead("\\\n")) {
          ++at_;
          continue;
        }
        if (ahead("\\\"") || ahead("\\\\")) {
          if (text_[at_ + 1] == '\\') value += '\\';
          ++at_;
        }
        value += text_[at_];
      }
      if (at_ == text_.size()) refuse(line, column, "this quote does not end");
      ++at_;
      skip_blanks();
      if (!ahead("+")) return value;
      ++at_;
      skip_blanks();
      if (!ahead("\"")) refuse(line_, at_ - line_start_ + 1, "a '+' joins two quoted texts");
    }
  }

  /// <...> with the brackets, which it may hold in pairs.
  std::string html() {
    const auto line = line_;
    const std::size_t start = at_;
    const auto column = at_ - line_start_ + 1;
    std::size_t depth = 0;
    do {
      if (at_ == text_.size()) refuse(line, column, "this '<' has no '>'");
      if (text_[at_] == '<') ++depth;
      if (text_[at_] == '>') --depth;
      step();
    } while (depth > 0);
    return std::string(text_.substr(start, at_ - start));
  }

  std::string_view text_;
  const std::string& file_name_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

class DotReader {
 public:
  DotReader(const std::string& text, const std::string& file_name)
      : lexer_(text, file_name), file_name_(file_name) {
    advance();
  }

  GraphFile read() {
    if (token_.is_word("strict")) advance();
    if (token_.is_word("digraph")) refuse("the graph is directed; links here have no direction");
    if (!token_.is_word("graph")) refuse("a DOT file starts with 'graph' or 'strict graph'");
    advance();
    if (token_.is_name()) advance();
    expect("{");
    defaults_.emplace_back();
    while (!defaults_.empty()) statement();
    if (token_.kind != Token::end) refuse("nothing may follow the graph: one file, one graph");
    std::vector<std::string> names = nodes_.take();
    if (names.empty()) throw ScenarioError({file_name_, 1, 1}, "", "no node in this file");
    const std::size_t agents = names.size();
    return assemble_graph(agents, std::move(edges_), std::move(names), file_name_);
  }

 private:
  void advance() { token_ = lexer_.next(); }
  SourcePlace here() const { return {file_name_, token_.line, token_.column}; }
  [[noreturn]] void refuse(const std::string& problem) const { throw ScenarioError(here(), "", problem); }
  void expect(const char* what) {
    if (!token_.is(what)) refuse(fmt::format("a '{}' is missing here", what));
    advance();
  }

  /// The graph and its subgraphs are one flat list of statements; a brace opens or closes a level of defaults.
  void statement() {
    if (token_.is(";") || token_.is(",")) {
      advance();
    } else if (token_.is("}")) {
      defaults_.pop_back();
      advance();
      refuse_edge_of_subgraph();
    } else if (token_.is("{") || token_.is_word("subgraph")) {
      open_subgraph();
    } else if (token_.is_word("graph") || token_.is_word("node")) {
      advance();
      attributes(nullptr);
    } else if (token_.is_word("edge")) {
      advance();
      attributes(&defaults_.back());
    } else if (token_.is_name()) {
      node_or_edges();
    } else {
      refuse(token_.kind == Token::end ? "the graph's '}' is missing"
                                       : "a node, an edge or a '}' is missing here");
    }
  }

  void open_subgraph() {
    if (token_.is_word("subgraph")) {
      advance();
      if (token_.is_name()) advance();
    }
    if (defaults_.size() >= deepest_subgraph)
      refuse(fmt::format("subgraphs are nested more than {} deep", deepest_subgraph));
    expect("{");
    defaults_.push_back(defaults_.back());
  }

  void refuse_directed() const {
    if (token_.is("->")) refuse("the edge is directed; links here have no direction");
  }
  void refuse_edge_of_subgraph() const {
    refuse_directed();
    if (token_.is("--")) refuse("an edge to a whole subgraph is not supported: write its edges one by one");
  }

  void node_or_edges() {
    Token start = token_;
    advance();
    if (token_.is("=")) {  // an attribute of the graph
      advance();
      if (!token_.is_name()) refuse("a value is missing after '='");
      advance();
      return;
    }
    AgentId from = node(start);
    const std::size_t first = edges_.size();
    for (refuse_directed(); token_.is("--"); refuse_directed()) {
      advance();
      if (token_.is("{") || token_.is_word("subgraph"))
        refuse("an edge to a whole subgraph is not supported: write its edges one by one");
      if (!token_.is_name()) refuse("a node is missing after '--'");
      const Token end = token_;
      advance();
      const AgentId to = node(end);
      edges_.push_back({from, to, start.line, start.column, defaults_.back()});
      from = to;
      start = end;
    }
    if (edges_.size() == first) return attributes(nullptr);
    LinkAttributes link = edges_.back().link;
    attributes(&link);
    for (std::size_t k = first; k < edges_.size(); ++k) edges_[k].link = link;
  }

  /// The node of that name; where on its border an edge ends (a:port:nw) is a matter of drawing.
  AgentId node(const Token& name) {
    const AgentId number = nodes_.number(name.text, {file_name_, name.line, name.column});
    for (int k = 0; k < 2 && token_.is(":"); ++k) {
      advance();
      if (!token_.is_name()) refuse("a port is missing after ':'");
      advance();
    }
    return number;
  }

  /// [a=1, b="2"; c] any number of times; nullptr: nobody wants to know.
  void attributes(LinkAttributes* link) {
    while (token_.is("[")) {
      advance();
      while (!token_.is("]")) {
        if (!token_.is_name()) refuse("an attribute's name or a ']' is missing here");
        const SourcePlace place = here();
        const std::string name = token_.text;
        std::string value = "true";
        advance();
        if (token_.is("=")) {
          advance();
          if (!token_.is_name()) refuse("a value is missing after '='");
          value = token_.text;
          advance();
        }
        if (link != nullptr) set(name, value, place, *link);
        if (token_.is(",") || token_.is(";")) advance();
      }
      advance();
    }
  }

  /// As in Graphviz, the last value holds and an empty one is none.
  static void set(const std::string& name, const std::string& value, const SourcePlace& place,
                  LinkAttributes& link) {
    const LinkAttribute* attribute = find_link_attribute(name);
    if (attribute == nullptr) return;
    if (value.empty())
      (link.*attribute->field).reset();
    else
      attribute->read(value, place, link);
  }

  DotLexer lexer_;
  const std::string& file_name_;
  Token token_;
  NodeNames nodes_;
  std::vector<FileEdge> edges_;
  std::vector<LinkAttributes> defaults_;  // of edges, by open brace
};

std::string dot_id(const GraphFile& graph, AgentId agent) {
  if (graph.names.empty()) return fmt::format("{}", agent);
  const std::string& name = graph.names[agent];
  std::string id = "\"";
  bool odd = false;              // number of backslashes before this place
  const auto refuse_odd = [&] {  // in DOT it would take the quote with it
    if (odd)
      throw ScenarioError(
          {"DOT", 0, 0}, "",
          fmt::format("cannot hold the name {}: write GraphML instead", agent_label(graph.names, agent)));
  };
  for (const char c : name) {
    if (c == '"') {
      refuse_odd();
      id += '\\';
    }
    id += c;
    odd = c == '\\' && !odd;
  }
  refuse_odd();
  return id + '"';
}

}  // namespace

GraphFile parse_dot(const std::string& text, const std::string& file_name) {
  return DotReader(text, file_name).read();
}

std::string write_dot(const GraphFile& graph) {
  std::string text = "graph {\n";
  for (AgentId a = 0; a < graph.topology.agents(); ++a) text += fmt::format("  {};\n", dot_id(graph, a));
  const std::vector<Edge> edges = graph.topology.edge_list();
  for (std::size_t k = 0; k < edges.size(); ++k) {
    std::string list;
    for (const LinkAttribute& attribute : link_attributes())
      if (!graph.links.empty() && graph.links[k].*attribute.field)
        list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ", ", attribute.name,
                            *(graph.links[k].*attribute.field));
    text += fmt::format("  {} -- {}", dot_id(graph, edges[k].first), dot_id(graph, edges[k].second));
    text += list.empty() ? ";\n" : " [" + list + "];\n";
  }
  return text + "}\n";
}

}  // namespace sotto
