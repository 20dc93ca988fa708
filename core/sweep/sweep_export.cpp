// SPDX-License-Identifier: MIT
#include "core/sweep/sweep_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "core/measures/factor_errors.h"
#include "core/results/output_files.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json json_of(const SettingValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json json_of(const AxisValue& value, const std::string& path) {
  if (!value.whole_table) return json_of(*value.leaves.front().value);
  Json table = Json::object();
  for (const Leaf& leaf : value.leaves) table[leaf.path.substr(path.size() + 1)] = json_of(*leaf.value);
  return table;
}

/// The next line of `text`, without its end; `text` goes on behind it.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double number_in(std::string_view cell) {
  double value = no_figure;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

/// The columns of trace.csv that have means: all behind `round`.
constexpr std::size_t first_figure = 5;

/// A method at one observed iteration, over trials.
struct CurvePoint {
  std::string round;
  std::size_t trials = 0;
  std::vector<double> sums;
  double least = no_figure;
  double most = no_figure;

  /// `ranged`: the column whose least and largest values are kept, too.
  void add(const std::vector<std::string_view>& cells, std::size_t ranged) {
    if (trials++ == 0) round = cells[4];
    sums.resize(cells.size() - first_figure);
    for (std::size_t f = 0; f < sums.size(); ++f) sums[f] += number_in(cells[first_figure + f]);
    const double x = number_in(cells[first_figure + ranged]);
    least = std::fmin(least, x);
    most = std::fmax(most, x);
  }
  std::string text() const {
    std::string line = fmt::format("{},{}", round, trials);
    const auto add_cell = [&](double x) { line += fmt::format(",{}", csv_cell(x)); };
    for (const double sum : sums) add_cell(sum / static_cast<double>(trials));
    add_cell(least);
    add_cell(most);
    return line;
  }
};

/// A sweep's files while they are written.
class Export {
 public:
  Export(const SweepAxes& axes, std::string folder)
      : axes_(axes),
        folder_(std::move(folder)),
        sweep_(name("sweep.csv")),
        curves_(name("curves.csv")),
        timings_(name("timings.csv")),
        summary_(name("summary.json")) {
    axis_names_ = "point,hash";
    for (const SweepAxis& axis : axes_.axes()) axis_names_ += fmt::format(",{}", csv_cell(axis.path));
    curves_.write(axis_names_ + ",method,iteration,round,count");
    const std::vector<std::string> names = trace_columns();
    for (const std::string& name : names) curves_.write(fmt::format(",{}", name));
    const std::string_view ranged = figures::nmse_mean_x.name;
    ranged_ = static_cast<std::size_t>(std::find(names.begin(), names.end(), ranged) - names.begin());
    curves_.write(fmt::format(",{0}_min,{0}_max\n", ranged));
  }

  void begin_summary(const std::string& sweep_name, const SweepState::Counts& counts) {
    summary_.write(
        fmt::format("{{\n\"name\": {},\n\"points\": {}, \"done\": {}, \"failed\": {},\n\"axes\": {},\n"
                    "\"results\": [",
                    Json(sweep_name).dump(), counts.points, counts.done, counts.failed, axes_json().dump()));
  }

  void add(const PointRecord& point) {
    Json entry = {{"point", point.point}, {"hash", point.hash}, {"set", settings_json(point)}};
    if (point.state == PointState::failed) entry["error"] = point.error;
    if (point.state == PointState::done) {
      const fs::path its = fs::path(folder_) / "points" / point.hash;
      std::string axis_values = fmt::format("{},{}", point.point, point.hash);
      const auto values = axes_.point(point.point);
      for (std::size_t a = 0; a < values.size(); ++a)
        axis_values += fmt::format(",{}", csv_cell(values[a]->text(axes_.axes()[a].path)));
      add_rows(read_file((its / "final.csv").string()), axis_values, sweep_, sweep_begun_);
      add_rows(read_file((its / "timings.csv").string()), axis_values, timings_, timings_begun_);
      add_curves(read_file((its / "trace.csv").string()), axis_values);
      const Json summary = Json::parse(read_file((its / "summary.json").string()), nullptr, false);
      entry["methods"] = summary.is_object() ? summary.value("methods", Json::object()) : Json::object();
    }
    summary_.write(first_ ? "\n" : ",\n");
    summary_.write(entry.dump(-1, ' ', false, Json::error_handler_t::replace));
    first_ = false;
  }

  /// The summary last.
  void finish() {
    summary_.write("\n]\n}\n");
    if (!sweep_begun_) sweep_.write(axis_names_ + "\n");  // nothing but failures
    if (!timings_begun_) timings_.write(axis_names_ + "\n");
    for (FileWriter* file : {&sweep_, &curves_, &timings_, &summary_}) file->finish();
  }

 private:
  std::string name(const char* file) const { return (fs::path(folder_) / file).string(); }

  Json axes_json() const {
    Json axes = Json::object();
    for (const SweepAxis& axis : axes_.axes()) {
      Json values = Json::array();
      for (const AxisValue& v : axis.values) values.push_back(json_of(v, axis.path));
      axes[axis.path] = std::move(values);
    }
    return axes;
  }

  Json settings_json(const PointRecord& point) const {
    Json set = Json::object();
    const auto values = axes_.point(point.point);
    for (std::size_t a = 0; a < values.size(); ++a)
      set[axes_.axes()[a].path] = json_of(*values[a], axes_.axes()[a].path);
    return set;
  }

  /// The rows of a point's file behind the axes.
  void add_rows(std::string_view text, const std::string& axis_values, FileWriter& to, bool& begun) const {
    const std::string_view header = next_line(text);
    if (!begun) to.write(fmt::format("{},{}\n", axis_names_, header));
    begun = true;
    while (!text.empty()) to.write(fmt::format("{},{}\n", axis_values, next_line(text)));
  }

  void add_curves(std::string_view trace, const std::string& axis_values) {
    next_line(trace);
    std::vector<std::string> methods;  // in the order of the file
    std::map<std::string, std::map<std::uint64_t, CurvePoint>> curves;
    while (!trace.empty()) {
      const auto cells = cells_of(next_line(trace));
      const std::string method(cells[1]);
      if (!curves.contains(method)) methods.push_back(method);
      curves[method][static_cast<std::uint64_t>(number_in(cells[3]))].add(cells, ranged_);
    }
    for (const std::string& method : methods)
      for (const auto& [iteration, point] : curves[method])
        curves_.write(fmt::format("{},{},{},{}\n", axis_values, method, iteration, point.text()));
  }

  const SweepAxes& axes_;
  std::string folder_;
  std::string axis_names_;
  FileWriter sweep_, curves_, timings_, summary_;
  std::size_t ranged_ = 0;
  bool sweep_begun_ = false;
  bool timings_begun_ = false;
  bool first_ = true;
};

}  // namespace

void export_sweep(const ScenarioFile& file, const std::string& folder, const SweepState& state) {
  Export to(file.sweep(), folder);
  to.begin_summary(file.name(), state.counts());
  state.each([&](const PointRecord& point) { to.add(point); });
  to.finish();
}

}  // namespace sotto
