// SPDX-License-Identifier: MIT
#include "base/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace sotto {

std::string shown(const Figure& figure, double value) {
  return std::isnan(value) ? "" : fmt::format(fmt::runtime(figure.format), value * figure.scale);
}

void FigureValues::set(const Figure& figure, double value) {
  for (auto& [name, held] : values_)
    if (name == figure.name) {
      held = value;
      return;
    }
  values_.emplace_back(figure.name, value);
}

double FigureValues::get(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  return no_figure;
}

void FigureValues::save(Writer& w) const {
  w.put<std::uint64_t>(values_.size());
  for (const auto& [name, value] : values_) {
    w.text(name);
    w.put(value);
  }
}

FigureValues FigureValues::load(Reader& r) {
  FigureValues values;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    std::string name = r.text();
    values.values_.emplace_back(std::move(name), r.get<double>());
  }
  return values;
}

void AgentFigures::set(const Figure& figure, std::size_t agent, double value) {
  auto at = std::find_if(columns_.begin(), columns_.end(),
                         [&](const auto& column) { return column.first == figure.name; });
  if (at == columns_.end()) at = columns_.emplace(columns_.end(), figure.name, std::vector<double>{});
  if (at->second.size() <= agent) at->second.resize(agent + 1, no_figure);
  at->second[agent] = value;
}

double AgentFigures::get(const Figure& figure, std::size_t agent) const {
  for (const auto& [name, values] : columns_)
    if (name == figure.name) return agent < values.size() ? values[agent] : no_figure;
  return no_figure;
}

std::size_t AgentFigures::agents() const {
  std::size_t most = 0;
  for (const auto& column : columns_) most = std::max(most, column.second.size());
  return most;
}

void AgentFigures::save(Writer& w) const {
  w.put<std::uint64_t>(columns_.size());
  for (const auto& [name, values] : columns_) {
    w.text(name);
    w.list(values);
  }
}

AgentFigures AgentFigures::load(Reader& r) {
  AgentFigures figures;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    std::string name = r.text();
    figures.columns_.emplace_back(std::move(name), r.list<double>());
  }
  return figures;
}

void Counters::add(std::string_view name, Fold fold, double value) {
  for (Counter& c : counters_)
    if (c.name == name) {
      c.value = fold == Fold::sum ? c.value + value : std::max(c.value, value);
      return;
    }
  counters_.push_back({std::string(name), fold, value});
}

void Counters::merge(const Counters& other) {
  for (const Counter& c : other.counters_) add(c.name, c.fold, c.value);
}

double Counters::get(std::string_view name) const {
  for (const Counter& c : counters_)
    if (c.name == name) return c.value;
  return no_figure;
}

void Counters::save(Writer& w) const {
  w.put<std::uint64_t>(counters_.size());
  for (const Counter& c : counters_) {
    w.text(c.name);
    w.put<std::uint8_t>(static_cast<std::uint8_t>(c.fold));
    w.put(c.value);
  }
}

Counters Counters::load(Reader& r) {
  Counters counters;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    std::string name = r.text();
    const auto fold = r.get<std::uint8_t>();
    if (fold > static_cast<std::uint8_t>(Fold::largest)) throw FormatError("a counter of an unknown kind");
    counters.counters_.push_back({std::move(name), static_cast<Fold>(fold), r.get<double>()});
  }
  return counters;
}

}  // namespace sotto
