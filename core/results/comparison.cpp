// SPDX-License-Identifier: MIT
#include "core/results/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/text_table.h"
#include "core/results/summary.h"
#include "core/scenario/scenario_changes.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::map<std::string, std::string> settings_of_run(const std::string& path) {
  const std::string name = (fs::path(path) / "manifest.json").string();
  const Json manifest = Json::parse(read_file(name), nullptr, false);
  if (!manifest.is_object()) throw RunError(name + " is damaged");
  auto settings = resolved_settings(manifest.value("scenario", ""));
  settings["program"] = fmt::format("{} ({})", manifest.value("sotto", ""), manifest.value("commit", ""));
  const Json inputs = manifest.value("inputs", Json::array());
  for (std::size_t k = 1; k < inputs.size(); ++k)
    settings["input " + inputs[k].value("file", "")] = inputs[k].value("sha256", "").substr(0, 12);
  return settings;
}

/// The figures that are shown to people, with their names in summary.json.
std::vector<std::pair<std::string, const Figure*>> shown_figures() {
  std::vector<std::pair<std::string, const Figure*>> all;
  const auto add = [&](const std::string& before, const Figure& figure) {
    if (!figure.title.empty()) all.emplace_back(before + std::string(figure.name), &figure);
  };
  for (const RunFigure& f : observed_figures()) add("", *f.figure);
  add("", gap.figure);
  for (const RunFigure& f : final_application_figures()) add("", *f.figure);
  add("", uplift.figure);
  for (const RunFigure& f : cost_figures()) add("cost.", *f.figure);
  return all;
}

void add_figure(const Json& spread, const std::string& name, ComparedMethod& to) {
  if (!spread.is_object() || !spread.contains("mean")) return;
  const Json& mean = spread.at("mean");
  to.figures.emplace_back(name, mean.is_number() ? mean.get<double>() : no_figure);
}

}  // namespace

double ComparedMethod::figure(const std::string& figure_name) const {
  for (const auto& [key, value] : figures)
    if (key == figure_name) return value;
  return no_figure;
}

std::vector<ComparedMethod> methods_of(const std::string& summary_path) {
  const Json summary = Json::parse(read_file(summary_path), nullptr, false);
  if (!summary.is_object() || !summary.contains("methods")) throw RunError(summary_path + " is damaged");
  std::vector<ComparedMethod> methods;
  for (const auto& [name, figures] : summary.at("methods").items()) {
    ComparedMethod& method = methods.emplace_back();
    method.name = name;
    for (const auto& [key, value] : figures.items()) {
      add_figure(value, key, method);
      if (key != "stop" && key != "network" && key != "cost") continue;
      for (const auto& [inner, spread] : value.items())
        add_figure(spread, fmt::format("{}.{}", key, inner), method);
    }
  }
  return methods;
}

std::vector<ComparedRun> compare_runs(const std::vector<FinishedFolder>& found) {
  std::vector<std::map<std::string, std::string>> settings;
  std::set<std::string> paths;
  for (const FinishedFolder& f : found) {
    settings.push_back(settings_of_run(f.path));
    for (const auto& [key, value] : settings.back()) paths.insert(key);
  }
  std::erase_if(paths, [&](const std::string& key) {
    return std::all_of(settings.begin(), settings.end(), [&](const auto& s) {
      return s.contains(key) && s.at(key) == (settings.front().contains(key) ? settings.front().at(key) : "");
    });
  });
  std::vector<ComparedRun> runs;
  for (std::size_t k = 0; k < found.size(); ++k) {
    ComparedRun& run = runs.emplace_back();
    run.name = found[k].name;
    for (const std::string& key : paths)
      run.settings.emplace_back(key, settings[k].contains(key) ? settings[k].at(key) : "");
    run.methods = methods_of((fs::path(found[k].path) / "summary.json").string());
  }
  return runs;
}

std::string comparison_table(const std::vector<ComparedRun>& runs, std::size_t most) {
  const auto figures = shown_figures();
  TextTable table;
  table.add("run", TextTable::Align::left);
  for (const auto& setting : runs.front().settings) table.add(setting.first);
  table.add("method", TextTable::Align::left);
  std::size_t left_out = 0;
  for (const ComparedRun& run : runs)
    for (const ComparedMethod& method : run.methods) {
      if (table.rows() == most) {
        ++left_out;
        continue;
      }
      table.set("run", run.name);
      for (const auto& [path, value] : run.settings) table.set(path, value);
      table.set("method", method.name);
      const double rounds = method.figure("stop.rounds");
      table.set("rounds", std::isnan(rounds) ? "" : fmt::format("{:.6g}", rounds));
      for (const auto& [name, figure] : figures)
        table.set(std::string(figure->title), shown(*figure, method.figure(name)));
      table.end_row();
    }
  return table.text() + (left_out > 0 ? fmt::format("... and {} rows more\n", left_out) : "");
}

std::string comparison_csv(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs)
    for (const ComparedMethod& method : run.methods)
      for (const auto& figure : method.figures)
        if (std::find(names.begin(), names.end(), figure.first) == names.end()) names.push_back(figure.first);
  std::string text = "run";
  for (const auto& setting : runs.front().settings) text += fmt::format(",{}", csv_cell(setting.first));
  text += ",method";
  for (const std::string& name : names) text += fmt::format(",{}", name);
  for (const ComparedRun& run : runs)
    for (const ComparedMethod& method : run.methods) {
      text += fmt::format("\n{}", csv_cell(run.name));
      for (const auto& setting : run.settings) text += fmt::format(",{}", csv_cell(setting.second));
      text += fmt::format(",{}", method.name);
      for (const std::string& name : names) text += fmt::format(",{}", csv_cell(method.figure(name)));
    }
  return text + "\n";
}

}  // namespace sotto
