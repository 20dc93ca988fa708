// SPDX-License-Identifier: MIT
// Figures: numbers that a run comes to. A figure is declared once, by whoever computes it, as a constant `Figure`; values are
// kept and saved by its name. Traces, tables, summaries, exports, checkpoints and records loop over the figures there are.
// Tests: tests/base/figure_test.cpp
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace sotto {

inline constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

enum class Better : std::uint8_t { lower, higher, neither };

enum class Scope : std::uint8_t {
  trace,  ///< at every observed iteration, and so at the end
  final,  ///< at the end
  cost,   ///< at the end: what the run cost
};

struct Figure {
  std::string_view name;  ///< in files
  std::string_view unit;  ///< empty: a pure number
  std::string_view help;  ///< one line
  Better better = Better::neither;
  Scope scope = Scope::trace;
  /// In tables for people: the column's title and format; no title: it is not in them.
  std::string_view title{};
  std::string_view format = "{:.4g}";
  double scale = 1;  ///< the value is multiplied by it there
};

/// A table's cell; empty for a figure that is not there.
std::string shown(const Figure& figure, double value);

/// Values by figure, in the order in which they were set first.
class FigureValues {
 public:
  void set(const Figure& figure, double value);
  /// no_figure where there is none.
  double get(std::string_view name) const;
  double get(const Figure& figure) const { return get(figure.name); }

  void save(Writer& w) const;
  static FigureValues load(Reader& r);

 private:
  std::vector<std::pair<std::string, double>> values_;
};

/// The same for every agent.
class AgentFigures {
 public:
  void set(const Figure& figure, std::size_t agent, double value);
  double get(const Figure& figure, std::size_t agent) const;
  std::size_t agents() const;

  void save(Writer& w) const;
  static AgentFigures load(Reader& r);

 private:
  std::vector<std::pair<std::string, std::vector<double>>> columns_;
};

/// What protocols count, by name: over all agents either the sum or the largest.
enum class Fold : std::uint8_t { sum, largest };

class Counters {
 public:
  void add(std::string_view name, Fold fold, double value);
  /// Adds another agent's.
  void merge(const Counters& other);
  /// no_figure where it was never counted.
  double get(std::string_view name) const;

  void save(Writer& w) const;
  static Counters load(Reader& r);
  bool operator==(const Counters&) const = default;

 private:
  struct Counter {
    std::string name;
    Fold fold;
    double value;

    bool operator==(const Counter&) const = default;
  };
  std::vector<Counter> counters_;
};

/// A figure of the cost of a run, from what its protocols counted.
struct CounterFigure {
  Figure figure;
  double (*of)(const Counters& counters);
};

}  // namespace sotto
