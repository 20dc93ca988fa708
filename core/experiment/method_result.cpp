// SPDX-License-Identifier: MIT
#include "core/experiment/method_result.h"

namespace sotto {

namespace {

void save_views(const std::vector<FactorView>& views, Writer& w) {
  w.put<std::uint64_t>(views.size());
  for (const FactorView& v : views) {
    w.put(v.iteration);
    w.put(v.round);
    w.put(v.finished);
    w.put(v.converged);
    w.matrix(v.X);
    w.matrix(v.Y);
    w.list(std::vector<double>(v.mean.begin(), v.mean.end()));
    w.list(std::vector<double>(v.weights.begin(), v.weights.end()));
    v.counters.save(w);
  }
}

Vector load_vector(Reader& r) {
  const std::vector<double> list = r.list<double>();
  return Eigen::Map<const Vector>(list.data(), static_cast<Index>(list.size()));
}

std::vector<FactorView> load_views(Reader& r) {
  std::vector<FactorView> views;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    FactorView& v = views.emplace_back();
    v.iteration = r.get<std::uint64_t>();
    v.round = r.get<std::uint64_t>();
    v.finished = r.get<std::uint8_t>() != 0;
    v.converged = r.get<std::uint8_t>() != 0;
    v.X = r.matrix();
    v.Y = r.matrix();
    v.mean = load_vector(r);
    v.weights = load_vector(r);
    v.counters = Counters::load(r);
  }
  return views;
}

void save_timing(const Timing& t, Writer& w) {
  w.list(t.iterations);
  w.put<std::uint64_t>(t.at.size());
  for (const auto& agents : t.at) w.list(agents);
  w.list(t.links);
  w.put(t.end);
}

Timing load_timing(Reader& r) {
  Timing t;
  t.iterations = r.list<std::uint64_t>();
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) t.at.push_back(r.list<Progress>());
  t.links = r.list<LinkCount>();
  t.end = r.get<double>();
  return t;
}

void save_graph(const GraphFigures& g, Writer& w) {
  w.put<std::uint64_t>(g.agents);
  w.put<std::uint64_t>(g.edges);
  w.put<std::int64_t>(g.diameter ? std::int64_t{*g.diameter} : -1);
}

GraphFigures load_graph(Reader& r) {
  GraphFigures g;
  g.agents = r.get<std::uint64_t>();
  g.edges = r.get<std::uint64_t>();
  const auto diameter = r.get<std::int64_t>();
  if (diameter >= 0) g.diameter = static_cast<std::uint32_t>(diameter);
  return g;
}

}  // namespace

void save_observed(const MethodResult& result, Writer& w) {
  w.put(result.trial);
  w.text(result.method);
  w.put<std::uint8_t>(result.converged ? 1 : 0);
  w.put<std::uint64_t>(result.observations.size());
  for (const Observation& o : result.observations) o.save(w);
  w.put<std::uint64_t>(result.labels.size());
  for (const std::string& label : result.labels) w.text(label);
  result.counters.save(w);
  result.application.save(w);
}

MethodResult load_observed(Reader& r) {
  MethodResult result;
  result.trial = r.get<std::uint64_t>();
  result.method = r.text();
  const auto converged = r.get<std::uint8_t>();
  require_format(converged <= 1, "a run that neither converged nor did not");
  result.converged = converged == 1;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    result.observations.push_back(Observation::load(r));
    const std::size_t last = result.observations.size() - 1;
    require_format(last == 0 || result.observations[last - 1].iteration < result.observations[last].iteration,
                   "observations that are out of order");
  }
  require_format(!result.observations.empty(), "a run without observations");
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) result.labels.push_back(r.text());
  result.counters = Counters::load(r);
  result.application = ApplicationResult::load(r);
  return result;
}

void MethodResult::save(Writer& w) const {
  save_observed(*this, w);
  save_graph(graph, w);
  save_timing(timing, w);
  w.put<std::uint64_t>(links.size());
  for (const auto& [from, to] : links) {
    w.put(from);
    w.put(to);
  }
  save_views(factors, w);
  w.list(samples);
  save_transcript(transcript, w);
  w.put<std::uint64_t>(pictures.size());
  for (const auto& [name, contents] : pictures) {
    w.text(name);
    w.text(contents);
  }
  w.block(events);
  w.put(measured_from);
  for (const double seconds : {wall_seconds, cpu_seconds, metrics_cpu_seconds}) w.put(seconds);
}

MethodResult MethodResult::load(Reader& r) {
  MethodResult result = load_observed(r);
  result.graph = load_graph(r);
  result.timing = load_timing(r);
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    const auto from = r.get<AgentId>();
    const auto to = r.get<AgentId>();
    result.links.emplace_back(from, to);
  }
  result.factors = load_views(r);
  result.samples = r.list<Index>();
  result.transcript = load_transcript(r);
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    std::string name = r.text();
    std::string contents = r.text();
    result.pictures.emplace_back(std::move(name), std::move(contents));
  }
  const auto events = r.block();
  result.events.assign(events.begin(), events.end());
  result.measured_from = r.get<std::uint64_t>();
  for (double* seconds : {&result.wall_seconds, &result.cpu_seconds, &result.metrics_cpu_seconds})
    *seconds = r.get<double>();
  return result;
}

}  // namespace sotto
