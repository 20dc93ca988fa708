// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/scenario_options.h"
#include "network/topology/analysis.h"
#include "network/topology/graph_assembly.h"
#include "network/topology/graph_file.h"

namespace sotto {

namespace {

struct TopoOptions {
  ScenarioOptions scenario;
  std::int64_t trial = 0;
  std::string write;

  /// A scenario's graph, or that of a topology file: its extension tells.
  GraphFile read() const {
    if (find_graph_format(scenario.path) != nullptr) {
      if (!scenario.sets.empty() || scenario.seed || scenario.trials || trial != 0)
        throw ScenarioError({scenario.path, 0, 0}, "", "is a topology file: there is nothing to set or draw");
      return parse_graph(read_input(scenario.path, {scenario.path, 0, 0}, ""), scenario.path);
    }
    const Experiment experiment = scenario.read();
    return {experiment.topology(static_cast<std::uint64_t>(trial)), experiment.agent_names,
            experiment.link_attributes};
  }
};

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr)
    throw ScenarioError({path, 0, 0}, "", "cannot be written: it exists already, or its folder does not");
  const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !good) {
    std::remove(path.c_str());
    throw RunError("cannot write " + path);
  }
}

/// The first few of a list, and how many more there are.
template <class Items, class Label>
std::string first_few(const Items& items, Label label) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += (k > 0 ? ", " : "") + label(items[k]);
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

std::string attributes_text(const LinkAttributes& link) {
  std::string text;
  for (const LinkAttribute& attribute : link_attributes())
    if (const auto& value = link.*attribute.field) text += fmt::format(" {}={}", attribute.name, *value);
  return text;
}

void print_links(const GraphFile& graph) {
  const std::vector<Edge> edges = graph.topology.edge_list();
  std::vector<std::size_t> own;
  for (std::size_t k = 0; k < graph.links.size(); ++k)
    if (!attributes_text(graph.links[k]).empty()) own.push_back(k);
  if (own.empty()) {
    fmt::print("own links              none\n");
    return;
  }
  fmt::print("own links              {} of {} edges: {}\n", own.size(), edges.size(),
             first_few(own, [&](std::size_t k) {
               return fmt::format("{}-{}{}", agent_label(graph.names, edges[k].first),
                                  agent_label(graph.names, edges[k].second), attributes_text(graph.links[k]));
             }));
}

template <class Figure>
std::string figure_text(const std::optional<Figure>& figure) {
  return figure ? fmt::format("{}", *figure) : "not computed: the graph is too large";
}

void print_graph(const GraphFile& graph) {
  const Topology& topology = graph.topology;
  std::size_t least = topology.agents();
  std::size_t most = 0;
  for (AgentId a = 0; a < topology.agents(); ++a) {
    least = std::min(least, topology.degree(a));
    most = std::max(most, topology.degree(a));
  }
  fmt::print("agents                 {}\nedges                  {}\n", topology.agents(), topology.edges());
  fmt::print("degree                 {} to {}, {:.3g} on average\n", least, most,
             static_cast<double>(topology.links()) / static_cast<double>(topology.agents()));
  fmt::print("diameter               {}\n", figure_text(exact_diameter(topology)));
  const std::vector<AgentId> cuts = cut_vertices(topology);
  fmt::print("vertex connectivity    {}\n", figure_text(vertex_connectivity(topology, cuts)));
  fmt::print("cut vertices           {}{}{}\n", cuts.size(), cuts.empty() ? "" : ": ",
             first_few(cuts, [&](AgentId a) { return agent_label(graph.names, a); }));
  const auto algebraic = algebraic_connectivity(topology);
  fmt::print("algebraic connectivity {}\n",
             algebraic ? fmt::format("{:.6g}", *algebraic) : figure_text(algebraic));
  print_links(graph);
}

int topo(const TopoOptions& options) {
  const GraphFormat* format = find_graph_format(options.write);
  if (!options.write.empty() && format == nullptr)
    throw ScenarioError({"--write " + options.write, 0, 0}, "", "must end in one of " + graph_extensions());
  const GraphFile graph = options.read();
  if (format != nullptr) write_file(options.write, format->write(graph));
  print_graph(graph);
  return done;
}

void add_topo(const CommandLine& program) {
  auto options = std::make_shared<TopoOptions>();
  const CommandLine command =
      program.add_command("topo", "describe the graph of a scenario, or a topology file");
  options->scenario.add_to(command);
  command.add_option("--trial", &options->trial, "whose graph: each trial draws its own",
                     {.limits = Limits{0, 999999}});
  command.add_option("--write", &options->write,
                     "write it as GraphML, DOT, edge list or SVG, by extension: " + graph_extensions());
  command.set_action([options] { return topo(*options); });
}

const CommandRegistration topo_command({50, add_topo});

}  // namespace

}  // namespace sotto
