// SPDX-License-Identifier: MIT
#include "core/results/output_files.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/sha256.h"
#include "core/experiment/recording.h"
#include "core/experiment/versions.h"

namespace sotto {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* phase = "iterate";

/// Column names with commas between them.
std::string header(std::span<const Column> columns) {
  std::string text;
  for (const Column& c : columns) text += fmt::format("{}{}", text.empty() ? "" : ",", c.name);
  return text;
}

constexpr Column trace_place[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"phase", "always \"iterate\""},
    {"iteration", "outer iteration, from 1"},
    {"round",
     "rounds so far: exchanges with neighbors (ppdnmf, deepca), secure sums (pd-nmf, pd-svd, pd-pca)"},
};

constexpr Column agent_place[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"phase", "always \"iterate\""},
    {"iteration", "outer iteration, from 1"},
    {"round",
     "rounds so far: exchanges with neighbors (ppdnmf, deepca), secure sums (pd-nmf, pd-svd, pd-pca)"},
    {"agent", "number of the agent, from 0"},
};

constexpr Column final_place[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"iteration", "last outer iteration"},
    {"round", "last round"},
    {"converged", "1: the stop rule ended the run; 0: outer_iterations did"},
};

constexpr Column uplift_columns[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"agent", "number of the agent, from 0"},
    {"samples", "training samples of the agent"},
    {"error", "error of the agent's model under the application"},
    {"local_error", "the same of the method local in this trial"},
    {"uplift_percent", "100 (1 - error / local_error)"},
};

constexpr Column link_columns[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"from", "sending agent of a directed link"},
    {"to", "receiving agent"},
    {"messages", "messages that crossed the link"},
    {"bytes", "their payload"},
    {"retransmissions", "transmissions that were lost and repeated"},
};

constexpr Column timing_columns[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"wall_seconds", "measured time"},
    {"cpu_seconds", "measured processor time of this process, without measures"},
    {"metrics_cpu_seconds", "measured processor time of measures"},
    {"threads", "worker threads"},
    {"started", "date and time, ISO 8601"},
    {"from_iteration", "iteration at which measuring began: above 0 in a run that was resumed"},
};

constexpr Column factor_columns[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"agent", "number of the agent, from 0"},
    {"factor", "X: the left factor; Y: the right factor"},
    {"row", "from 0"},
    {"column", "from 0"},
    {"value", "the entry"},
    {"sample", "for Y: the number, from 1, of the sample in its data file"},
};

constexpr Column transcript_columns[] = {
    {"trial", "number of the trial, from 0"},
    {"method", "name of the method"},
    {"agent", "the agent that saw the message"},
    {"index", "from 0, in the order in which the agent received; then what it passed on"},
    {"from", "sender"},
    {"to", "receiver"},
    {"tag", "kind of message"},
    {"bytes", "payload, hexadecimal"},
};

/// The columns of trace.csv and agents.csv behind those that say where a row is from.
std::string figure_header() {
  std::string text;
  for (const std::string& name : trace_columns()) text += fmt::format(",{}", name);
  return text + "\n";
}

std::string trace_csv(const std::vector<MethodResult>& runs) {
  std::string text = header(trace_place) + figure_header();
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
  std::string text = header(uplift_columns) + "\n";
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
  std::string text = header(final_place);
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
  std::string text = header(agent_place) + figure_header();
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
  std::string text = header(link_columns) + "\n";
  for (const MethodResult& r : runs)
    for (std::size_t l = 0; l < r.links.size(); ++l)
      text += fmt::format("{},{},{},{},{},{},{}\n", r.trial, r.method, r.links[l].first, r.links[l].second,
                          r.timing.links[l].messages, r.timing.links[l].bytes, r.timing.links[l].lost);
  return text;
}

std::string timings_csv(const std::vector<MethodResult>& runs, const RunConditions& conditions) {
  std::string text = header(timing_columns) + "\n";
  for (const MethodResult& r : runs)
    text +=
        fmt::format("{},{},{:.6f},{:.6f},{:.6f},{},{},{}\n", r.trial, r.method, r.wall_seconds, r.cpu_seconds,
                    r.metrics_cpu_seconds, conditions.threads, conditions.started, r.measured_from);
  return text;
}

/// `sample`: the number, from 1, that the column of a right factor has in its data file.
std::string factors_csv(const std::vector<MethodResult>& runs) {
  std::string text = header(factor_columns) + "\n";
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
  std::string text = header(transcript_columns) + "\n";
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
    if (!m.start.empty()) j["start"] = m.start;
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
    {"manifest.json",
     "whose results these are: resolved scenario and its hash, versions, commit, SHA-256 of inputs, unused "
     "settings, names of agents",
     {},
     always_wanted,
     [](const Experiment& e, const Runs&, const RunConditions&) { return manifest_json(e); }},
    {"trace.csv", "one row per trial, method and observed outer iteration, then figures of scope trace",
     trace_place, always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return trace_csv(runs); }},
    {"final.csv", "one row per trial and method, then every figure at the end of the run", final_place,
     always_wanted,
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return final_csv(e, runs); }},
    {"agents.csv", "trace.csv for every agent; figures of the mean factor are empty", agent_place,
     always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return agents_csv(runs); }},
    {"uplift.csv", "with an application and a method local: what every agent gained over its own model",
     uplift_columns,
     [](const Experiment& e) {
       return application_of(e.main) != nullptr && e.baseline(Baseline::local) != nullptr;
     },
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return uplift_csv(e, runs); }},
    {"links.csv", "what crossed every directed link", link_columns, always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions&) { return links_csv(runs); }},
    {"timings.csv", "measured time: the only file that differs between reruns", timing_columns, always_wanted,
     [](const Experiment&, const Runs& runs, const RunConditions& c) { return timings_csv(runs, c); }},
    {"events.bin",
     "graphs, observations and event logs (sizes, never contents), for sotto retime; unless output.events = "
     "false",
     {},
     [](const Experiment& e) { return ran(e) && e.output().events; },
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return events_file(e.hash(), runs); }},
    {"factors.csv", "with output.factors: final factors", factor_columns,
     [](const Experiment& e) { return ran(e) && e.output().factors; },
     [](const Experiment&, const Runs& runs, const RunConditions&) { return factors_csv(runs); }},
    {"transcript.csv", "with output.transcript: every message that an agent received or passed on",
     transcript_columns, [](const Experiment& e) { return ran(e) && e.output().transcript; },
     [](const Experiment&, const Runs& runs, const RunConditions&) { return transcript_csv(runs); }},
    {"summary.json",
     "per method: every figure as mean, sd, min and max over trials, stop, labels, the application's rows, "
     "network and cost; written last: a folder with a summary is complete",
     {},
     always_wanted,
     [](const Experiment& e, const Runs& runs, const RunConditions&) { return summary_json(e, runs); }},
};

std::vector<OutputFile>& added_files() {
  static std::vector<OutputFile> files;
  return files;
}

}  // namespace

/// In the order of the table; those that were added before the summary.
std::vector<OutputFile> output_file_table() {
  std::vector<OutputFile> files(std::begin(built_in), std::end(built_in));
  files.insert(files.end() - 1, added_files().begin(), added_files().end());
  return files;
}

void add_output_file(const OutputFile& file) {
  added_files().push_back(file);
}

std::vector<std::string> trace_columns() {
  std::vector<std::string> names;
  for (const Figure* f : trace_figures()) names.emplace_back(f->name);
  for (const ProgressFigure& f : progress_figures()) names.emplace_back(f.figure.name);
  return names;
}

NamedFiles output_files(const Experiment& experiment, const std::vector<MethodResult>& runs,
                        const RunConditions& conditions) {
  NamedFiles files;
  for (const OutputFile& file : output_file_table())
    if (file.wanted(experiment)) files.emplace_back(file.name, file.contents(experiment, runs, conditions));
  for (const MethodResult& run : runs)  // the summary stays last
    files.insert(files.end() - 1, run.pictures.begin(), run.pictures.end());
  return files;
}

}  // namespace sotto
