// SPDX-License-Identifier: MIT
// Numbers in lines. The first line says what separates them; where none of its fields is a number it holds names.
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "core/data/formats.h"

namespace sotto {

namespace {

constexpr char blanks = ' ';

/// ';' before ',': where both are there, ',' is a decimal comma or part of a name.
char separator_of(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  for (const char c : {';', '\t', ','})
    if (line.find(c) != std::string_view::npos) return c;
  return blanks;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

struct Field {
  std::string_view text;  ///< until the reader moves on
  SourcePlace place;
};

/// Calls take(field) for every field of the line, and leaves the reader behind the line. "..." may hold separators.
template <class Take>
void each_field(DataReader& in, char separator, Take take) {
  for (;;) {
    if (separator == blanks && in.end_of_line()) break;
    while (in.peek(1) == " ") in.skip(1);
    const SourcePlace place = in.here();
    const bool quoted = in.peek(1) == "\"";
    if (quoted) in.skip(1);
    const std::string_view text = in.field(quoted ? '"' : separator);
    take(Field{quoted ? text : trimmed(text), place});
    if (quoted) {
      if (in.peek(1) != "\"") throw ScenarioError(place, "", "a quoted field does not end on its line");
      in.skip(1);
      if (!trimmed(in.field(separator)).empty())
        throw ScenarioError(place, "", "there is more after a quoted field");
    }
    const std::string_view next = in.peek(1);
    if (next.empty() || next[0] == '\n') break;
    in.skip(1);
  }
  in.skip_line();
}

/// Comments and lines of nothing. A tab that separates is something.
void skip_no_rows(DataReader& in, char separator) {
  if (separator != '\t') return in.skip_empty_lines('#');
  for (std::string_view next = in.peek(1); next == "\n" || next == "\r" || next == "#"; next = in.peek(1))
    in.skip_line();
}

double number_in(const Field& field, std::uint64_t number) {
  const auto value = number_of(field.text);
  if (!value)
    throw ScenarioError(
        field.place, "",
        field.text.empty()
            ? fmt::format("field {} is empty: every sample needs every feature", number)
            : fmt::format("field {} is '{}', not a finite number", number, printable(field.text)));
  return *value;
}

/// Where no field is a number: names, and the reader is behind them. Otherwise numbers, and the first that is none is an
/// error.
void read_first_line(DataReader& in, char separator, std::vector<std::string>& names,
                     std::vector<double>& numbers) {
  std::vector<std::string> texts;
  std::vector<SourcePlace> places;
  each_field(in, separator, [&](const Field& field) {
    texts.emplace_back(field.text);
    places.push_back(field.place);
  });
  bool any_number = false;
  for (const std::string& text : texts) any_number = any_number || number_of(text).has_value();
  if (!any_number) {
    names = std::move(texts);
    return;
  }
  for (std::size_t k = 0; k < texts.size(); ++k) numbers.push_back(number_in({texts[k], places[k]}, k + 1));
}

}  // namespace

bool is_csv(std::string_view, std::string_view) {
  return true;
}

FileData read_csv(DataReader& in, const ReadSettings& settings) {
  if (in.peek(3) == "\xEF\xBB\xBF") in.skip(3);  // a byte order mark
  skip_no_rows(in, '\t');
  const std::string_view head = in.peek(std::size_t{1} << 16);
  if (head.find('\0') != std::string_view::npos)
    in.fail_file("is neither text nor a format that can be read");
  const char separator = separator_of(head);
  skip_no_rows(in, separator);
  FileData data;
  std::vector<double> numbers;
  read_first_line(in, separator, data.names, numbers);
  const std::uint64_t columns = data.names.size() + numbers.size();
  std::uint64_t rows = numbers.empty() ? 0 : 1;
  for (skip_no_rows(in, separator); !in.at_end(); skip_no_rows(in, separator), ++rows) {
    const SourcePlace line = in.here();
    std::uint64_t fields = 0;
    each_field(in, separator, [&](const Field& field) { numbers.push_back(number_in(field, ++fields)); });
    if (fields != columns)
      throw ScenarioError(line, "", fmt::format("has {} fields, but {} were expected", fields, columns));
    if (numbers.size() > max_entries) in.fail(fmt::format("more than {} numbers", max_entries));
  }
  data.samples = from_rows(std::move(numbers), rows, columns, settings.samples_are_columns);
  if (settings.samples_are_columns) data.names.clear();  // they name samples
  return data;
}

}  // namespace sotto
