// SPDX-License-Identifier: MIT
#include "core/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/sha256.h"
#include "core/algorithms/iteration_options.h"
#include "core/data/data_files.h"
#include "core/data/synthetic.h"
#include "core/experiment/checks.h"
#include "core/experiment/settings.h"
#include "network/topology/graph_file.h"

namespace sotto {

namespace {

void load_topology(const std::string& folder, const SettingPlaces& places, Experiment& experiment) {
  if (experiment.main.get<TopologyOptions>().file.empty()) return;
  auto& topology = experiment.main.edit<TopologyOptions>();
  const auto path = std::filesystem::path(folder) / topology.file;
  const std::string text = read_input(path.string(), places.of("topology.file"), "topology.file");
  experiment.inputs.push_back({topology.file, sha256_hex(text)});
  GraphFile graph = parse_graph(text, topology.file);
  const std::size_t agents = graph.topology.agents();
  if (places.has("topology.agents") && topology.shape.agents != agents)
    throw ScenarioError(
        places.of("topology.agents"), "topology.agents",
        fmt::format("is {}, but {} has {} agents", topology.shape.agents, topology.file, agents));
  topology.shape.agents = agents;
  experiment.file_topology = std::move(graph.topology);
  experiment.agent_names = std::move(graph.names);
  experiment.link_attributes = std::move(graph.links);
  experiment.main.edit<LinksGiven>() = LinksGiven::by(experiment.link_attributes);
}

/// Whether and for whom data must be nonnegative.
std::string nonnegative_for(const std::vector<Method>& methods) {
  for (const Method& m : methods)
    if (const AlgorithmKind& kind = algorithm_of(m.options); !kind.needs(m.options).signed_data)
      return std::string(kind.name);
  return {};
}

/// Everything that a Dataset is made from.
std::string data_settings_text(const Experiment& experiment) {
  std::string text = nonnegative_for(experiment.methods) + "\n";
  for (const Setting& row : scenario_settings().all()) {
    if (!row.path.starts_with("data.")) continue;
    if (const auto value = row.write(experiment.main)) text += row.path + " = " + toml_text(*value) + "\n";
  }
  return text;
}

void load_data(const std::string& folder, const SettingPlaces& places, Experiment& experiment,
               DatasetCache* cache) {
  const auto& settings = experiment.main.get<DataOptions>();
  if (!settings.from_file()) {
    experiment.shape = DataShape::of_synthetic(settings);
  } else if (settings.files.empty()) {
    throw ScenarioError(places.of("data.source"), "data.source", "is \"file\", but there is no data.file");
  } else {
    const auto load = [&] {
      DatasetCache::Loaded loaded;
      loaded.data = std::make_shared<const Dataset>(
          load_dataset(settings, folder, places, nonnegative_for(experiment.methods), loaded.inputs));
      return loaded;
    };
    const DatasetCache::Loaded loaded =
        cache == nullptr ? load() : cache->get(data_settings_text(experiment), load);
    experiment.data = loaded.data;
    experiment.inputs.insert(experiment.inputs.end(), loaded.inputs.begin(), loaded.inputs.end());
    experiment.shape =
        DataShape::of_file(settings, experiment.data->samples.rows(), experiment.data->samples.cols());
  }
}

void check_images(const Experiment& experiment, const SettingPlaces& places) {
  const auto& images = experiment.output().images;
  if (images.empty()) return;
  const SourcePlace here = places.of("output.images");
  if (!experiment.data || !experiment.data->image.known())
    throw ScenarioError(
        here, "output.images",
        "needs samples that are pictures: a file that says so, or data.image with width and height");
  if (experiment.main.get<DataOptions>().scale == Scale::tf_idf)
    throw ScenarioError(here, "output.images",
                        "draws samples as they are in the file, which data.scale = \"tf-idf\" changes");
  constexpr Index longest_side = 2000;
  if (std::max(experiment.data->image.width, experiment.data->image.height) > longest_side ||
      images.size() > 1000)
    throw ScenarioError(
        here, "output.images",
        fmt::format("draws up to 1000 pictures of up to {} x {} pixels", longest_side, longest_side));
  for (const std::int64_t n : images)
    if (n < 1 || n > experiment.data->samples.cols())
      throw ScenarioError(
          here, "output.images",
          fmt::format("names sample {}, but they go from 1 to {}", n, experiment.data->samples.cols()));
}

}  // namespace

DatasetCache::Loaded DatasetCache::get(const std::string& settings, const std::function<Loaded()>& load) {
  const auto bytes = [](const Loaded& loaded) {
    return loaded.data ? static_cast<std::size_t>(loaded.data->samples.stored()) * 2 * sizeof(double) : 0;
  };
  const std::lock_guard lock(mutex_);
  const auto at =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k.first == settings; });
  if (at != kept_.end())
    kept_.splice(kept_.begin(), kept_, at);
  else
    kept_.emplace_front(settings, load());
  std::size_t all = 0;
  for (const auto& [name, loaded] : kept_) all += bytes(loaded);
  for (; all > most_ && kept_.size() > 1; kept_.pop_back()) all -= bytes(kept_.back().second);
  return kept_.front().second;
}

ScenarioFile::ScenarioFile(const std::string& text, std::string source, std::string folder,
                           const std::vector<Assignment>& settings)
    : document_(scenario_settings(), text, source),
      text_hash_(sha256_hex(text)),
      source_(std::move(source)),
      folder_(std::move(folder)) {
  for (const Assignment& setting : settings) document_.set(setting);
  document_.arrange_sweep();
}

ScenarioFile ScenarioFile::read(const std::string& path, const std::vector<Assignment>& settings) {
  return {read_input(path, {path, 0, 0}, ""), path, std::filesystem::path(path).parent_path().string(),
          settings};
}

const SweepAxes& ScenarioFile::sweep() const {
  if (document_.sweep().empty())
    throw ScenarioError({source_, 0, 0}, "sweep", "is missing: \"exchange.quantization\" = [10, 100, 1000]");
  if (const auto both = document_.set_and_swept())
    throw ScenarioError({"--set", 0, 0}, *both,
                        fmt::format("is an axis of the sweep: --set 'sweep.{}=[...]' changes it", *both));
  return document_.sweep();
}

std::string ScenarioFile::resolved() const {
  const OptionSet main = options(document_);
  return resolved_text(scenario_settings(), document_.methods(method_name(main), main)) +
         document_.sweep().text();
}

std::string ScenarioFile::name() const {
  return options(document_).get<RunOptions>().name;
}

OptionSet ScenarioFile::options(const ScenarioDocument& document) const {
  OptionSet start;
  const std::string name = std::filesystem::path(source_).stem().string();
  if (is_plain_name(name)) start.edit<RunOptions>().name = name;
  return document.main(std::move(start));
}

Experiment ScenarioFile::experiment(InputFiles files) const {
  return experiment(document_, files, nullptr);
}

Experiment ScenarioFile::point(std::size_t number, DatasetCache& data) const {
  return experiment(document_.point(number), InputFiles::read, &data);
}

std::vector<UnusedSetting> ScenarioFile::unused(const ScenarioDocument& document, LinksOfFiles& links) const {
  OptionSet main = options(document);
  if (const std::string& file = main.get<TopologyOptions>().file; !file.empty()) {
    auto known = links.find(file);
    if (known == links.end()) {
      const std::string text = read_input((std::filesystem::path(folder_) / file).string(),
                                          document.places().of("topology.file"), "topology.file");
      known = links.emplace(file, LinksGiven::by(parse_graph(text, file).links)).first;
    }
    main.edit<LinksGiven>() = known->second;
  }
  return document.unused(document.methods(method_name(main), main));
}

std::vector<UnusedSetting> ScenarioFile::unused(Sweeping sweeping) const {
  LinksOfFiles links;
  std::optional<std::vector<UnusedSetting>> left;
  const auto keep_common = [&](std::vector<UnusedSetting> here) {
    if (left)
      std::erase_if(*left, [&](const UnusedSetting& setting) {
        return std::none_of(here.begin(), here.end(),
                            [&](const UnusedSetting& other) { return other.path == setting.path; });
      });
    else
      left = std::move(here);
  };
  // the axes' own settings are looked for among those of the points, and called axes in the end
  const auto is_axis = [&](const std::string& path) {
    return std::any_of(axes().axes().begin(), axes().axes().end(), [&](const SweepAxis& axis) {
      return path == axis.path || path.starts_with(axis.path + ".");
    });
  };
  if (sweeping != Sweeping::points) keep_common(unused(document_, links));
  for (std::size_t k = 0; !axes().empty() && k < axes().points() && !(left && left->empty()); ++k) {
    try {
      keep_common(unused(document_.point(k), links));
    } catch (const Error&) {  // a point that is no valid scenario: whoever runs it says so
    }
  }
  std::vector<UnusedSetting> all = left.value_or(std::vector<UnusedSetting>{});
  if (sweeping == Sweeping::points)
    for (UnusedSetting& setting : all)
      if (is_axis(setting.path)) setting.path = "sweep." + setting.path;
  return all;
}

Experiment ScenarioFile::experiment(const ScenarioDocument& document, InputFiles files,
                                    DatasetCache* data) const {
  Experiment experiment;
  experiment.schemes = std::make_shared<SharedSchemes>();
  experiment.source = source_;
  experiment.main = options(document);
  experiment.inputs.push_back({std::filesystem::path(source_).filename().string(), text_hash_});
  const SettingPlaces places = document.places();
  if (files == InputFiles::read) load_topology(folder_, places, experiment);
  experiment.methods = document.methods(method_name(experiment.main), experiment.main);
  experiment.resolved = resolved_text(scenario_settings(), experiment.methods);
  for (UnusedSetting& setting : document.unused(experiment.methods))
    experiment.unused.push_back(std::move(setting.path));
  experiment.main.get<CostOptions>().check(experiment.agents(), places);
  if (files == InputFiles::leave) return experiment;
  load_data(folder_, places, experiment, data);
  check_images(experiment, places);
  check_trial(experiment, places);
  for (std::size_t m = 0; m < experiment.methods.size(); ++m)
    check_method(experiment, experiment.methods[m].options, document.places_of_method(m));
  // drawn once here, so that a graph that cannot be is an error before anything runs
  const Topology topology = experiment.topology(0);
  for (std::size_t m = 0; m < experiment.methods.size(); ++m)
    check_graph(
        {experiment.methods[m].options, document.places_of_method(m), topology, experiment.agent_names});
  return experiment;
}

Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& folder,
                            const std::vector<Assignment>& settings, InputFiles files) {
  return ScenarioFile(text, source, folder, settings).experiment(files);
}

Experiment read_experiment(const std::string& path, const std::vector<Assignment>& settings) {
  return ScenarioFile::read(path, settings).experiment();
}

std::string Experiment::hash() const {
  std::string all = resolved;
  for (std::size_t k = 1; k < inputs.size(); ++k) all += inputs[k].name + " " + inputs[k].sha256 + "\n";
  return sha256_hex(all);
}

const Method* Experiment::baseline(Baseline which) const {
  for (const Method& m : methods)
    if (algorithm_of(m.options).baseline == which) return &m;
  return nullptr;
}

bool expects_convergence(const OptionSet& options) {
  return options.get<IterationOptions>().stops && algorithm_of(options).has_stopping_rule;
}

Topology Experiment::topology(std::uint64_t trial) const {
  const auto& its = main.get<TopologyOptions>();
  if (file_topology) {
    for (AgentId a = 0; a < file_topology->agents(); ++a)
      if (file_topology->degree(a) < its.shape.min_degree)
        throw ScenarioError(
            {source, 0, 0}, "topology.min_degree",
            fmt::format("agent {} in {} has {} neighbors, not {}", agent_label(agent_names, a), its.file,
                        file_topology->degree(a), its.shape.min_degree));
    return *file_topology;
  }
  RandomStream random({run().seed, trial, StreamName::everyone, "topology"});
  try {
    return generate(its.generator, its.shape, random);
  } catch (const RunError& e) {
    throw ScenarioError({source, 0, 0}, "topology", e.what());
  }
}

}  // namespace sotto
