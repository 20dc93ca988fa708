#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/scenario_options.h"
#include "network/topology_io.h"

namespace sotto {

namespace {

struct TopoOptions {
  ScenarioOptions scenario;
  std::int64_t trial = 0;
  std::string write;
};

int topo(const TopoOptions& options) {
  const Experiment experiment = options.scenario.read();
  const Topology topology = experiment.topology(static_cast<std::uint64_t>(options.trial));
  std::size_t least = topology.agents();
  std::size_t most = 0;
  for (AgentId a = 0; a < topology.agents(); ++a) {
    least = std::min(least, topology.degree(a));
    most = std::max(most, topology.degree(a));
  }
  if (!options.write.empty()) {
    std::FILE* file = std::fopen(options.write.c_str(), "wx");
    if (file == nullptr)
      throw ScenarioError({options.write, 0, 0}, "",
                          "cannot be written: it exists already, or its folder does not");
    const std::string text = write_edge_list(topology);
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !good) {
      std::remove(options.write.c_str());
      throw RunError("cannot write " + options.write);
    }
  }
  fmt::print("agents    {}\nedges     {}\ndegree    {} to {}, {:.3g} on average\n", topology.agents(),
             topology.edges(), least, most,
             2.0 * static_cast<double>(topology.edges()) / static_cast<double>(topology.agents()));
  if (topology.agents() <= 5000)
    fmt::print("diameter  {}\n", topology.diameter());
  else
    fmt::print("diameter  not computed above 5000 agents\n");
  return done;
}

}  // namespace

void add_topo(CLI::App& app, Command& chosen) {
  auto options = std::make_shared<TopoOptions>();
  CLI::App* command = app.add_subcommand("topo", "describe the graph of a scenario");
  options->scenario.add_to(*command);
  command->add_option("--trial", options->trial, "whose graph: each trial draws its own")
      ->check(CLI::Range(0, 999999));
  command->add_option("--write", options->write, "write it as an edge list that topology.file can read");
  command->callback([options, &chosen] { chosen = [options] { return topo(*options); }; });
}

}  // namespace sotto
