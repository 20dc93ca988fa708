#include "core/experiment/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/experiment/key_builders.h"

namespace sotto {

namespace {

bool plain_name(const std::string& s) {
  return !s.empty() && s.size() <= 100 && s.front() != '.' && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

void add_general(std::vector<Key>& t) {
  t.push_back({"name", "letters, digits, '.', '_' and '-'",
               "names the output folder; the file's name by default",
               [](Scenario& s, const KeyValue& v) -> Problem {
                 const auto* text = std::get_if<std::string>(&v);
                 if (text == nullptr || !plain_name(*text))
                   return "must be made of letters, digits, '.', '_' and '-'";
                 s.name = *text;
                 return {};
               },
               [](const Scenario& s) -> std::optional<KeyValue> { return s.name; }, always});
  t.push_back(whole(
      "seed", 0, INT64_MAX, [](Scenario & s) -> auto& { return s.seed; }, "everything random comes from it"));
  t.push_back(whole(
      "trials", 1, 1000000, [](Scenario & s) -> auto& { return s.trials; },
      "independent repetitions: new data, graph, split and start each"));
  t.push_back(choice(
      "entropy", {"seed", "os"}, [](Scenario & s) -> auto& { return s.entropy; },
      "where keys, masks and the exchange's factors come from; seed: for simulation; os: the system, so no "
      "run is the same as another"));
}

void add_output(std::vector<Key>& t) {
  t.push_back(flag(
      "output.factors", [](Scenario & s) -> auto& { return s.output.factors; },
      "write the final factors of every agent to factors.csv"));
  t.push_back(whole(
      "output.metrics_every", 1, 10'000'000, [](Scenario & s) -> auto& { return s.output.metrics_every; },
      "outer iterations between rows of the trace (global metrics cost a refit); the last is always there"));
  t.push_back(whole(
      "output.checkpoint_every", 0, 10'000'000,
      [](Scenario & s) -> auto& { return s.output.checkpoint_every; },
      "outer iterations between checkpoints; 0: never"));
  t.push_back(flag(
      "output.transcript", [](Scenario & s) -> auto& { return s.output.transcript; },
      "write every message that each agent saw to transcript.csv"));
  t.push_back(whole_list(
      "output.images", [](Scenario & s) -> auto& { return s.output.images; },
      "numbers of samples, from 1: draws them and their reconstructions, and the left factor, as PNG (first "
      "trial)"));
  t.push_back(flag(
      "output.events", [](Scenario & s) -> auto& { return s.output.events; },
      "write events.bin, which `sotto retime` needs"));
}

std::vector<Key> make_table() {
  std::vector<Key> t;
  add_general(t);
  add_topology_keys(t);
  add_link_and_cost_keys(t);
  add_data_keys(t);
  add_algorithm_keys(t);
  add_exchange_keys(t);
  add_application_keys(t);
  add_output(t);
  return t;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_table();
  return table;
}

const Key* find_key(std::string_view path) {
  for (const Key& key : keys())
    if (key.path == path) return &key;
  return nullptr;
}

std::string nearest_key(std::string_view path) {
  if (path.size() > 200) return {};
  const auto last_word = [](std::string_view p) { return p.substr(p.rfind('.') + 1); };
  std::string best;
  // a key in the wrong table counts as near: compare the last words too; ties go to the more similar whole
  auto distance = std::pair(std::max<std::size_t>(3, path.size() / 3), std::size_t{0});
  for (const Key& key : keys()) {
    const std::size_t whole = edit_distance(path, key.path);
    const std::size_t last = edit_distance(last_word(path), last_word(key.path)) + 2;
    const auto d = std::pair(std::min(whole, last), whole);
    if (d < distance) {
      distance = d;
      best = key.path;
    }
  }
  return best;
}

std::string toml_text(const KeyValue& value) {
  struct Text {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const {
      std::string text = "\"";
      for (const char c : s) {
        if (c == '"' || c == '\\')
          text += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 32 || c == 127)
          text += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        else
          text += c;
      }
      return text + "\"";
    }
    std::string operator()(const std::vector<double>& list) const {
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    std::string operator()(const std::vector<std::string>& list) const {
      std::string text;
      for (const std::string& s : list) text += (text.empty() ? "" : ", ") + (*this)(s);
      return "[" + text + "]";
    }
  };
  return std::visit(Text{}, value);
}

}  // namespace sotto
