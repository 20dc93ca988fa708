// SPDX-License-Identifier: MIT
#include "core/results/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/scenario/scenario_changes.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Whether a manifest is that of this scenario, run or timed again from the same run.
bool describes(const Json& manifest, const Experiment& experiment) {
  const auto text = [&](const char* name) {
    return manifest.contains(name) && manifest[name].is_string() ? manifest[name].get<std::string>() : "";
  };
  return manifest.is_object() && text("scenario_hash") == experiment.hash() &&
         text("retimed_from") == experiment.retimed_from;
}

/// " (algorithm.rank was 5, is 6)", as far as a manifest tells.
std::string differences(const Json& manifest, const Experiment& experiment) {
  if (!manifest.is_object() || !manifest.contains("scenario") || !manifest["scenario"].is_string()) return "";
  auto changes = scenario_changes(manifest["scenario"].get<std::string>(), experiment.resolved);
  for (const InputFile& input : experiment.inputs)
    for (const Json& was : manifest.value("inputs", Json::array()))
      if (&input != &experiment.inputs.front() && was.value("file", "") == input.name &&
          was.value("sha256", "") != input.sha256)
        changes.push_back(fmt::format("the contents of {} changed", input.name));
  constexpr std::size_t shown = 5;
  const std::size_t more = changes.size() > shown ? changes.size() - shown : 0;
  changes.resize(changes.size() - more);
  if (more > 0) changes.push_back(fmt::format("and {} more", more));
  return changes.empty() ? "" : fmt::format(" ({})", fmt::join(changes, "; "));
}

void refuse_foreign(const std::string& path, const Experiment& experiment) {
  const fs::path manifest = fs::path(path) / "manifest.json";
  const SourcePlace place{path, 0, 0};
  std::error_code error;
  if (fs::exists(fs::symlink_status(fs::path(path) / "state.sqlite", error)))
    throw ScenarioError(place, "", "this folder holds a sweep: choose another --out");
  if (fs::exists(fs::symlink_status(manifest, error))) {
    Json found;
    if (fs::is_regular_file(fs::symlink_status(manifest, error))) {
      std::ifstream file(manifest);
      found = Json::parse(file, nullptr, false);
    }
    if (!describes(found, experiment))
      throw ScenarioError(
          place, "",
          fmt::format("this folder holds the results of another scenario{}: choose another --out",
                      differences(found, experiment)));
    return;
  }
  for (const OutputFile& file : output_file_table())
    if (fs::exists(fs::symlink_status(fs::path(path) / file.name, error)))
      throw ScenarioError(
          place, "",
          fmt::format("this folder holds a {} that no manifest explains: choose another --out", file.name));
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path, const Experiment& experiment) : lock_(path) {
  refuse_foreign(path, experiment);
}

bool OutputFolder::complete() const {
  std::error_code error;
  return fs::exists(fs::path(path()) / output_file_table().back().name, error);
}

std::vector<std::size_t> OutputFolder::limited(const Experiment& experiment) const {
  const std::string file = (fs::path(path()) / output_file_table().back().name).string();
  const auto summary = Json::parse(read_file(file), nullptr, false);
  std::vector<std::size_t> all;
  for (const Method& m : experiment.methods) {
    const auto at = Json::json_pointer("/methods/" + m.name + "/stop/limit");
    all.push_back(summary.contains(at) && summary[at].is_number() ? summary[at].get<std::size_t>() : 0);
  }
  return all;
}

void OutputFolder::claim(const Experiment& experiment) {
  const OutputFile manifest = output_file_table().front();
  replace_file((fs::path(path()) / manifest.name).string(), manifest.contents(experiment, {}, {}));
  lock_.keep();
}

void OutputFolder::write(const NamedFiles& files) {
  const auto final_name = [&](const std::string& name) { return (fs::path(path()) / name).string(); };
  std::error_code error;
  for (const auto& [name, contents] : files) {
    const auto there = fs::symlink_status(final_name(name), error);
    if (fs::exists(there) && !fs::is_regular_file(there))
      throw OutputError(
          fmt::format("cannot write {}: something that is no file is in the way", final_name(name)));
  }
  try {
    for (const auto& [name, contents] : files)
      write_file(final_name(name) + partial_suffix, contents, Durable::now);
  } catch (...) {
    for (const auto& file : files) fs::remove(final_name(file.first) + partial_suffix, error);
    throw;
  }
  // Old results go before new ones come, so that they never stand side by side; the manifest, which says whose folder
  // this is, is there all the time.
  for (std::size_t k = 1; k < files.size(); ++k) fs::remove(final_name(files[k].first), error);
  for (const auto& [name, contents] : files) {
    const std::string target = final_name(name);
    if (std::rename((target + partial_suffix).c_str(), target.c_str()) != 0)
      throw OutputError(fmt::format("cannot rename {}: {}", target, std::strerror(errno)));
  }
  lock_.sync();
  lock_.keep();
}

}  // namespace sotto
