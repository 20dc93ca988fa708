// SPDX-License-Identifier: MIT
#include "core/scenario/sweep_axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/bytes.h"

namespace sotto {

namespace {

double as_double(const SettingValue& v) {
  const auto* whole = std::get_if<std::int64_t>(&v);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(v);
}

/// Without the noise of a power or a division in the last digits.
double rounded(double x) {
  constexpr int digits = 12;
  return std::strtod(fmt::format("{:.{}g}", x, digits).c_str(), nullptr);
}

}  // namespace

std::string AxisValue::text(const std::string& axis_path) const {
  if (!whole_table) {
    const auto* string = std::get_if<std::string>(&*leaves.front().value);
    return string != nullptr ? *string : toml_text(*leaves.front().value);
  }
  std::vector<std::string> parts;
  for (const Leaf& leaf : leaves)
    parts.push_back(fmt::format("{} = {}", leaf.path.substr(axis_path.size() + 1), toml_text(*leaf.value)));
  return fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

double AxisRange::real_at(std::int64_t k) const {
  const double first = as_double(from);
  const double last = as_double(to);
  const double share = static_cast<double>(k) / static_cast<double>(steps - 1);
  return rounded(logarithmic ? first * std::pow(last / first, share) : first + (last - first) * share);
}

/// The nearest whole number; exact where steps are equal.
SettingValue AxisRange::whole_at(std::int64_t k) const {
  if (logarithmic) return static_cast<std::int64_t>(std::llround(real_at(k)));
  const Int128 first = std::get<std::int64_t>(from);
  const Int128 way = Int128{2} * k * (Int128{std::get<std::int64_t>(to)} - first);
  const Int128 parts = 2 * Int128{steps - 1};
  const Int128 half = way < 0 ? 1 - steps : steps - 1;
  return static_cast<std::int64_t>(first + (way + half) / parts);
}

std::vector<AxisValue> AxisRange::values(const std::string& path, const SourcePlace& place) const {
  const double first = as_double(from);
  const double last = as_double(to);
  const auto refuse = [&](const std::string& why) { throw ScenarioError(place, "sweep." + path, why); };
  if (!std::isfinite(first) || !std::isfinite(last)) refuse("from and to must be finite");
  if (steps < 2 || static_cast<std::size_t>(steps) > SweepAxes::max_points)
    refuse(fmt::format("steps must be a whole number from 2 to {}", SweepAxes::max_points));
  if (logarithmic && !(first > 0 && last > 0)) refuse("with scale = \"log\" from and to must be above zero");
  const bool whole = std::holds_alternative<std::int64_t>(from) && std::holds_alternative<std::int64_t>(to);
  std::vector<AxisValue> values;
  for (std::int64_t k = 0; k < steps; ++k) {
    const SettingValue value = k == 0           ? from
                               : k == steps - 1 ? to
                               : whole          ? whole_at(k)
                                                : SettingValue(real_at(k));
    if (!values.empty() && values.back().leaves.front().value == value)
      refuse(fmt::format("takes the value {} twice: fewer steps, or ends further apart", toml_text(value)));
    values.push_back({{{path, value, place}}, false});
  }
  return values;
}

void SweepAxes::add(SweepAxis axis) {
  const auto same =
      std::find_if(axes_.begin(), axes_.end(), [&](const SweepAxis& a) { return a.path == axis.path; });
  if (same != axes_.end())
    *same = std::move(axis);
  else
    axes_.push_back(std::move(axis));
}

void SweepAxes::zip(std::vector<std::vector<std::string>> groups, const SourcePlace& place) {
  zipped_ = std::move(groups);
  zip_place_ = place;
}

std::size_t SweepAxes::group_of(const std::string& path) const {
  for (std::size_t g = 0; g < zipped_.size(); ++g)
    if (std::find(zipped_[g].begin(), zipped_[g].end(), path) != zipped_[g].end()) return g;
  return zipped_.size();
}

void SweepAxes::refuse_overlap() const {
  for (const SweepAxis& a : axes_)
    for (const SweepAxis& b : axes_)
      if (b.path.starts_with(a.path + "."))
        throw ScenarioError(b.place, "sweep." + b.path, fmt::format("is a part of the axis {}", a.path));
}

void SweepAxes::refuse_bad_groups() const {
  const auto refuse = [&](const std::string& why) { throw ScenarioError(zip_place_, "sweep.zip", why); };
  for (std::size_t g = 0; g < zipped_.size(); ++g) {
    if (zipped_[g].size() < 2) refuse("needs two axes at least that go together");
    std::optional<std::size_t> length;
    for (const std::string& path : zipped_[g]) {
      const auto axis =
          std::find_if(axes_.begin(), axes_.end(), [&](const SweepAxis& a) { return a.path == path; });
      if (axis == axes_.end()) refuse(fmt::format("names {}, which is no axis of this sweep", path));
      if (std::count(zipped_[g].begin(), zipped_[g].end(), path) > 1 || group_of(path) != g)
        refuse(fmt::format("names {} twice", path));
      if (length && axis->values.size() != *length)
        refuse(fmt::format("{} has {} values, but {} has {}", path, axis->values.size(), zipped_[g].front(),
                           *length));
      length = axis->values.size();
    }
  }
}

void SweepAxes::arrange() {
  refuse_overlap();
  refuse_bad_groups();
  dimensions_.clear();
  points_ = 1;
  std::vector<std::optional<std::size_t>> dimension_of_group(zipped_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::size_t group = group_of(axes_[a].path);
    if (group < zipped_.size() && dimension_of_group[group]) {
      dimensions_[*dimension_of_group[group]].push_back(a);
      continue;
    }
    if (group < zipped_.size()) dimension_of_group[group] = dimensions_.size();
    dimensions_.push_back({a});
    if (points_ > max_points / axes_[a].values.size())
      throw ScenarioError(axes_[a].place, "sweep", fmt::format("has more than {} points", max_points));
    points_ *= axes_[a].values.size();
  }
}

std::vector<const AxisValue*> SweepAxes::point(std::size_t number) const {
  std::vector<const AxisValue*> values(axes_.size());
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    const std::size_t length = axes_[dimensions_[d].front()].values.size();
    for (const std::size_t a : dimensions_[d]) values[a] = &axes_[a].values[number % length];
    number /= length;
  }
  return values;
}

std::string SweepAxes::describe(std::size_t number) const {
  const auto values = point(number);
  std::string text;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    text += fmt::format("{}{} = {}", a == 0 ? "" : ", ", axes_[a].path, values[a]->text(axes_[a].path));
  return text;
}

std::string SweepAxes::text() const {
  std::string text = "\n[sweep]\n";
  for (const SweepAxis& axis : axes_) {
    std::vector<std::string> values;
    for (const AxisValue& v : axis.values)
      values.push_back(v.whole_table ? v.text(axis.path) : toml_text(*v.leaves.front().value));
    text += fmt::format("\"{}\" = [{}]\n", axis.path, fmt::join(values, ", "));
  }
  for (std::size_t g = 0; g < zipped_.size(); ++g)
    text += fmt::format("{}[\"{}\"]{}", g == 0 ? "zip = [" : ", ", fmt::join(zipped_[g], "\", \""),
                        g + 1 == zipped_.size() ? "]\n" : "");
  return text;
}

}  // namespace sotto
