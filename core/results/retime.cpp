// SPDX-License-Identifier: MIT
#include "core/results/retime.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/experiment/recording.h"
#include "core/experiment/settings.h"
#include "network/topology/analysis.h"

namespace sotto {

namespace {

void refuse_other_settings(const std::vector<Assignment>& settings) {
  for (const auto& [key, value] : settings) {
    const std::string table = key.substr(0, key.find('.'));
    if (table != "link" && table != "cost")
      throw ScenarioError({"--set " + key + "=" + value, 0, 0}, key,
                          "cannot change without a new run: only link and cost can be timed again");
  }
}

/// What a manifest says of the run, checked.
struct Manifest {
  std::string scenario_hash, scenario;
  std::vector<InputFile> inputs;
  std::vector<std::string> unused, agents;
};

Manifest read_manifest(const std::string& path) {
  const SourcePlace place{path, 0, 0};
  const std::string text = read_input(path, place, "");
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.contains("retimed_from"))
      throw ScenarioError(place, "", "this run was timed again itself: give the folder of the run");
    Manifest m;
    m.scenario_hash = json.at("scenario_hash").get<std::string>();
    m.scenario = json.at("scenario").get<std::string>();
    for (const nlohmann::json& input : json.at("inputs"))
      m.inputs.push_back({input.at("file").get<std::string>(), input.at("sha256").get<std::string>()});
    m.unused = json.at("unused").get<std::vector<std::string>>();
    m.agents = json.value("agents", std::vector<std::string>{});
    return m;
  } catch (const nlohmann::json::exception&) {
    throw ScenarioError(place, "", "is not the manifest of a run");
  }
}

MethodResult retime_one(const Experiment& experiment, std::size_t k, std::span<const std::uint8_t> recorded) {
  const auto started = std::chrono::steady_clock::now();
  const double cpu_started = thread_cpu_seconds();
  Recording recording = load_recording(recorded);
  const Method& method = experiment.methods[k % experiment.methods.size()];
  MethodResult result = std::move(recording.result);
  if (result.trial != k / experiment.methods.size() || result.method != method.name)
    throw FormatError(fmt::format("holds trial {} of {} where trial {} of {} should be", result.trial,
                                  result.method, k / experiment.methods.size(), method.name));
  time_run(result, recording.log,
           {recording.topology, recording.link_attributes, exact_diameter(recording.topology)},
           method.options);
  result.cpu_seconds = thread_cpu_seconds() - cpu_started;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace

FinishedRun read_finished_run(const std::string& folder, const std::vector<Assignment>& settings) {
  refuse_other_settings(settings);
  const auto inside = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  const std::string manifest_path = inside("manifest.json");
  const Manifest manifest = read_manifest(manifest_path);
  FinishedRun run;
  run.events_path = inside("events.bin");
  run.experiment =
      parse_experiment(manifest.scenario, manifest_path + ": scenario", folder, settings, InputFiles::leave);
  if (!run.experiment.output().events)
    throw ScenarioError({folder, 0, 0}, "output.events",
                        "was false: the run did not keep what is needed to time it again");
  run.experiment.inputs = manifest.inputs;
  run.experiment.unused = manifest.unused;
  run.experiment.agent_names = manifest.agents;
  run.experiment.retimed_from = manifest.scenario_hash;
  run.events = read_input(run.events_path, {folder, 0, 0}, "");
  return run;
}

std::vector<UnusedSetting> unused_settings(const FinishedRun& run, const std::vector<Assignment>& settings) {
  std::vector<UnusedSetting> unused;
  std::vector<Method> methods = run.experiment.methods;
  const EventsFile events = EventsFile::parse(run.events);
  for (std::size_t m = 0; m < methods.size(); ++m)
    methods[m].options.edit<LinksGiven>() = LinksGiven::by(load_recording(events.runs.at(m)).link_attributes);
  for (const auto& [path, value] : settings) {
    const Setting* const row = scenario_settings().find(path);  // null: a whole table
    const auto uses = [&](const Method& m) { return !row->unused(m.options); };
    if (row != nullptr && std::none_of(methods.begin(), methods.end(), uses))
      unused.push_back({path, fmt::format("--set {}={}", path, value), *row->unused(methods[0].options)});
  }
  return unused;
}

std::vector<MethodResult> retime(const FinishedRun& run) {
  try {
    const EventsFile file = EventsFile::parse(run.events);
    if (file.scenario_hash != run.experiment.retimed_from)
      throw FormatError("belongs to another run than the manifest beside it");
    const auto trials = run.experiment.trials();
    if (file.runs.size() != trials * run.experiment.methods.size())
      throw FormatError(fmt::format("holds {} runs, not {} trials of {} methods", file.runs.size(), trials,
                                    run.experiment.methods.size()));
    std::vector<MethodResult> results;
    for (std::size_t k = 0; k < file.runs.size(); ++k)
      results.push_back(retime_one(run.experiment, k, file.runs[k]));
    return results;
  } catch (const Error& e) {
    throw FormatError(fmt::format("{}: {}", run.events_path, e.what()));
  }
}

}  // namespace sotto
