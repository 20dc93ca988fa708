// SPDX-License-Identifier: MIT
#include "core/measures/application.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

extern const ApplicationKind topics_application;
extern const ApplicationKind ratings_application;
extern const ApplicationKind approximation_application;
extern const ApplicationKind regression_application;

namespace {

constexpr std::string_view none = "none";

std::vector<const ApplicationKind*>& application_table() {
  static std::vector<const ApplicationKind*> kinds{&topics_application, &ratings_application,
                                                   &approximation_application, &regression_application};
  return kinds;
}

std::vector<std::string> words() {
  std::vector<std::string> names = names_of(application_table());
  names.emplace(names.begin(), none);
  return names;
}

}  // namespace

std::span<const ApplicationKind* const> applications() {
  return application_table();
}

void add_application(const ApplicationKind& kind) {
  application_table().push_back(&kind);
}

const ApplicationKind* application_of(const OptionSet& options) {
  const std::string& name = options.get<ApplicationOptions>().kind;
  if (name == none) return nullptr;
  for (const ApplicationKind* kind : application_table())
    if (kind->name == name) return kind;
  throw UnknownWord("no application is called '" + name + "': must be " + one_of(words()));
}

Schema application_settings() {
  SchemaOf<ApplicationOptions> s("application");
  std::string help = "what the factors are for, and what is measured at the end";
  for (const ApplicationKind* kind : application_table())
    help += fmt::format("; {}: {}", kind->name, kind->help);
  s.name("kind", &ApplicationOptions::kind, words(),
         help + "; with a method \"local\" also every party's uplift");
  Schema rows = s.take();
  for (const ApplicationKind* kind : application_table()) {
    if (kind->settings == nullptr) continue;
    Schema own = kind->settings();
    for (Setting& row : own)
      row.unused = [name = kind->name, unused = row.unused](const OptionSet& options) -> Unused {
        const std::string& chosen = options.get<ApplicationOptions>().kind;
        if (chosen != name) return "application.kind is " + chosen;
        return unused(options);
      };
    append(rows, std::move(own));
  }
  return rows;
}

std::vector<const Figure*> application_figures() {
  std::vector<const Figure*> figures;
  for (const ApplicationKind* kind : application_table())
    for (const Figure* figure : kind->figures)
      if (std::find(figures.begin(), figures.end(), figure) == figures.end()) figures.push_back(figure);
  return figures;
}

std::optional<Index> response_of(const OptionSet& options, Index features) {
  const ApplicationKind* kind = application_of(options);
  if (kind == nullptr || kind->response == nullptr) return {};
  return kind->response(options, features);
}

void check_application(const ApplicationCheck& c) {
  const ApplicationKind* kind = application_of(c.options);
  if (kind == nullptr) return;
  const AlgorithmKind& algorithm = algorithm_of(c.options);
  if (algorithm.gives(c.options).model != kind->model)
    c.places.refuse(
        "application.kind",
        fmt::format("\"{}\" takes {}: {} does not", kind->name,
                    kind->model == Model::orthonormal_basis ? "singular vectors" : "nonnegative factors",
                    algorithm_title(c.options)));
  if (kind->check != nullptr) kind->check(c);
}

ApplicationResult evaluate_application(const ApplicationInput& input) {
  ApplicationResult result;
  const ApplicationKind* kind = application_of(input.options);
  if (kind == nullptr) return result;
  for (const Samples& part : input.data.parts) result.samples.push_back(part.cols());
  kind->evaluate(input, result);
  return result;
}

std::vector<double> uplift_percent(const ApplicationResult& own, const ApplicationResult& local) {
  std::vector<double> uplift;
  for (std::size_t a = 0; a < std::min(own.errors.size(), local.errors.size()); ++a)
    uplift.push_back(100 * (1 - own.errors[a] / local.errors[a]));
  return uplift;
}

void ApplicationResult::save(Writer& w) const {
  figures.save(w);
  w.list(errors);
  w.list(samples);
  w.put<std::uint64_t>(rows.size());
  for (const NamedRows& named : rows) {
    w.text(named.name);
    w.put<std::uint64_t>(named.rows.size());
    for (const auto& row : named.rows) {
      w.put<std::uint64_t>(row.size());
      for (const std::string& word : row) w.text(word);
    }
  }
}

ApplicationResult ApplicationResult::load(Reader& r) {
  ApplicationResult result;
  result.figures = FigureValues::load(r);
  result.errors = r.list<double>();
  result.samples = r.list<std::int64_t>();
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    NamedRows& named = result.rows.emplace_back();
    named.name = r.text();
    for (auto rows = r.get<std::uint64_t>(); rows > 0; --rows) {
      auto& row = named.rows.emplace_back();
      for (auto words_left = r.get<std::uint64_t>(); words_left > 0; --words_left) row.push_back(r.text());
    }
  }
  return result;
}

}  // namespace sotto
