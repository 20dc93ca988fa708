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
    w.matrix(v.mean);
    w.matrix(v.weights);
    w.put(v.exchange);
    w.put(v.sums);
    w.put(v.normed);
    w.put(v.offline);
  }
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
    const Matrix mean = r.matrix();
    if (mean.size() > 0) v.mean = mean.col(0);
    const Matrix weights = r.matrix();
    if (weights.size() > 0) v.weights = weights.col(0);
    v.exchange = r.get<ExchangeFigures>();
    v.sums = r.get<SumFigures>();
    v.normed = r.get<SumFigures>();
    v.offline = r.get<SumFigures>();
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

void MethodResult::save(Writer& w) const {
  w.put(trial);
  w.text(method);
  w.put(converged);
  w.put<std::uint64_t>(observations.size());
  for (const Observation& o : observations) o.save(w);
  save_graph(graph, w);
  save_timing(timing, w);
  w.put<std::uint64_t>(links.size());
  for (const auto& [from, to] : links) {
    w.put(from);
    w.put(to);
  }
  w.put<std::uint64_t>(labels.size());
  for (const std::string& label : labels) w.text(label);
  w.put(exchange);
  w.put(sums);
  w.put(normed);
  w.put(offline);
  application.save(w);
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
  MethodResult result;
  result.trial = r.get<std::uint64_t>();
  result.method = r.text();
  result.converged = r.get<std::uint8_t>() != 0;
  for (auto left = r.get<std::uint64_t>(); left > 0; --left)
    result.observations.push_back(Observation::load(r));
  result.graph = load_graph(r);
  result.timing = load_timing(r);
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) {
    const auto from = r.get<AgentId>();
    const auto to = r.get<AgentId>();
    result.links.emplace_back(from, to);
  }
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) result.labels.push_back(r.text());
  result.exchange = r.get<ExchangeFigures>();
  result.sums = r.get<SumTotals>();
  result.normed = r.get<SumTotals>();
  result.offline = r.get<SumTotals>();
  result.application = ApplicationFigures::load(r);
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
