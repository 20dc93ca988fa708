#include "core/results/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/sha256.h"
#include "core/experiment/recording.h"
#include "core/experiment/versions.h"
#include "core/scenario/scenario_changes.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* phase = "iterate";

/// The columns of trace.csv and agents.csv behind those that say where a row is from.
std::string figure_header() {
  std::string text;
  for (const std::string& name : trace_columns()) text += fmt::format(",{}", name);
  return text + "\n";
}

std::string trace_csv(const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,phase,iteration,round" + figure_header();
  const auto figures = trace_figures();
  for (const MethodResult& r : runs)
    for (std::size_t k = 0; k < r.observations.size(); ++k) {
      const Observation& o = r.observations[k];
      const Progress p = r.timing.total(k);
      text += fmt::format("{},{},{},{},{}", r.trial, r.method, phase, o.iteration, o.round);
      for (const Figure* f : figures) text += fmt::format(",{}", csv_cell(o.figures.all.get(*f)));
      for (const ProgressFigure& f : progress_figures()) text += fmt::format(",{}", csv_cell(f.of(p)));
      text += "\n";
    }
  return text;
}

/// What every party gained, by its size.
std::string uplift_csv(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,agent,samples,error,local_error,uplift_percent\n";
  const auto locals = baseline_runs(experiment, Baseline::local, runs);
  for (const MethodResult& r : runs) {
    if (locals.empty()) break;
    const ApplicationResult& local = locals.at(r.trial)->application;
    const std::vector<double> gained = uplift_percent(r.application, local);
    for (std::size_t a = 0; a < gained.size(); ++a)
      text += fmt::format("{},{},{},{},{},{},{}\n", r.trial, r.method, a, r.application.samples[a],
                          csv_cell(r.application.errors[a]), csv_cell(local.errors[a]), csv_cell(gained[a]));
  }
  return text;
}

std::string final_csv(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  const std::vector<RunFigure> columns = final_columns(experiment, runs);
  std::string text = "trial,method,iteration,round,converged";
  for (const RunFigure& f : columns) text += fmt::format(",{}", f.figure->name);
  text += "\n";
  for (const MethodResult& r : runs) {
    text += fmt::format("{},{},{},{},{}", r.trial, r.method, r.observations.back().iteration,
                        r.observations.back().round, r.converged ? 1 : 0);
    for (const RunFigure& f : columns) text += fmt::format(",{}", csv_cell(f.of(r)));
    text += "\n";
  }
  return text;
}

std::string agents_csv(const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,phase,iteration,round,agent" + figure_header();
  const auto figures = trace_figures();
  for (const MethodResult& r : runs)
    for (std::size_t k = 0; k < r.observations.size(); ++k) {
      const Observation& o = r.observations[k];
      for (std::size_t a = 0; a < o.figures.agents.agents(); ++a) {
        // in one place there is one computer for all parties
        const Progress& p = r.timing.at[k][std::min(a, r.timing.at[k].size() - 1)];
        text += fmt::format("{},{},{},{},{},{}", r.trial, r.method, phase, o.iteration, o.round, a);
        for (const Figure* f : figures) text += fmt::format(",{}", csv_cell(o.figures.agents.get(*f, a)));
        for (const ProgressFigure& f : progress_figures()) text += fmt::format(",{}", csv_cell(f.of(p)));
        text += "\n";
      }
    }
  return text;
}

std::string links_csv(const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,from,to,messages,bytes,retransmissions\n";
  for (const MethodResult& r : runs)
    for (std::size_t l = 0; l < r.links.size(); ++l)
      text += fmt::format("{},{},{},{},{},{},{}\n", r.trial, r.method, r.links[l].first, r.links[l].second,
                          r.timing.links[l].messages, r.timing.links[l].bytes, r.timing.links[l].lost);
  return text;
}

std::string timings_csv(const std::vector<MethodResult>& runs, const RunConditions& conditions) {
  std::string text =
      "trial,method,wall_seconds,cpu_seconds,metrics_cpu_seconds,threads,started,from_iteration\n";
  for (const MethodResult& r : runs)
    text +=
        fmt::format("{},{},{:.6f},{:.6f},{:.6f},{},{},{}\n", r.trial, r.method, r.wall_seconds, r.cpu_seconds,
                    r.metrics_cpu_seconds, conditions.threads, conditions.started, r.measured_from);
  return text;
}

/// `sample`: the number, from 1, that the column of a right factor has in its data file.
std::string factors_csv(const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,agent,factor,row,column,value,sample\n";
  for (const MethodResult& r : runs) {
    std::size_t first = 0;
    for (std::size_t a = 0; a < r.factors.size(); ++a) {
      for (const auto& [name, m] : {std::pair{'X', &r.factors[a].X}, std::pair{'Y', &r.factors[a].Y}})
        for (Index c = 0; c < m->cols(); ++c) {
          const std::string sample =
              name == 'Y' && !r.samples.empty()
                  ? fmt::format("{}", r.samples[first + static_cast<std::size_t>(c)] + 1)
                  : "";
          for (Index row = 0; row < m->rows(); ++row)
            text += fmt::format("{},{},{},{},{},{},{},{}\n", r.trial, r.method, a, name, row, c, (*m)(row, c),
                                sample);
        }
      first += static_cast<std::size_t>(r.factors[a].Y.cols());
    }
  }
  return text;
}

/// By agent: what it received, in its order, then what it passed on for others.
std::string transcript_csv(const std::vector<MethodResult>& runs) {
  std::string text = "trial,method,agent,index,from,to,tag,bytes\n";
  for (const MethodResult& r : runs)
    for (std::size_t a = 0; a < r.transcript.size(); ++a)
      for (std::size_t k = 0; k < r.transcript[a].size(); ++k) {
        const Message& m = r.transcript[a][k];
        text += fmt::format("{},{},{},{},{},{},{},{}\n", r.trial, r.method, a, k, m.from, m.to, m.tag,
                            to_hex(m.bytes));
      }
  return text;
}

/// A file name may hold bytes that are not UTF-8: they are shown as such, never a reason to lose a run.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Spread& s) {
  const auto number = [](double x) { return std::isnan(x) ? Json(nullptr) : Json(x); };
  return {{"mean", number(s.mean)}, {"sd", number(s.sd)}, {"min", number(s.min)}, {"max", number(s.max)}};
}

std::string summary_json(const Experiment& experiment, const std::vector<MethodResult>& runs) {
  Json methods = Json::object();
  for (const MethodSummary& m : summarize(experiment, runs)) {
    Json j = Json::object();
    for (const FigureSpread& f : m.figures)
      if (f.spread.count > 0) j[std::string(f.figure->name)] = to_json(f.spread);
    j["stop"] = {{"converged", m.converged},
                 {"limit", m.limited},
                 {"iterations", to_json(m.iterations)},
                 {"rounds", to_json(m.rounds)}};
    j["labels"] = m.labels;
    for (const NamedRows& named : m.rows)
      if (!named.rows.empty()) j[named.name] = named.rows;
    for (const auto& [part, figures] : {std::pair{"network", &m.network}, std::pair{"cost", &m.cost}}) {
      Json all = Json::object();
      for (const FigureSpread& f : *figures)
        if (f.spread.count > 0) all[std::string(f.figure->name)] = to_json(f.spread);
      j[part] = std::move(all);
    }
    methods[m.name] = std::move(j);
  }
  const Json all = {
      {"name", experiment.run().name}, {"trials", experiment.run().trials}, {"methods", std::move(methods)}};
  return text_of(all);
}

std::string manifest_json(const Experiment& experiment) {
  Json inputs = Json::array();
  for (const InputFile& f : experiment.inputs) inputs.push_back({{"file", f.name}, {"sha256", f.sha256}});
  Json libraries = Json::object();
  for (const auto& [name, version] : library_versions()) libraries[name] = version;
  Json all = {{"sotto", sotto_version()},   {"commit", sotto_commit()}, {"scenario_hash", experiment.hash()},
              {"inputs", inputs},           {"versions", libraries},    {"scenario", experiment.resolved},
              {"unused", experiment.unused}};
  if (!experiment.agent_names.empty()) all["agents"] = experiment.agent_names;
  if (!experiment.retimed_from.empty()) all["retimed_from"] = experiment.retimed_from;
  return text_of(all);
}

/// A run that was timed again has no factors, no transcript and no events of its own.
bool ran(const Experiment& experiment) {
  return experiment.retimed_from.empty();
}

bool always_wanted(const Experiment&) {
  return true;
}

using Runs = std::vector<MethodResult>;

/// In the order in which they are written: the manifest first, the summary last.
constexpr OutputFile built_in[] = {
    {"manifest.json", always_wanted,
     [](const Experiment& e, const Runs&, const RunConditions&) { return manifest_json(e); }},
    {"trace.csv", always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return trace_csv(runs); }},
    {"final.csv", always_wanted,
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return final_csv(e, runs); }},
    {"agents.csv", always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return agents_csv(runs); }},
    {"uplift.csv",
     [](const Experiment& e) {
       return application_of(e.main) != nullptr && e.baseline(Baseline::local) != nullptr;
     },
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return uplift_csv(e, runs); }},
    {"links.csv", always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return links_csv(runs); }},
    {"timings.csv", always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions& c) { return timings_csv(runs, c); }},
    {"events.bin", [](const Experiment& e) { return ran(e) && e.output().events; },
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return events_file(e.hash(), runs); }},
    {"factors.csv", [](const Experiment& e) { return ran(e) && e.output().factors; },
     [](const Experiment&, const Runs& runs, const RunConditions&) { return factors_csv(runs); }},
    {"transcript.csv", [](const Experiment& e) { return ran(e) && e.output().transcript; },
     [](const Experiment&, const Runs& runs, const RunConditions&) { return transcript_csv(runs); }},
    {"summary.json", always_wanted,
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return summary_json(e, runs); }},
};

std::vector<OutputFile>& added_files() {
  static std::vector<OutputFile> files;
  return files;
}

/// In the order of the table; those that were added before the summary.
std::vector<OutputFile> all_files() {
  std::vector<OutputFile> files(std::begin(built_in), std::end(built_in));
  files.insert(files.end() - 1, added_files().begin(), added_files().end());
  return files;
}

/// Whether a manifest is that of this scenario, run or timed again from the same run.
bool describes(const Json& manifest, const Experiment& experiment) {
  const auto text = [&](const char* name) {
    return manifest.contains(name) && manifest[name].is_string() ? manifest[name].get<std::string>() : "";
  };
  return manifest.is_object() && text("scenario_hash") == experiment.hash() &&
         text("retimed_from") == experiment.retimed_from;
}

/// " (algorithm.rank was 5, is 6)", as far as a manifest tells.
std::string differences(const Json& manifest, const Experiment& experiment) {
  if (!manifest.is_object() || !manifest.contains("scenario") || !manifest["scenario"].is_string()) return "";
  auto changes = scenario_changes(manifest["scenario"].get<std::string>(), experiment.resolved);
  for (const InputFile& input : experiment.inputs)
    for (const Json& was : manifest.value("inputs", Json::array()))
      if (&input != &experiment.inputs.front() && was.value("file", "") == input.name &&
          was.value("sha256", "") != input.sha256)
        changes.push_back(fmt::format("the contents of {} changed", input.name));
  constexpr std::size_t shown = 5;
  const std::size_t more = changes.size() > shown ? changes.size() - shown : 0;
  changes.resize(changes.size() - more);
  if (more > 0) changes.push_back(fmt::format("and {} more", more));
  return changes.empty() ? "" : fmt::format(" ({})", fmt::join(changes, "; "));
}

void refuse_foreign(const std::string& path, const Experiment& experiment) {
  const fs::path manifest = fs::path(path) / "manifest.json";
  const SourcePlace place{path, 0, 0};
  std::error_code error;
  if (fs::exists(fs::symlink_status(fs::path(path) / "state.sqlite", error)))
    throw ScenarioError(place, "", "this folder holds a sweep: choose another --out");
  if (fs::exists(fs::symlink_status(manifest, error))) {
    Json found;
    if (fs::is_regular_file(fs::symlink_status(manifest, error))) {
      std::ifstream file(manifest);
      found = Json::parse(file, nullptr, false);
    }
    if (!describes(found, experiment))
      throw ScenarioError(
          place, "",
          fmt::format("this folder holds the results of another scenario{}: choose another --out",
                      differences(found, experiment)));
    return;
  }
  for (const OutputFile& file : all_files())
    if (fs::exists(fs::symlink_status(fs::path(path) / file.name, error)))
      throw ScenarioError(
          place, "",
          fmt::format("this folder holds a {} that no manifest explains: choose another --out", file.name));
}

}  // namespace

void add_output_file(const OutputFile& file) {
  added_files().push_back(file);
}

std::vector<std::string> trace_columns() {
  std::vector<std::string> names;
  for (const Figure* f : trace_figures()) names.emplace_back(f->name);
  for (const ProgressFigure& f : progress_figures()) names.emplace_back(f.figure.name);
  return names;
}

OutputFolder::OutputFolder(const std::string& path, const Experiment& experiment) : lock_(path) {
  refuse_foreign(path, experiment);
}

bool OutputFolder::complete() const {
  std::error_code error;
  return fs::exists(fs::path(path()) / built_in[std::size(built_in) - 1].name, error);
}

std::vector<std::size_t> OutputFolder::limited(const Experiment& experiment) const {
  const std::string file = (fs::path(path()) / built_in[std::size(built_in) - 1].name).string();
  const auto summary = Json::parse(read_file(file), nullptr, false);
  std::vector<std::size_t> all;
  for (const Method& m : experiment.methods) {
    const auto at = Json::json_pointer("/methods/" + m.name + "/stop/limit");
    all.push_back(summary.contains(at) && summary[at].is_number() ? summary[at].get<std::size_t>() : 0);
  }
  return all;
}

void OutputFolder::claim(const Experiment& experiment) {
  replace_file((fs::path(path()) / built_in[0].name).string(), manifest_json(experiment));
  lock_.keep();
}

void OutputFolder::write(const NamedFiles& files) {
  const auto final_name = [&](const std::string& name) { return (fs::path(path()) / name).string(); };
  std::error_code error;
  for (const auto& [name, contents] : files) {
    const auto there = fs::symlink_status(final_name(name), error);
    if (fs::exists(there) && !fs::is_regular_file(there))
      throw OutputError(
          fmt::format("cannot write {}: something that is no file is in the way", final_name(name)));
  }
  try {
    for (const auto& [name, contents] : files)
      write_file(final_name(name) + partial_suffix, contents, Durable::now);
  } catch (...) {
    for (const auto& file : files) fs::remove(final_name(file.first) + partial_suffix, error);
    throw;
  }
  // Old results go before new ones come, so that they never stand side by side; the manifest, which says whose folder
  // this is, is there all the time.
  for (std::size_t k = 1; k < files.size(); ++k) fs::remove(final_name(files[k].first), error);
  for (const auto& [name, contents] : files) {
    const std::string target = final_name(name);
    if (std::rename((target + partial_suffix).c_str(), target.c_str()) != 0)
      throw OutputError(fmt::format("cannot rename {}: {}", target, std::strerror(errno)));
  }
  lock_.sync();
  lock_.keep();
}

NamedFiles output_files(const Experiment& experiment, const std::vector<MethodResult>& runs,
                        const RunConditions& conditions) {
  NamedFiles files;
  for (const OutputFile& file : all_files())
    if (file.wanted(experiment)) files.emplace_back(file.name, file.contents(experiment, runs, conditions));
  for (const MethodResult& run : runs)  // the summary stays last
    files.insert(files.end() - 1, run.pictures.begin(), run.pictures.end());
  return files;
}

}  // namespace sotto
