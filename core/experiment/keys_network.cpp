// Keys of [topology], [link] and [cost].
#include "core/experiment/key_builders.h"

namespace sotto {

namespace {

bool generated(const Scenario& s) {
  return s.topology.file.empty();
}
bool generated_by(const Scenario& s, std::string_view name) {
  return generated(s) && s.topology.generator == name;
}

}  // namespace

void add_topology_keys(std::vector<Key>& t) {
  t.push_back(choice(
      "topology.generator", names_of(generators()),
      [](Scenario & s) -> auto& { return s.topology.generator; }, "the shape of the graph", generated));
  t.push_back(path_of_file(
      "topology.file", "a path, relative to the scenario's folder",
      "a GraphML, DOT or edge-list file instead of a generator; edge attributes latency_ms, bandwidth_mbit, "
      "loss "
      "override [link]",
      [](Scenario & s) -> auto& { return s.topology.file; }, "the path of a file"));
  t.push_back(whole(
      "topology.agents", 1, 10'000'000, [](Scenario & s) -> auto& { return s.topology.shape.agents; },
      "number of agents"));
  t.push_back(real(
      "topology.average_degree", 0, 1e7, true,
      [](Scenario & s) -> auto& { return s.topology.shape.average_degree; },
      "neighbors of an agent, on average; scale-free and geometric come near it",
      [](const Scenario& s) {
        const GeneratorEntry* g = find_generator(s.topology.generator);
        return generated(s) && g != nullptr && g->uses_average_degree;
      }));
  t.push_back(whole(
      "topology.min_degree", 1, 1'000'000, [](Scenario & s) -> auto& { return s.topology.shape.min_degree; },
      "every agent has at least so many neighbors, or it is an error"));
  t.push_back(real(
      "topology.radius", 0, 2, false, [](Scenario & s) -> auto& { return s.topology.shape.radius; },
      "geometric: neighbors are within it, in the unit square; 0: from average_degree",
      [](const Scenario& s) { return generated_by(s, "geometric"); }));
  t.push_back(real(
      "topology.rewiring", 0, 1, false, [](Scenario & s) -> auto& { return s.topology.shape.rewiring; },
      "small-world: share of edges that are rewired",
      [](const Scenario& s) { return generated_by(s, "small-world"); }));
  t.push_back(whole(
      "topology.branching", 1, 1'000'000, [](Scenario & s) -> auto& { return s.topology.shape.branching; },
      "tree: children of an agent", [](const Scenario& s) { return generated_by(s, "tree"); }));
}

void add_link_and_cost_keys(std::vector<Key>& t) {
  t.push_back(real(
      "link.latency_ms", 0, 1e7, false, [](Scenario & s) -> auto& { return s.link.latency_ms; },
      "from the last byte sent to its arrival"));
  t.push_back(real(
      "link.bandwidth_mbit", 0, 1e9, true, [](Scenario & s) -> auto& { return s.link.bandwidth_mbit; },
      "10^6 bits a second; connections on a link at the same time share it equally"));
  t.push_back(real(
      "link.loss", 0, 0.99, false, [](Scenario & s) -> auto& { return s.link.loss; },
      "share of transmissions that are lost and sent again, a round trip later: costs time, changes no "
      "result"));
  t.push_back(choice(
      "link.duplex", {"full", "half"}, [](Scenario & s) -> auto& { return s.link.duplex; },
      "full: each direction has the bandwidth for itself; half: both share it"));
  t.push_back(choice(
      "cost.preset", {"reference"}, [](Scenario & s) -> auto& { return s.cost.preset; },
      "seconds per operation for simulated time; constants, never measured while running"));
  for (std::size_t k = 0; k < operation_count; ++k) {
    const auto op = static_cast<Operation>(k);
    Key key = real(
        fmt::format("cost.{}", facts(op).name), 0, 1e6, false,
        [op](Scenario& s) -> double& {
          return s.cost.seconds.try_emplace(op, facts(op).reference_seconds).first->second;
        },
        fmt::format("seconds per {}", facts(op).unit));
    key.write = [op](const Scenario& s) -> std::optional<KeyValue> {
      const auto at = s.cost.seconds.find(op);
      return at == s.cost.seconds.end() ? facts(op).reference_seconds : at->second;
    };
    t.push_back(std::move(key));
  }
  t.push_back({"cost.speed", "a number above 0 and up to 1e6, or a list with one per agent",
               "how fast agents compute: 2 halves the seconds; see also cost.speed.slow",
               [](Scenario& s, const KeyValue& v) -> Problem {
                 const auto fits = [](double x) { return x > 0 && x <= 1e6; };
                 const auto* list = std::get_if<std::vector<double>>(&v);
                 const auto x = as_number(v);
                 if (list != nullptr ? !std::all_of(list->begin(), list->end(), fits) || list->empty()
                                     : !x || !fits(*x))
                   return "must be a number above 0 and up to 1e6, or a list with one per agent";
                 s.cost.slow.clear();  // three ways to say it: the last one said holds
                 s.cost.speed = x.value_or(1);
                 s.cost.speeds = list != nullptr ? *list : std::vector<double>{};
                 return {};
               },
               [](const Scenario& s) -> std::optional<KeyValue> {
                 if (!s.cost.speeds.empty()) return s.cost.speeds;
                 if (!s.cost.slow.empty()) return {};
                 return s.cost.speed;
               },
               always});
  Key slow = whole_list(
      "cost.speed.slow", [](Scenario & s) -> auto& { return s.cost.slow; },
      "these agents are stragglers, at cost.speed.factor (a central place is none)");
  slow.read = [read = slow.read](Scenario& s, const KeyValue& v) {
    s.cost.speed = 1;
    s.cost.speeds.clear();
    return read(s, v);
  };
  t.push_back(std::move(slow));
  Key factor = real(
      "cost.speed.factor", 0, 1e6, true, [](Scenario & s) -> auto& { return s.cost.slow_factor; },
      "speed of the stragglers", [](const Scenario& s) { return !s.cost.slow.empty(); });
  factor.write = [](const Scenario& s) -> std::optional<KeyValue> {
    if (s.cost.slow.empty()) return {};
    return s.cost.slow_factor;
  };
  t.push_back(std::move(factor));
}

}  // namespace sotto
