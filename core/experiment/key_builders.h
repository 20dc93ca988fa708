// How a row of the table of keys is made: one function per kind of value. Only keys.cpp and its parts, keys_*.cpp, include
// this.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/experiment/keys.h"

namespace sotto {

// The parts of the table, in its order.
void add_topology_keys(std::vector<Key>& table);
void add_link_and_cost_keys(std::vector<Key>& table);
void add_data_keys(std::vector<Key>& table);
void add_algorithm_keys(std::vector<Key>& table);
void add_exchange_keys(std::vector<Key>& table);
void add_application_keys(std::vector<Key>& table);

using Used = std::function<bool(const Scenario&)>;
using Problem = std::optional<std::string>;

inline const Used always = [](const Scenario&) { return true; };
inline const Used never = [](const Scenario&) { return false; };

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

inline std::optional<double> as_number(const KeyValue& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&v)) return *d;
  return {};
}

template <class Access>
Key whole(std::string path, std::int64_t low, std::int64_t high, Access access, std::string help,
          Used used = always) {
  std::string allowed = low == high ? fmt::format("{}: this version has nothing else", low)
                                    : fmt::format("a whole number from {} to {}", low, high);
  return {std::move(path),
          allowed,
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto* i = std::get_if<std::int64_t>(&v);
            if (i == nullptr || *i < low || *i > high) return "must be " + allowed;
            access(s) = static_cast<std::remove_reference_t<decltype(access(s))>>(*i);
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> {
            return static_cast<std::int64_t>(access(const_cast<Scenario&>(s)));
          },
          std::move(used)};
}

template <class Access>
Key real(std::string path, double low, double high, bool above_low, Access access, std::string help,
         Used used = always) {
  std::string allowed = low == high ? fmt::format("{}: this version has nothing else", low)
                        : above_low ? fmt::format("a number above {} and up to {}", low, high)
                                    : fmt::format("a number from {} to {}", low, high);
  return {std::move(path),
          allowed,
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto x = as_number(v);
            if (!x || !(*x >= low && *x <= high) || (above_low && *x == low)) return "must be " + allowed;
            access(s) = *x;
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> { return access(const_cast<Scenario&>(s)); },
          std::move(used)};
}

template <class Access>
Key choice(std::string path, std::vector<std::string> names, Access access, std::string help,
           Used used = always) {
  std::string allowed = names.size() == 1 ? fmt::format("\"{}\"", names.front())
                                          : fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
  return {std::move(path),
          allowed,
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto* text = std::get_if<std::string>(&v);
            if (text == nullptr || std::find(names.begin(), names.end(), *text) == names.end())
              return "must be " + allowed;
            access(s) = *text;
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> { return access(const_cast<Scenario&>(s)); },
          std::move(used)};
}

inline bool is_path(const std::string& text) {
  return !text.empty() && text.find('\0') == std::string::npos;
}

/// Empty where it is not set.
template <class Access>
Key path_of_file(std::string path, std::string allowed, std::string help, Access access,
                 const std::string& must_be, Used used = always) {
  return {std::move(path),
          std::move(allowed),
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto* text = std::get_if<std::string>(&v);
            if (text == nullptr || !is_path(*text)) return "must be " + must_be;
            access(s) = *text;
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> {
            const std::string& text = access(const_cast<Scenario&>(s));
            if (text.empty()) return {};
            return text;
          },
          std::move(used)};
}

template <class Access>
Key flag(std::string path, Access access, std::string help, Used used = always) {
  return {std::move(path),
          "true or false",
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto* b = std::get_if<bool>(&v);
            if (b == nullptr) return "must be true or false";
            access(s) = *b;
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> { return access(const_cast<Scenario&>(s)); },
          std::move(used)};
}

template <class Access>
Key whole_list(std::string path, Access access, std::string help, Used used = always) {
  return {std::move(path),
          "a list of whole numbers from 0",
          std::move(help),
          [=](Scenario& s, const KeyValue& v) -> Problem {
            const auto* list = std::get_if<std::vector<double>>(&v);
            if (list == nullptr) return "must be a list of whole numbers from 0";
            access(s).clear();
            for (const double x : *list) {
              if (!(x >= 0 && x <= 1e9 && x == std::floor(x)))
                return "must be a list of whole numbers from 0";
              access(s).push_back(static_cast<std::int64_t>(x));
            }
            return {};
          },
          [=](const Scenario& s) -> std::optional<KeyValue> {
            const auto& list = access(const_cast<Scenario&>(s));
            if (list.empty()) return {};
            return std::vector<double>(list.begin(), list.end());
          },
          std::move(used)};
}

}  // namespace sotto
