// SPDX-License-Identifier: MIT
#include "core/experiment/recording.h"

#include "base/compression.h"
#include "network/topology/graph_assembly.h"

namespace sotto {

namespace {

constexpr std::string_view kind_of_file = "sotto events ";
constexpr std::string_view version = "4";
constexpr std::size_t max_roles = 64;

void save_optional(const std::optional<double>& x, Writer& w) {
  w.put<std::uint8_t>(x ? 1 : 0);
  if (x) w.put(*x);
}

/// What a topology file could not say is not accepted here either.
std::optional<double> load_optional(Reader& r, const LinkAttribute& attribute) {
  const auto there = r.get<std::uint8_t>();
  require_format(there <= 1, "a link attribute that is neither there nor not there");
  if (there == 0) return {};
  const auto x = r.get<double>();
  require_format(attribute.holds(x), "a link attribute out of its range");
  return x;
}

void save_place(const RunPlace& place, Writer& w) {
  const std::vector<Edge> edges = place.topology.edge_list();
  w.put<std::uint64_t>(place.topology.agents());
  w.put<std::uint64_t>(edges.size());
  for (const auto& [a, b] : edges) {
    w.put(a);
    w.put(b);
  }
  w.put<std::uint64_t>(place.link_attributes.size());
  for (const LinkAttributes& l : place.link_attributes)
    for (const LinkAttribute& attribute : link_attributes()) save_optional(l.*attribute.field, w);
}

Topology load_topology(Reader& r) {
  const auto agents = r.get<std::uint64_t>();
  const auto count = r.get<std::uint64_t>();
  require_format(count <= r.left() / (2 * sizeof(AgentId)), "a graph with more edges than bytes");
  require_format(agents >= 1 && agents - 1 <= count, "a graph with too few edges to be connected");
  std::vector<Edge> edges(count);
  for (Edge& e : edges) {
    e.first = r.get<AgentId>();
    e.second = r.get<AgentId>();
  }
  return {agents, std::move(edges)};
}

std::vector<LinkAttributes> load_attributes(Reader& r, std::size_t edges) {
  const auto count = r.get<std::uint64_t>();
  require_format(count == 0 || count == edges, "link attributes of another graph");
  std::vector<LinkAttributes> attributes(count);
  for (LinkAttributes& l : attributes)
    for (const LinkAttribute& attribute : link_attributes()) l.*attribute.field = load_optional(r, attribute);
  return attributes;
}

}  // namespace

Bytes record(const MethodResult& result, const RunPlace& place, const EventLog& log) {
  Writer w;
  save_observed(result, w);
  save_place(place, w);
  log.save(w);
  return compress(w.take());
}

Recording load_recording(std::span<const std::uint8_t> recorded) {
  const Bytes bytes = decompress(recorded);
  Reader r(bytes);
  MethodResult result = load_observed(r);
  Topology topology = load_topology(r);
  auto attributes = load_attributes(r, topology.edges());
  EventLog log = EventLog::load(r);
  r.finish();
  require_format(log.agents() >= topology.agents() && log.agents() - topology.agents() <= max_roles,
                 "an event log of another number of agents");
  // a replay notes every agent at every observation: with a row for each in these bytes, that is no more than they are
  for (const Observation& o : result.observations)
    require_format(o.figures.agents.agents() >= topology.agents(),
                   "observations of another number of agents");
  return {std::move(result), std::move(topology), std::move(attributes), std::move(log)};
}

std::string events_file(const std::string& scenario_hash, const std::vector<MethodResult>& runs) {
  Writer w;
  w.text(std::string(kind_of_file) + std::string(version));
  w.text(scenario_hash);
  w.put<std::uint64_t>(runs.size());
  for (const MethodResult& run : runs) w.block(run.events);
  const Bytes bytes = w.take();
  return {bytes.begin(), bytes.end()};
}

EventsFile EventsFile::parse(std::string_view text) {
  Reader r({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  constexpr std::size_t longest = 32;
  const auto size = r.get<std::uint64_t>();
  require_format(size <= longest && size <= r.left(), "this is no record of events");
  const auto name = r.raw(size);
  const std::string found(name.begin(), name.end());
  require_format(found.starts_with(kind_of_file), "this is no record of events");
  if (found.substr(kind_of_file.size()) != version)
    throw FormatError("version " + found.substr(kind_of_file.size()) +
                      " of this format is not known: this program has version " + std::string(version));
  EventsFile file;
  file.scenario_hash = r.text();
  for (auto left = r.get<std::uint64_t>(); left > 0; --left) file.runs.push_back(r.block());
  r.finish();
  return file;
}

}  // namespace sotto
