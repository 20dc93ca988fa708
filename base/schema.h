// SPDX-License-Identifier: MIT
// Settings: one row per setting of a scenario file. A room that has options writes the rows beside them:
//
//   struct LinkOptions { double latency_ms = 5; Duplex duplex = Duplex::full; };
//
//   Schema link_settings() {
//     SchemaOf<LinkOptions> s("link");
//     s.real("latency_ms", &LinkOptions::latency_ms, {0, 1e7}, "from the last byte sent to its arrival").unit("ms");
//     s.word(&LinkOptions::duplex, "full: each direction has the bandwidth for itself; half: both share it");
//     return s.take();
//   }
//
// Reading files, `--set`, `--resolved`, hashing, sweep axes, shell completion and the reference in the documents loop over
// rows. A new setting is one member and one row. Instead of a member, an accessor may be given:
// `[](auto& o) -> auto& { return o.shape.agents; }`.
// Tests: tests/core/experiment/scenario_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/options.h"
#include "base/words.h"

namespace sotto {

/// A value as it stands in a file, freed of the parser's types. Lists hold numbers, or strings.
using SettingValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;

/// What is wrong with a value; nothing: it is accepted.
using Problem = std::optional<std::string>;

/// Why nothing looks at a setting: "exchange.scheme is plain", or empty if there is nothing to say; no value: it is used.
using Unused = std::optional<std::string>;

struct Setting {
  std::string path;     ///< "topology.agents"
  std::string allowed;  ///< "a whole number from 1 to 1000000"
  std::string help;     ///< one line
  std::string unit;     ///< empty: a pure number, or a word
  std::function<Problem(OptionSet&, const SettingValue&)> read;
  /// The value in force; nothing where the setting has no value of its own (an alternative is in force).
  std::function<std::optional<SettingValue>(const OptionSet&)> write;
  /// Whether nothing looks at it under these options, and why.
  std::function<Unused(const OptionSet&)> unused;
};

using Schema = std::vector<Setting>;

/// Appends the rows of `more` whose paths are not there yet.
void append(Schema& to, Schema more);
/// The rows of `all` with these paths, in this order.
Schema only(const Schema& all, const std::vector<std::string>& paths);
/// A row that is looked at only where `when` says so, too. `why`: the reason where it does not.
void restrict_use(Schema& rows, const std::string& path, const std::function<bool(const OptionSet&)>& when,
                  const std::function<std::string(const OptionSet&)>& why);
/// Null: there is no such row.
const Setting* find_setting(const Schema& rows, std::string_view path);

struct WholeRange {
  std::int64_t low;
  std::int64_t high;

  std::string text() const;
};

/// Both ends included, unless `above_low`.
struct RealRange {
  double low;
  double high;
  bool above_low = false;

  bool holds(double x) const;
  std::string text() const;
};

std::optional<double> as_number(const SettingValue& value);
bool is_path(const std::string& text);
/// Names of files and methods: letters, digits, '.', '_' and '-', at most 100, no '.' first.
bool is_plain_name(const std::string& text);
inline constexpr const char* plain_name_rule = "letters, digits, '.', '_' and '-'";

/// The names of a table's entries.
template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(entry)>>)
      names.emplace_back(entry->name);
    else
      names.emplace_back(entry.name);
  }
  return names;
}

/// Makes the rows of one options struct.
template <class Options>
class SchemaOf {
 public:
  /// `table`: of the scenario file; empty: settings outside any table.
  explicit SchemaOf(std::string table) : table_(std::move(table)) {}

  /// What a row may say besides; valid until the next row is made.
  class Row {
   public:
    explicit Row(Setting& setting) : setting_(&setting) {}

    Row& unit(std::string text) {
      setting_->unit = std::move(text);
      return *this;
    }
    /// It is looked at where `when(options)`; always, unless this is said. `why`: the reason where it is not.
    Row& used(std::function<bool(const Options&)> when, std::function<std::string(const Options&)> why) {
      setting_->unused = [when = std::move(when), why = std::move(why)](const OptionSet& all) -> Unused {
        const auto& options = all.get<Options>();
        if (when(options)) return {};
        return why(options);
      };
      return *this;
    }
    /// The value is written out where `when(options)`.
    Row& written(std::function<bool(const Options&)> when) {
      setting_->write = [write = setting_->write, when = std::move(when)](const OptionSet& all) {
        return when(all.get<Options>()) ? write(all) : std::nullopt;
      };
      return *this;
    }
    /// Before a value is read.
    Row& first(std::function<void(Options&)> change) {
      setting_->read = [read = setting_->read, change = std::move(change)](OptionSet& all,
                                                                           const SettingValue& v) {
        change(all.edit<Options>());
        return read(all, v);
      };
      return *this;
    }
    /// Also takes `word`, which sets the flag; a number clears it.
    template <class Flag>
    Row& or_word(const std::string& word, Flag flag) {
      setting_->allowed += ", or \"" + word + "\"";
      setting_->read = [read = setting_->read, word, flag](OptionSet& all, const SettingValue& v) -> Problem {
        const auto* text = std::get_if<std::string>(&v);
        bool& chosen = std::invoke(flag, all.edit<Options>());
        chosen = text != nullptr && *text == word;
        if (chosen) return {};
        const Problem problem = read(all, v);
        if (problem) return *problem + ", or \"" + word + "\"";
        return {};
      };
      setting_->write = [write = setting_->write, word,
                         flag](const OptionSet& all) -> std::optional<SettingValue> {
        if (std::invoke(flag, all.get<Options>())) return SettingValue(word);
        return write(all);
      };
      return *this;
    }

   private:
    Setting* setting_;
  };

  template <class Access>
  Row whole(std::string_view name, Access access, WholeRange range, std::string help) {
    const std::string allowed = range.text();
    return add(
        name, allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* i = std::get_if<std::int64_t>(&v);
          if (i == nullptr || *i < range.low || *i > range.high) return "must be " + allowed;
          auto& to = std::invoke(access, o);
          to = static_cast<std::remove_reference_t<decltype(to)>>(*i);
          return {};
        },
        [=](const Options& o) -> std::optional<SettingValue> {
          return static_cast<std::int64_t>(std::invoke(access, o));
        });
  }

  template <class Access>
  Row real(std::string_view name, Access access, RealRange range, std::string help) {
    const std::string allowed = range.text();
    return add(
        name, allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto x = as_number(v);
          if (!x || !range.holds(*x)) return "must be " + allowed;
          std::invoke(access, o) = *x;
          return {};
        },
        [=](const Options& o) -> std::optional<SettingValue> { return std::invoke(access, o); });
  }

  /// An enumeration: its setting is named in Words<E>.
  template <class Access>
  Row word(Access access, std::string help) {
    using E = std::remove_cvref_t<decltype(std::invoke(access, std::declval<Options&>()))>;
    const std::string allowed = one_of(words_of<E>());
    return add(
        Words<E>::setting.substr(table_.empty() ? 0 : table_.size() + 1), allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* text = std::get_if<std::string>(&v);
          for (const auto& entry : Words<E>::all)
            if (text != nullptr && entry.word == *text) {
              std::invoke(access, o) = entry.value;
              return {};
            }
          return "must be " + allowed;
        },
        [=](const Options& o) -> std::optional<SettingValue> {
          return std::string(word_of(std::invoke(access, o)));
        });
  }

  /// The name of an entry of a table, which may grow while the program starts: asked for when it is needed.
  template <class Access>
  Row name(std::string_view name_of_setting, Access access, const std::vector<std::string>& names,
           std::string help) {
    const std::string allowed = one_of(names);
    return add(
        name_of_setting, allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* text = std::get_if<std::string>(&v);
          for (const std::string& known : names)
            if (text != nullptr && known == *text) {
              std::invoke(access, o) = *text;
              return {};
            }
          return "must be " + allowed;
        },
        [=](const Options& o) -> std::optional<SettingValue> { return std::invoke(access, o); });
  }

  template <class Access>
  Row flag(std::string_view name, Access access, std::string help) {
    return add(
        name, "true or false", std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* b = std::get_if<bool>(&v);
          if (b == nullptr) return "must be true or false";
          std::invoke(access, o) = *b;
          return {};
        },
        [=](const Options& o) -> std::optional<SettingValue> { return std::invoke(access, o); });
  }

  /// Empty where it is not set.
  template <class Access>
  Row path(std::string_view name, Access access, std::string allowed, std::string help) {
    return add(
        name, allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* text = std::get_if<std::string>(&v);
          if (text == nullptr || !is_path(*text)) return "must be " + allowed;
          std::invoke(access, o) = *text;
          return {};
        },
        [=](const Options& o) -> std::optional<SettingValue> {
          const std::string& text = std::invoke(access, o);
          if (text.empty()) return {};
          return text;
        });
  }

  /// Whole numbers from 0; empty where it is not set.
  template <class Access>
  Row whole_list(std::string_view name, Access access, std::string help) {
    const std::string allowed = "a list of whole numbers from 0";
    return add(
        name, allowed, std::move(help),
        [=](Options& o, const SettingValue& v) -> Problem {
          const auto* list = std::get_if<std::vector<double>>(&v);
          if (list == nullptr) return "must be " + allowed;
          auto& to = std::invoke(access, o);
          to.clear();
          for (const double x : *list) {
            if (!(x >= 0 && x <= 1e9 && x == static_cast<double>(static_cast<std::int64_t>(x))))
              return "must be " + allowed;
            to.push_back(static_cast<std::int64_t>(x));
          }
          return {};
        },
        [=](const Options& o) -> std::optional<SettingValue> {
          const auto& list = std::invoke(access, o);
          if (list.empty()) return {};
          return std::vector<double>(list.begin(), list.end());
        });
  }

  /// A row of its own kind.
  Row add(std::string_view name, std::string allowed, std::string help,
          std::function<Problem(Options&, const SettingValue&)> read,
          std::function<std::optional<SettingValue>(const Options&)> write) {
    Setting row;
    row.path = table_.empty() ? std::string(name) : table_ + "." + std::string(name);
    row.allowed = std::move(allowed);
    row.help = std::move(help);
    row.read = [read = std::move(read)](OptionSet& all, const SettingValue& v) {
      return read(all.edit<Options>(), v);
    };
    row.write = [write = std::move(write)](const OptionSet& all) { return write(all.get<Options>()); };
    row.unused = [](const OptionSet&) -> Unused { return {}; };
    rows_.push_back(std::move(row));
    return Row(rows_.back());
  }

  Schema take() { return std::move(rows_); }

 private:
  std::string table_;
  Schema rows_;
};

/// Where each setting was given last; the scenario file as a whole for those that were not.
class SettingPlaces {
 public:
  explicit SettingPlaces(std::string source) : source_(std::move(source)) {}

  void add(const std::string& path, const SourcePlace& place) { places_[path] = place; }
  bool has(const std::string& path) const { return places_.contains(path); }
  SourcePlace of(const std::string& path) const;
  /// ScenarioError at the place of a setting.
  [[noreturn]] void refuse(const std::string& path, const std::string& problem) const;

 private:
  std::string source_;
  std::map<std::string, SourcePlace> places_;
};

}  // namespace sotto
