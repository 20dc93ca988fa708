// SPDX-License-Identifier: MIT
#include "core/scenario/scenario_document.h"

#include <fmt/format.h>
// toml++ 3.3 asserts what malformed files break, then reports the error itself: in every build, let it
// report.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <map>

namespace sotto {

namespace {

SourcePlace place_of(const toml::source_region& region, const std::string& source) {
  return {source, region.begin.line, region.begin.column};
}

std::optional<SettingValue> to_value(const toml::node& node) {
  if (const auto* b = node.as_boolean()) return SettingValue(b->get());
  if (const auto* i = node.as_integer()) return SettingValue(i->get());
  if (const auto* d = node.as_floating_point()) return SettingValue(d->get());
  if (const auto* s = node.as_string()) return SettingValue(s->get());
  const auto* array = node.as_array();
  if (array == nullptr) return {};
  if (!array->empty() && array->is_homogeneous<std::string>()) {
    std::vector<std::string> texts;
    for (const toml::node& element : *array) texts.push_back(*element.value<std::string>());
    return SettingValue(std::move(texts));
  }
  std::vector<double> list;
  for (const toml::node& element : *array) {
    if (!element.is_number()) return {};
    list.push_back(*element.value<double>());
  }
  return SettingValue(std::move(list));
}

[[noreturn]] void unknown_setting(const SettingTable& table, const SourcePlace& place,
                                  const std::string& path) {
  const std::string near = table.nearest(path);
  throw ScenarioError(
      place, path, near.empty() ? "unknown setting" : fmt::format("unknown setting; did you mean {}?", near));
}

void flatten(const SettingTable& settings, const toml::node& node, const std::string& path,
             const SourcePlace& place, std::vector<Leaf>& leaves) {
  const toml::table* table = node.as_table();
  const bool known = settings.find(path) != nullptr;
  if (table == nullptr || (known && !settings.is_table(path))) {
    if (!known) {
      if (settings.is_table(path)) throw ScenarioError(place, path, "must be a table");
      unknown_setting(settings, place, path);
    }
    leaves.push_back({path, table == nullptr ? to_value(node) : std::nullopt, place});
    return;
  }
  if (!settings.is_table(path)) unknown_setting(settings, place, path);
  for (const auto& [key, value] : *table) {
    const SourcePlace here =
        place.line == 0
            ? place
            : place_of(key.source().begin.line != 0 ? key.source() : value.source(), place.source);
    const std::string inner = path + "." + std::string(key.str());
    if (key.str().find('.') != std::string_view::npos) unknown_setting(settings, here, inner);
    flatten(settings, value, inner, here, leaves);
  }
}

void apply(const SettingTable& settings, const std::vector<Leaf>& leaves, OptionSet& options) {
  for (const Leaf& leaf : leaves) {
    const Setting* setting = settings.find(leaf.path);
    const auto problem =
        leaf.value ? setting->read(options, *leaf.value) : std::optional("must be " + setting->allowed);
    if (problem) throw ScenarioError(leaf.place, leaf.path, *problem);
  }
}

/// `--set path=...`: the value, as TOML.
toml::table parse_assignment(const Assignment& setting, const SourcePlace& here) {
  toml::table parsed;
  try {
    parsed = toml::parse("value = " + setting.second);
  } catch (const toml::parse_error&) {
    parsed = toml::table{{"value", setting.second}};
  }
  if (parsed.size() != 1 || !parsed.contains("value"))
    throw ScenarioError(here, setting.first, "must be one value");
  return parsed;
}

/// "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

constexpr const char* axis_forms =
    "must be a list of values, or { from = ..., to = ..., steps = ... } with scale = \"linear\" or \"log\"";

std::vector<AxisValue> read_list(const SettingTable& settings, const toml::array& list,
                                 const std::string& path, const SourcePlace& here) {
  if (list.empty()) throw ScenarioError(here, "sweep." + path, "needs one value at least");
  std::vector<AxisValue> values;
  for (const toml::node& element : list) {
    const SourcePlace there = here.line == 0 ? here : place_of(element.source(), here.source);
    AxisValue value;
    flatten(settings, element, path, there, value.leaves);
    value.whole_table = element.is_table();
    for (const Leaf& leaf : value.leaves)
      if (!leaf.value)
        throw ScenarioError(there, "sweep." + leaf.path, "must be " + settings.find(leaf.path)->allowed);
    if (value.leaves.empty()) throw ScenarioError(there, "sweep." + path, "has an empty table");
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<AxisValue> read_range(const SettingTable& settings, const toml::table& table,
                                  const std::string& path, const SourcePlace& here) {
  AxisRange range;
  const auto refuse = [&](const std::string& why) { throw ScenarioError(here, "sweep." + path, why); };
  if (settings.find(path) == nullptr) unknown_setting(settings, here, "sweep." + path);
  for (const char* needed : {"from", "to", "steps"})
    if (!table.contains(needed)) refuse(axis_forms);
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (name == "from" || name == "to") {
      if (!value.is_number()) refuse(name + " must be a number");
      (name == "from" ? range.from : range.to) = *to_value(value);
    } else if (name == "steps") {
      range.steps = value.is_integer() ? *value.value<std::int64_t>() : 0;
    } else if (name == "scale") {
      const auto scale = value.value<std::string>().value_or("");
      if (scale != "linear" && scale != "log") refuse("scale must be \"linear\" or \"log\"");
      range.logarithmic = scale == "log";
    } else {
      refuse(axis_forms);
    }
  }
  return range.values(path, here);
}

std::vector<std::string> read_group(const toml::node& node, const SourcePlace& here) {
  const toml::array* array = node.as_array();
  std::vector<std::string> group;
  if (array != nullptr && array->is_homogeneous<std::string>())
    for (const toml::node& name : *array) group.push_back(*name.value<std::string>());
  if (group.empty())
    throw ScenarioError(here, "sweep.zip",
                        "must be a list of axes that go together, or a list of such lists");
  return group;
}

void read_zip(const toml::node& node, const SourcePlace& here, SweepAxes& sweep) {
  const toml::array* array = node.as_array();
  std::vector<std::vector<std::string>> groups;
  if (array != nullptr && !array->empty() && array->get(0)->is_array())
    for (const toml::node& group : *array) groups.push_back(read_group(group, here));
  else if (array == nullptr || !array->empty())
    groups.push_back(read_group(node, here));
  sweep.zip(std::move(groups), here);
}

/// `path` without "sweep.": an axis, or a table of axes (exchange.keys and [sweep.exchange] are the same to TOML).
void read_axes(const SettingTable& settings, const toml::node& node, const std::string& path,
               const SourcePlace& here, std::vector<SweepAxis>& axes) {
  if (const toml::array* list = node.as_array()) {
    if (settings.find(path) == nullptr && !settings.is_table(path))
      unknown_setting(settings, here, "sweep." + path);
    axes.push_back({path, here, read_list(settings, *list, path, here)});
    return;
  }
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    if (settings.find(path) == nullptr && !settings.is_table(path))
      unknown_setting(settings, here, "sweep." + path);
    throw ScenarioError(here, "sweep." + path, axis_forms);
  }
  if (!settings.is_table(path) || table->contains("from")) {
    axes.push_back({path, here, read_range(settings, *table, path, here)});
    return;
  }
  for (const auto& [key, value] : *table)
    read_axes(settings, value, path + "." + std::string(key.str()),
              here.line == 0 ? here : place_of(key.source(), here.source), axes);
}

}  // namespace

/// What knows the parser's types.
struct ScenarioDocument::Parser {
  static MethodText read_method(const SettingTable& settings, const toml::table& table,
                                const std::string& source, std::size_t number) {
    const std::string where = fmt::format("method[{}]", number);
    MethodText method;
    method.place = place_of(table.source(), source);
    for (const auto& [key, value] : table) {
      const SourcePlace here = place_of(key.source(), source);
      if (key.str() == "name") {
        method.name = value.value<std::string>().value_or("");
        if (!value.is_string() || !is_plain_name(method.name))
          throw ScenarioError(here, where + ".name", std::string("must be ") + plain_name_rule);
      } else if (key.str() == "set") {
        const toml::table* set = value.as_table();
        if (set == nullptr)
          throw ScenarioError(here, where + ".set",
                              "must be a table of settings, { \"algorithm.mu\" = 0.1 }");
        for (const auto& [path, setting] : *set) {
          const std::string full(path.str());
          const SourcePlace there = place_of(path.source(), source);
          const std::size_t before = method.leaves.size();
          flatten(settings, setting, full, there, method.leaves);
          for (std::size_t k = before; k < method.leaves.size(); ++k)
            if (!settings.method_may_set(method.leaves[k].path))
              throw ScenarioError(there, where + ".set." + full,
                                  fmt::format("a method runs in the same trials: only {} can differ",
                                              listed(settings.tables_of_methods())));
        }
      } else {
        throw ScenarioError(here, where + "." + std::string(key.str()),
                            "unknown setting; a method has name and set");
      }
    }
    if (method.name.empty()) throw ScenarioError(method.place, where, "needs a name");
    return method;
  }

  static void read_methods(const toml::node& node, const SourcePlace& here, ScenarioDocument& to) {
    const toml::array* array = node.as_array();
    if (array == nullptr) throw ScenarioError(here, "method", "must be written as [[method]]");
    for (const toml::node& element : *array) {
      const toml::table* table = element.as_table();
      if (table == nullptr) throw ScenarioError(here, "method", "must be written as [[method]]");
      to.methods_.push_back(read_method(*to.table_, *table, to.source_, to.methods_.size()));
    }
  }

  /// In the order in which they are written.
  static void read_sweep(const toml::node& node, const SourcePlace& here, ScenarioDocument& to) {
    const toml::table* table = node.as_table();
    if (table == nullptr) throw ScenarioError(here, "sweep", "must be a table");
    std::vector<SweepAxis> axes;
    for (const auto& [key, value] : *table) {
      const SourcePlace there = place_of(key.source(), to.source_);
      if (key.str() == "zip")
        read_zip(value, there, to.sweep_);
      else
        read_axes(*to.table_, value, std::string(key.str()), there, axes);
    }
    std::stable_sort(axes.begin(), axes.end(), [](const SweepAxis& a, const SweepAxis& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    for (SweepAxis& axis : axes) {
      for (const SweepAxis& other : to.sweep_.axes())
        if (other.path == axis.path) throw ScenarioError(axis.place, "sweep." + axis.path, "is there twice");
      to.sweep_.add(std::move(axis));
    }
  }
};

ScenarioDocument::ScenarioDocument(const SettingTable& settings, const std::string& text,
                                   const std::string& source)
    : table_(&settings), source_(source) {
  toml::table root;
  try {
    root = toml::parse(text, source);
  } catch (const toml::parse_error& e) {
    throw ScenarioError(place_of(e.source(), source), "", std::string(e.description()));
  }
  for (const auto& [key, value] : root) {
    const std::string path(key.str());
    const SourcePlace here = place_of(key.source(), source);
    if (path.find('.') != std::string::npos) unknown_setting(*table_, here, '"' + path + '"');
    if (path == "method")
      Parser::read_methods(value, here, *this);
    else if (path == "sweep")
      Parser::read_sweep(value, here, *this);
    else
      flatten(*table_, value, path, here, leaves_);
  }
}

void ScenarioDocument::set(const Assignment& assignment) {
  const std::string& path = assignment.first;
  const SourcePlace here{"--set " + path + "=" + assignment.second, 0, 0};
  if (path == "method" || path == "sweep")
    throw ScenarioError(here, path, "cannot be set from the command line");
  const toml::table parsed = parse_assignment(assignment, here);
  const toml::node& value = *parsed.get("value");
  constexpr std::string_view axis = "sweep.";
  if (path == "sweep.zip") {
    read_zip(value, here, sweep_);
  } else if (path.starts_with(axis)) {
    std::vector<SweepAxis> axes;
    read_axes(*table_, value, path.substr(axis.size()), here, axes);
    for (SweepAxis& a : axes) sweep_.add(std::move(a));
  } else {
    if (value.is_table())  // a whole table replaces what the file says
      std::erase_if(leaves_, [&](const Leaf& leaf) { return leaf.path.starts_with(path + "."); });
    flatten(*table_, value, path, here, leaves_);
  }
}

ScenarioDocument ScenarioDocument::point(std::size_t number) const {
  ScenarioDocument document(*table_);
  document.source_ = source_;
  document.leaves_ = leaves_;
  document.methods_ = methods_;
  const auto values = sweep_.point(number);
  for (std::size_t a = 0; a < values.size(); ++a) {
    const std::string table = sweep_.axes()[a].path + ".";
    if (values[a]->whole_table)
      std::erase_if(document.leaves_, [&](const Leaf& leaf) { return leaf.path.starts_with(table); });
    document.leaves_.insert(document.leaves_.end(), values[a]->leaves.begin(), values[a]->leaves.end());
  }
  return document;
}

std::optional<std::string> ScenarioDocument::set_and_swept() const {
  for (const SweepAxis& axis : sweep_.axes())
    for (const Leaf& leaf : leaves_)
      if (leaf.place.line == 0 && (leaf.path == axis.path || leaf.path.starts_with(axis.path + ".") ||
                                   axis.path.starts_with(leaf.path + ".")))
        return axis.path;
  return {};
}

OptionSet ScenarioDocument::main(OptionSet start) const {
  apply(*table_, leaves_, start);
  return start;
}

std::vector<Method> ScenarioDocument::methods(const std::string& main_name, const OptionSet& main) const {
  std::vector<Method> result{{main_name, main}};
  for (const MethodText& text : methods_) {
    Method method{text.name, main};
    apply(*table_, text.leaves, method.options);
    for (const Method& other : result)
      if (other.name == method.name)
        throw ScenarioError(text.place, "method",
                            fmt::format("the name \"{}\" is taken already", method.name));
    result.push_back(std::move(method));
  }
  return result;
}

SettingPlaces ScenarioDocument::places() const {
  SettingPlaces places(source_);
  for (const Leaf& leaf : leaves_) places.add(leaf.path, leaf.place);
  return places;
}

SettingPlaces ScenarioDocument::places_of_method(std::size_t number) const {
  SettingPlaces places = this->places();
  if (number > 0)
    for (const Leaf& leaf : methods_[number - 1].leaves) places.add(leaf.path, leaf.place);
  return places;
}

std::vector<UnusedSetting> ScenarioDocument::unused(const std::vector<Method>& methods) const {
  std::map<std::string, UnusedSetting> found;
  const auto look = [&](const std::vector<Leaf>& leaves, const Method& whose) {
    for (const Leaf& leaf : leaves) {
      const Setting& row = *table_->find(leaf.path);
      const auto uses = [&](const Method& m) { return !row.unused(m.options); };
      if (std::none_of(methods.begin(), methods.end(), uses))
        found[leaf.path] = {leaf.path, leaf.place.source, *row.unused(whose.options)};
    }
  };
  for (std::size_t m = 0; m < methods_.size(); ++m) look(methods_[m].leaves, methods[m + 1]);
  look(leaves_, methods.front());
  std::vector<UnusedSetting> all;
  for (auto& [path, setting] : found) all.push_back(std::move(setting));
  return all;
}

std::string UnusedSetting::text() const {
  return fmt::format("{}: `{}` is set, but nothing uses it{}{}", source, path, reason.empty() ? "" : ": ",
                     reason);
}

std::string resolved_text(const SettingTable& settings, const std::vector<Method>& methods) {
  const OptionSet& main = methods.front().options;
  std::string text;
  std::string table;
  for (const Setting& setting : settings.all()) {
    const auto value = setting.write(main);
    if (!value) continue;
    const std::size_t dot = setting.path.find('.');
    const std::string its_table = dot == std::string::npos ? "" : setting.path.substr(0, dot);
    if (its_table != table) text += fmt::format("\n[{}]\n", table = its_table);
    text += fmt::format("{} = {}\n", setting.path.substr(dot == std::string::npos ? 0 : dot + 1),
                        toml_text(*value));
  }
  for (std::size_t m = 1; m < methods.size(); ++m) {
    std::string set;
    for (const Setting& setting : settings.all()) {
      const auto value = setting.write(methods[m].options);
      if (value && value != setting.write(main))
        set += fmt::format("{}\"{}\" = {}", set.empty() ? " " : ", ", setting.path, toml_text(*value));
    }
    text += fmt::format("\n[[method]]\nname = \"{}\"\nset = {{{} }}\n", methods[m].name, set);
  }
  return text;
}

}  // namespace sotto
