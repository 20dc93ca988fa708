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
#include "core/measures/factor_errors.h"
#include "core/scenario/scenario_changes.h"
#include "core/sweep/sweep_state.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Found {
  std::string name;
  std::string path;
};

/// The folder of a run, or those of a sweep's points.
void find_runs(const std::string& folder, std::vector<Found>& found) {
  std::error_code error;
  const fs::path state = fs::path(folder) / "state.sqlite";
  if (!fs::exists(state, error)) {
    if (!fs::exists(fs::path(folder) / "manifest.json", error) ||
        !fs::exists(fs::path(folder) / "summary.json", error))
      throw ScenarioError({folder, 0, 0}, "", "holds no finished run and no sweep");
    found.push_back({folder, folder});
    return;
  }
  const std::size_t before = found.size();
  SweepState(state.string(), SweepState::Access::look).each([&](const PointRecord& p) {
    if (p.state == PointState::done)
      found.push_back(
          {fmt::format("{} #{}", folder, p.point), (fs::path(folder) / "points" / p.hash).string()});
  });
  if (found.size() == before) throw ScenarioError({folder, 0, 0}, "", "is a sweep without a finished point");
}

std::map<std::string, std::string> settings_of_run(const std::string& path) {
  const std::string name = (fs::path(path) / "manifest.json").string();
  const Json manifest = Json::parse(read_file(name), nullptr, false);
  if (!manifest.is_object()) throw RunError(name + " is damaged");
  auto settings = resolved_keys(manifest.value("scenario", ""));
  settings["program"] = fmt::format("{} ({})", manifest.value("sotto", ""), manifest.value("commit", ""));
  const Json inputs = manifest.value("inputs", Json::array());
  for (std::size_t k = 1; k < inputs.size(); ++k)
    settings["input " + inputs[k].value("file", "")] = inputs[k].value("sha256", "").substr(0, 12);
  return settings;
}

std::string shown(double x, const char* format) {
  return std::isnan(x) ? "" : fmt::format(fmt::runtime(format), x);
}

struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool left = false;
};

std::string laid_out(const std::vector<Column>& columns) {
  std::string text;
  const std::size_t rows = columns.front().cells.size();
  for (std::size_t row = 0; row <= rows; ++row) {
    std::string line;
    for (const Column& c : columns) {
      std::size_t width = c.title.size();
      for (const std::string& cell : c.cells) width = std::max(width, cell.size());
      const std::string& cell = row == 0 ? c.title : c.cells[row - 1];
      line += c.left ? fmt::format("{:<{}}  ", cell, width) : fmt::format("{:>{}}  ", cell, width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

struct FigureColumn {
  const char* title;
  const char* figure;
  const char* format;
  double scale = 1;
};

constexpr FigureColumn figure_columns[] = {
    {"rounds", "stop.rounds", "{:.6g}"},
    {"nmse", "nmse", "{:.4f}"},
    {"nmse_mean_x", "nmse_mean_x", "{:.4f}"},
    {"gap", "gap_percent", "{:.2f} %"},
    {"consensus_err", "consensus_error", "{:.2e}"},
    {"MB sent", "cost.bytes", "{:.3g}", 1e-6},
    {"expansion", "cost.expansion", "{:.3g}"},
    {"sim s", "cost.sim_seconds", "{:.4g}"},
};

void add_figure(const Json& spread, const std::string& name, ComparedMethod& to) {
  if (!spread.is_object() || !spread.contains("mean")) return;
  const Json& mean = spread.at("mean");
  to.figures.emplace_back(name, mean.is_number() ? mean.get<double>() : no_metric);
}

}  // namespace

double ComparedMethod::figure(const std::string& figure_name) const {
  for (const auto& [key, value] : figures)
    if (key == figure_name) return value;
  return no_metric;
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

std::vector<ComparedRun> compare_folders(const std::vector<std::string>& folders) {
  std::vector<Found> found;
  for (const std::string& folder : folders) find_runs(folder, found);
  std::vector<std::map<std::string, std::string>> settings;
  std::set<std::string> keys;
  for (const Found& f : found) {
    settings.push_back(settings_of_run(f.path));
    for (const auto& [key, value] : settings.back()) keys.insert(key);
  }
  std::erase_if(keys, [&](const std::string& key) {
    return std::all_of(settings.begin(), settings.end(), [&](const auto& s) {
      return s.contains(key) && s.at(key) == (settings.front().contains(key) ? settings.front().at(key) : "");
    });
  });
  std::vector<ComparedRun> runs;
  for (std::size_t k = 0; k < found.size(); ++k) {
    ComparedRun& run = runs.emplace_back();
    run.name = found[k].name;
    for (const std::string& key : keys)
      run.settings.emplace_back(key, settings[k].contains(key) ? settings[k].at(key) : "");
    run.methods = methods_of((fs::path(found[k].path) / "summary.json").string());
  }
  return runs;
}

std::string comparison_table(const std::vector<ComparedRun>& runs, std::size_t most) {
  std::vector<Column> columns{{"run", {}, true}};
  for (const auto& setting : runs.front().settings) columns.push_back({setting.first, {}, false});
  columns.push_back({"method", {}, true});
  const std::size_t first_figure = columns.size();
  for (const FigureColumn& f : figure_columns) columns.push_back({f.title, {}, false});
  std::size_t left_out = 0;
  for (const ComparedRun& run : runs)
    for (const ComparedMethod& method : run.methods) {
      if (columns.front().cells.size() == most) {
        ++left_out;
        continue;
      }
      columns[0].cells.push_back(run.name);
      for (std::size_t s = 0; s < run.settings.size(); ++s)
        columns[1 + s].cells.push_back(run.settings[s].second);
      columns[first_figure - 1].cells.push_back(method.name);
      for (std::size_t f = 0; f < std::size(figure_columns); ++f)
        columns[first_figure + f].cells.push_back(shown(
            method.figure(figure_columns[f].figure) * figure_columns[f].scale, figure_columns[f].format));
    }
  std::erase_if(columns, [](const Column& c) {
    return std::all_of(c.cells.begin(), c.cells.end(), [](const std::string& cell) { return cell.empty(); });
  });
  return laid_out(columns) + (left_out > 0 ? fmt::format("... and {} rows more\n", left_out) : "");
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
