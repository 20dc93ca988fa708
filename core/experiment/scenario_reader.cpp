#include "core/experiment/scenario_reader.h"

#include <fmt/format.h>
// toml++ 3.3 asserts what malformed files break, then reports the error itself: in every build, let it
// report.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/sha256.h"
#include "core/algorithms/algorithms.h"
#include "core/experiment/data_files.h"
#include "core/experiment/keys.h"
#include "core/experiment/validation.h"
#include "network/topology_io.h"

namespace sotto {

namespace {

/// One `key = value`, wherever it was written.
struct Leaf {
  std::string path;
  std::optional<KeyValue> value;  // nothing: a type that no key takes (a date, a list of lists)
  SourcePlace place;
};

struct MethodText {
  std::string name;
  SourcePlace place;
  std::vector<Leaf> leaves;
};

SourcePlace place_of(const toml::source_region& region, const std::string& source) {
  return {source, region.begin.line, region.begin.column};
}

std::optional<KeyValue> to_value(const toml::node& node) {
  if (const auto* b = node.as_boolean()) return KeyValue(b->get());
  if (const auto* i = node.as_integer()) return KeyValue(i->get());
  if (const auto* d = node.as_floating_point()) return KeyValue(d->get());
  if (const auto* s = node.as_string()) return KeyValue(s->get());
  const auto* array = node.as_array();
  if (array == nullptr) return {};
  if (!array->empty() && array->is_homogeneous<std::string>()) {
    std::vector<std::string> texts;
    for (const toml::node& element : *array) texts.push_back(*element.value<std::string>());
    return KeyValue(std::move(texts));
  }
  std::vector<double> list;
  for (const toml::node& element : *array) {
    if (!element.is_number()) return {};
    list.push_back(*element.value<double>());
  }
  return KeyValue(std::move(list));
}

bool is_table_of_keys(const std::string& path) {
  return std::any_of(keys().begin(), keys().end(),
                     [&](const Key& k) { return k.path.starts_with(path + "."); });
}

[[noreturn]] void unknown_key(const SourcePlace& place, const std::string& path) {
  const std::string near = nearest_key(path);
  throw ScenarioError(place, path,
                      near.empty() ? "unknown key" : fmt::format("unknown key; did you mean {}?", near));
}

void flatten(const toml::node& node, const std::string& path, const SourcePlace& place,
             std::vector<Leaf>& leaves) {
  const toml::table* table = node.as_table();
  if (table == nullptr || (find_key(path) != nullptr && !is_table_of_keys(path))) {
    if (find_key(path) == nullptr) {
      if (is_table_of_keys(path)) throw ScenarioError(place, path, "must be a table");
      unknown_key(place, path);
    }
    leaves.push_back({path, table == nullptr ? to_value(node) : std::nullopt, place});
    return;
  }
  if (!is_table_of_keys(path)) unknown_key(place, path);
  for (const auto& [key, value] : *table) {
    const SourcePlace here =
        place.line == 0
            ? place
            : place_of(key.source().begin.line != 0 ? key.source() : value.source(), place.source);
    const std::string inner = path + "." + std::string(key.str());
    if (key.str().find('.') != std::string_view::npos) unknown_key(here, inner);
    flatten(value, inner, here, leaves);
  }
}

void apply(const std::vector<Leaf>& leaves, Scenario& scenario) {
  for (const Leaf& leaf : leaves) {
    const Key* key = find_key(leaf.path);
    const auto problem =
        leaf.value ? key->read(scenario, *leaf.value) : std::optional("must be " + key->allowed);
    if (problem) throw ScenarioError(leaf.place, leaf.path, *problem);
  }
}

/// What a method may change: not what makes the trial the same for all.
bool method_may_set(const std::string& path) {
  return path.starts_with("algorithm.") || path.starts_with("exchange.") || path.starts_with("secure_sum.");
}

MethodText read_method(const toml::table& table, const std::string& source, std::size_t number) {
  const std::string where = fmt::format("method[{}]", number);
  MethodText method;
  method.place = place_of(table.source(), source);
  for (const auto& [key, value] : table) {
    const SourcePlace here = place_of(key.source(), source);
    if (key.str() == "name") {
      method.name = value.value<std::string>().value_or("");
      Scenario scratch;
      if (!value.is_string() || find_key("name")->read(scratch, KeyValue(method.name)))
        throw ScenarioError(here, where + ".name", "must be " + find_key("name")->allowed);
    } else if (key.str() == "set") {
      const toml::table* set = value.as_table();
      if (set == nullptr)
        throw ScenarioError(here, where + ".set", "must be a table of keys, { \"algorithm.mu\" = 0.1 }");
      for (const auto& [path, setting] : *set) {
        const std::string full(path.str());
        const SourcePlace there = place_of(path.source(), source);
        const std::size_t before = method.leaves.size();
        flatten(setting, full, there, method.leaves);
        for (std::size_t k = before; k < method.leaves.size(); ++k)
          if (!method_may_set(method.leaves[k].path))
            throw ScenarioError(
                there, where + ".set." + full,
                "a method runs in the same trials: only algorithm, exchange and secure_sum can differ");
      }
    } else {
      throw ScenarioError(here, where + "." + std::string(key.str()),
                          "unknown key; a method has name and set");
    }
  }
  if (method.name.empty()) throw ScenarioError(method.place, where, "needs a name");
  return method;
}

class Document {
 public:
  Document(const std::string& text, const std::string& source) : source_(source) {
    toml::table root;
    try {
      root = toml::parse(text, source);
    } catch (const toml::parse_error& e) {
      throw ScenarioError(place_of(e.source(), source), "", std::string(e.description()));
    }
    for (const auto& [key, value] : root) {
      const std::string path(key.str());
      const SourcePlace here = place_of(key.source(), source);
      if (path.find('.') != std::string::npos) unknown_key(here, '"' + path + '"');
      if (path == "method")
        read_methods(value, here);
      else if (path == "sweep")
        throw ScenarioError(here, path, "this version runs single scenarios, not sweeps");
      else
        flatten(value, path, here, leaves_);
    }
  }

  void set(const Setting& setting) {
    const std::string& key = setting.first;
    const std::string& text = setting.second;
    const SourcePlace here{"--set " + key + "=" + text, 0, 0};
    if (key == "method") throw ScenarioError(here, key, "cannot be set from the command line");
    toml::table parsed;
    try {
      parsed = toml::parse("value = " + text);
    } catch (const toml::parse_error&) {
      parsed = toml::table{{"value", text}};
    }
    if (parsed.size() != 1 || !parsed.contains("value")) throw ScenarioError(here, key, "must be one value");
    if (parsed.get("value")->is_table())  // a whole table replaces what the file says
      std::erase_if(leaves_, [&](const Leaf& leaf) { return leaf.path.starts_with(key + "."); });
    flatten(*parsed.get("value"), key, here, leaves_);
  }

  Scenario main() const {
    Scenario scenario;
    scenario.name = std::filesystem::path(source_).stem().string();
    Scenario scratch;
    if (find_key("name")->read(scratch, KeyValue(scenario.name))) scenario.name = "scenario";
    apply(leaves_, scenario);
    return scenario;
  }

  std::vector<Method> methods(const Scenario& main) const {
    std::vector<Method> result{{main.method_name(), main}};
    for (const MethodText& text : methods_) {
      Method method{text.name, main};
      apply(text.leaves, method.settings);
      for (const Method& other : result)
        if (other.name == method.name)
          throw ScenarioError(text.place, "method",
                              fmt::format("the name \"{}\" is taken already", method.name));
      result.push_back(std::move(method));
    }
    return result;
  }

  SettingPlaces places() const {
    SettingPlaces places(source_);
    for (const Leaf& leaf : leaves_) places.add(leaf.path, leaf.place);
    return places;
  }
  SettingPlaces places_of_method(std::size_t number) const {  // 0: the main algorithm
    SettingPlaces places = this->places();
    if (number > 0)
      for (const Leaf& leaf : methods_[number - 1].leaves) places.add(leaf.path, leaf.place);
    return places;
  }

  std::vector<std::string> unused(const std::vector<Method>& methods) const {
    std::set<std::string> names;
    const auto look = [&](const std::vector<Leaf>& leaves) {
      for (const Leaf& leaf : leaves)
        if (std::none_of(methods.begin(), methods.end(),
                         [&](const Method& m) { return find_key(leaf.path)->used(m.settings); }))
          names.insert(leaf.path);
    };
    look(leaves_);
    for (const MethodText& m : methods_) look(m.leaves);
    return {names.begin(), names.end()};
  }

 private:
  void read_methods(const toml::node& node, const SourcePlace& here) {
    const toml::array* array = node.as_array();
    if (array == nullptr) throw ScenarioError(here, "method", "must be written as [[method]]");
    for (const toml::node& element : *array) {
      const toml::table* table = element.as_table();
      if (table == nullptr) throw ScenarioError(here, "method", "must be written as [[method]]");
      methods_.push_back(read_method(*table, source_, methods_.size()));
    }
  }

  std::string source_;
  std::vector<Leaf> leaves_;
  std::vector<MethodText> methods_;
};

std::string resolved_text(const std::vector<Method>& methods) {
  const Scenario& main = methods.front().settings;
  std::string text;
  std::string table;
  for (const Key& key : keys()) {
    const auto value = key.write(main);
    if (!value) continue;
    const std::size_t dot = key.path.find('.');
    const std::string its_table = dot == std::string::npos ? "" : key.path.substr(0, dot);
    if (its_table != table) text += fmt::format("\n[{}]\n", table = its_table);
    text +=
        fmt::format("{} = {}\n", key.path.substr(dot == std::string::npos ? 0 : dot + 1), toml_text(*value));
  }
  for (std::size_t m = 1; m < methods.size(); ++m) {
    std::string set;
    for (const Key& key : keys()) {
      const auto value = key.write(methods[m].settings);
      if (value && value != key.write(main))
        set += fmt::format("{}\"{}\" = {}", set.empty() ? " " : ", ", key.path, toml_text(*value));
    }
    text += fmt::format("\n[[method]]\nname = \"{}\"\nset = {{{} }}\n", methods[m].name, set);
  }
  return text;
}

void load_topology(const std::string& folder, const SettingPlaces& places, Experiment& experiment) {
  TopologySettings& topology = experiment.main.topology;
  if (topology.file.empty()) return;
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
}

/// Whether and for whom data must be nonnegative.
std::string nonnegative_for(const std::vector<Method>& methods) {
  for (const Method& m : methods)
    if (find_algorithm(m.settings.algorithm.name)->nonnegative) return m.settings.algorithm.name;
  return {};
}

void load_data(const std::string& folder, const SettingPlaces& places, Experiment& experiment) {
  const DataSettings& settings = experiment.main.data;
  if (!settings.from_file()) {
    experiment.shape = DataShape::of_synthetic(settings);
  } else if (settings.files.empty()) {
    throw ScenarioError(places.of("data.source"), "data.source", "is \"file\", but there is no data.file");
  } else {
    experiment.data = std::make_shared<const Dataset>(
        load_dataset(settings, folder, places, nonnegative_for(experiment.methods), experiment.inputs));
    experiment.shape =
        DataShape::of_file(settings, experiment.data->samples.rows(), experiment.data->samples.cols());
  }
  const auto& images = experiment.main.output.images;
  if (images.empty()) return;
  const SourcePlace here = places.of("output.images");
  if (!experiment.data || !experiment.data->image.known())
    throw ScenarioError(
        here, "output.images",
        "needs samples that are pictures: a file that says so, or data.image with width and height");
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

Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& folder,
                            const std::vector<Setting>& settings, InputFiles files) {
  Document document(text, source);
  for (const Setting& setting : settings) document.set(setting);
  Experiment experiment;
  experiment.schemes = std::make_shared<SharedSchemes>();
  experiment.source = source;
  experiment.main = document.main();
  experiment.inputs.push_back({std::filesystem::path(source).filename().string(), sha256_hex(text)});
  const SettingPlaces places = document.places();
  if (files == InputFiles::read) load_topology(folder, places, experiment);
  experiment.methods = document.methods(experiment.main);
  experiment.resolved = resolved_text(experiment.methods);
  experiment.unused = document.unused(experiment.methods);
  validate_costs(experiment.main, places);
  if (files == InputFiles::leave) return experiment;
  load_data(folder, places, experiment);
  validate_trial(experiment.main, experiment.shape, places);
  for (std::size_t m = 0; m < experiment.methods.size(); ++m)
    validate_method(experiment.methods[m].settings, experiment.shape, document.places_of_method(m));
  // drawn once here, so that a graph that cannot be is an error before anything runs
  const Topology topology = experiment.topology(0);
  for (std::size_t m = 0; m < experiment.methods.size(); ++m)
    check_neighborhoods(experiment.methods[m].settings, topology, document.places_of_method(m),
                        experiment.agent_names);
  return experiment;
}

Experiment read_experiment(const std::string& path, const std::vector<Setting>& settings) {
  const std::string text = read_input(path, {path, 0, 0}, "");
  return parse_experiment(text, path, std::filesystem::path(path).parent_path().string(), settings);
}

std::string Experiment::hash() const {
  std::string all = resolved;
  for (std::size_t k = 1; k < inputs.size(); ++k) all += inputs[k].name + " " + inputs[k].sha256 + "\n";
  return sha256_hex(all);
}

Topology Experiment::topology(std::uint64_t trial) const {
  if (file_topology) {
    for (AgentId a = 0; a < file_topology->agents(); ++a)
      if (file_topology->degree(a) < main.topology.shape.min_degree)
        throw ScenarioError(
            {source, 0, 0}, "topology.min_degree",
            fmt::format("agent {} in {} has {} neighbors, not {}", agent_label(agent_names, a),
                        main.topology.file, file_topology->degree(a), main.topology.shape.min_degree));
    return *file_topology;
  }
  RandomStream random({main.seed, trial, StreamName::everyone, "topology"});
  try {
    return generate(main.topology.generator, main.topology.shape, random);
  } catch (const RunError& e) {
    throw ScenarioError({source, 0, 0}, "topology", e.what());
  }
}

}  // namespace sotto
