// SPDX-License-Identifier: MIT
#include "network/topology/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "base/error.h"

namespace sotto {

namespace {

constexpr int max_redraws = 200;

/// Edges under construction: no loops, no repeats, degrees at hand.
class EdgeSet {
 public:
  explicit EdgeSet(std::size_t agents) : degrees_(agents, 0) {}

  bool contains(AgentId a, AgentId b) const { return keys_.contains(key(a, b)); }
  bool add(AgentId a, AgentId b) {
    if (a == b || !keys_.insert(key(a, b)).second) return false;
    edges_.emplace_back(std::min(a, b), std::max(a, b));
    ++degrees_[a];
    ++degrees_[b];
    return true;
  }
  void remove_at(std::size_t k) {
    const auto [a, b] = edges_[k];
    keys_.erase(key(a, b));
    --degrees_[a];
    --degrees_[b];
    edges_[k] = edges_.back();
    edges_.pop_back();
  }
  const Edge& at(std::size_t k) const { return edges_[k]; }
  std::size_t size() const { return edges_.size(); }
  std::size_t degree(AgentId a) const { return degrees_[a]; }
  std::vector<Edge> take() { return std::move(edges_); }

 private:
  static std::uint64_t key(AgentId a, AgentId b) {
    return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
  }

  std::unordered_set<std::uint64_t> keys_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> degrees_;
};

constexpr double max_edges = 1e8;

void refuse_too_many(double edges) {
  if (edges > max_edges)
    throw RunError(fmt::format("{:.3g} edges are too many: {:.3g} is the most", edges, max_edges));
}

AgentId any_agent(std::size_t agents, RandomStream& random) {
  return static_cast<AgentId>(random.below(agents));
}

/// Erdos-Renyi with a given number of edges, made connected by a random spanning tree first.
std::vector<Edge> draw_random(const GeneratorOptions& s, RandomStream& random) {
  const std::size_t n = s.agents;
  const auto wanted = static_cast<std::size_t>(std::llround(static_cast<double>(n) * s.average_degree / 2));
  if (n > 1 && wanted < n - 1)
    throw RunError(fmt::format("average_degree {} cannot connect {} agents: at least {} is needed",
                               s.average_degree, n,
                               2.0 * static_cast<double>(n - 1) / static_cast<double>(n)));
  if (wanted > n * (n - 1) / 2)
    throw RunError(fmt::format("average_degree {} is more than {} agents can have: at most {}",
                               s.average_degree, n, n - 1));
  if (n * s.min_degree > 2 * wanted)
    throw RunError(fmt::format("min_degree {} needs an average_degree of at least {}, not {}", s.min_degree,
                               s.min_degree, s.average_degree));
  EdgeSet edges(n);
  std::vector<AgentId> order(n);
  for (AgentId v = 0; v < n; ++v) order[v] = v;
  random.shuffle(order);
  for (std::size_t k = 1; k < n; ++k) edges.add(order[k], order[random.below(k)]);
  for (const AgentId v : order)  // min_degree before chance, so that the number of edges can be kept
    while (edges.degree(v) < s.min_degree) {
      edges.add(v, any_agent(n, random));
      if (edges.size() > wanted) return {};  // too many leaves in this tree: redraw
    }
  while (edges.size() < wanted) edges.add(any_agent(n, random), any_agent(n, random));
  return edges.take();
}

std::vector<Edge> draw_path(const GeneratorOptions& s, RandomStream&) {
  std::vector<Edge> edges;
  for (AgentId v = 1; v < s.agents; ++v) edges.emplace_back(v - 1, v);
  return edges;
}

std::vector<Edge> draw_ring(const GeneratorOptions& s, RandomStream& random) {
  if (s.agents < 3) throw RunError("a ring needs at least 3 agents");
  auto edges = draw_path(s, random);
  edges.emplace_back(0, static_cast<AgentId>(s.agents - 1));
  return edges;
}

/// As square as the number allows; the last row may be short.
std::vector<Edge> draw_grid(const GeneratorOptions& s, RandomStream&) {
  const auto width = static_cast<AgentId>(std::ceil(std::sqrt(static_cast<double>(s.agents))));
  std::vector<Edge> edges;
  for (AgentId v = 0; v < s.agents; ++v) {
    if ((v + 1) % width != 0 && v + 1 < s.agents) edges.emplace_back(v, v + 1);
    if (v + width < s.agents) edges.emplace_back(v, v + width);
  }
  return edges;
}

std::vector<Edge> draw_star(const GeneratorOptions& s, RandomStream&) {
  std::vector<Edge> edges;
  for (AgentId v = 1; v < s.agents; ++v) edges.emplace_back(0, v);
  return edges;
}

std::vector<Edge> draw_complete(const GeneratorOptions& s, RandomStream&) {
  refuse_too_many(static_cast<double>(s.agents) * static_cast<double>(s.agents - 1) / 2);
  std::vector<Edge> edges;
  for (AgentId a = 0; a < s.agents; ++a)
    for (AgentId b = a + 1; b < s.agents; ++b) edges.emplace_back(a, b);
  return edges;
}

std::vector<Edge> draw_tree(const GeneratorOptions& s, RandomStream&) {
  std::vector<Edge> edges;
  for (AgentId v = 1; v < s.agents; ++v) edges.emplace_back(static_cast<AgentId>((v - 1) / s.branching), v);
  return edges;
}

std::size_t whole_degree(const GeneratorOptions& s, const char* generator) {
  const double d = s.average_degree;
  if (d != std::floor(d) || d < 1 || d >= static_cast<double>(s.agents))
    throw RunError(
        fmt::format("{} needs a whole average_degree from 1 to {}, not {}", generator, s.agents - 1, d));
  return static_cast<std::size_t>(d);
}

/// Random d-regular: pair the stubs at random, then swap ends of bad pairs (loops, repeats) with good ones.
std::vector<Edge> draw_regular(const GeneratorOptions& s, RandomStream& random) {
  const std::size_t d = whole_degree(s, "regular");
  if (s.agents * d % 2 != 0)
    throw RunError(
        fmt::format("no graph of {} agents has degree {} everywhere: their product is odd", s.agents, d));
  if (2 * d >= s.agents) {  // dense: what is missing is a sparse regular graph
    GeneratorOptions missing = s;
    missing.average_degree = static_cast<double>(s.agents - 1 - d);
    EdgeSet absent(s.agents);
    if (missing.average_degree > 0) {
      const std::vector<Edge> drawn = draw_regular(missing, random);
      if (drawn.empty()) return {};  // redraw
      for (const auto& [a, b] : drawn) absent.add(a, b);
    }
    std::vector<Edge> present = draw_complete(s, random);
    std::erase_if(present, [&](const Edge& e) { return absent.contains(e.first, e.second); });
    return present;
  }
  std::vector<AgentId> stubs;
  stubs.reserve(s.agents * d);
  for (AgentId v = 0; v < s.agents; ++v) stubs.insert(stubs.end(), d, v);
  random.shuffle(stubs);
  EdgeSet edges(s.agents);
  std::vector<Edge> bad;
  for (std::size_t k = 0; k < stubs.size(); k += 2)
    if (!edges.add(stubs[k], stubs[k + 1])) bad.emplace_back(stubs[k], stubs[k + 1]);
  for (const auto& [a, b] : bad) {
    bool placed = false;
    for (int attempt = 0; attempt < 10000 && !placed && edges.size() > 0; ++attempt) {
      const std::size_t k = random.below(edges.size());
      const auto [c, e] = edges.at(k);  // a-b and c-e become a-c and b-e
      if (a == c || b == e || (a == e && b == c) || edges.contains(a, c) || edges.contains(b, e)) continue;
      edges.remove_at(k);
      edges.add(a, c);
      edges.add(b, e);
      placed = true;
    }
    if (!placed) return {};
  }
  return edges.take();
}

/// Watts-Strogatz: a ring where everybody knows the average_degree nearest, then ends are rewired.
std::vector<Edge> draw_small_world(const GeneratorOptions& s, RandomStream& random) {
  const std::size_t d = whole_degree(s, "small-world");
  if (d % 2 != 0) throw RunError(fmt::format("small-world needs an even average_degree, not {}", d));
  EdgeSet edges(s.agents);
  std::vector<Edge> rewired;
  for (std::size_t step = 1; step <= d / 2; ++step)
    for (AgentId v = 0; v < s.agents; ++v) {
      const auto w = static_cast<AgentId>((v + step) % s.agents);
      if (random.uniform() < s.rewiring)
        rewired.emplace_back(v, w);
      else
        edges.add(v, w);
    }
  for (const auto& [v, w] : rewired) {
    bool placed = false;
    for (int attempt = 0; attempt < 100 && !placed; ++attempt)
      placed = edges.add(v, any_agent(s.agents, random));
    if (!placed) edges.add(v, w);
  }
  return edges.take();
}

/// Barabasi-Albert: everyone who arrives links to average_degree / 2 earlier ones, in proportion to their
/// degree.
std::vector<Edge> draw_scale_free(const GeneratorOptions& s, RandomStream& random) {
  const auto n = static_cast<double>(s.agents);
  if (s.average_degree > n - 1 && s.agents > 1)
    throw RunError(
        fmt::format("average_degree {} is more than {} agents can have", s.average_degree, s.agents));
  // m links of every newcomer to a complete start of m + 1 agents: m n - m (m + 1) / 2 edges, as near as can be
  const auto off = [&](double m) { return std::abs(m * n - m * (m + 1) / 2 - n * s.average_degree / 2); };
  std::size_t links = 1;
  while (links + 1 < s.agents && off(static_cast<double>(links + 1)) < off(static_cast<double>(links)))
    ++links;
  EdgeSet edges(s.agents);
  std::vector<AgentId> ends;  // an agent stands here once per link it has
  const auto connect = [&](AgentId v, AgentId w) {
    if (edges.add(v, w)) ends.insert(ends.end(), {v, w});
  };
  for (AgentId v = 1; v < s.agents && v <= links; ++v)
    for (AgentId w = 0; w < v; ++w) connect(v, w);
  for (auto v = static_cast<AgentId>(links + 1); v < s.agents; ++v)
    while (edges.degree(v) < links) connect(v, ends[random.below(ends.size())]);
  return edges.take();
}

/// Points uniform in the unit square, neighbors within the radius: the ad-hoc radio network.
std::vector<Edge> draw_geometric(const GeneratorOptions& s, RandomStream& random) {
  const std::size_t n = s.agents;
  double radius = s.radius;
  if (radius == 0)
    radius =
        std::sqrt(s.average_degree / (std::numbers::pi * std::max<double>(1, static_cast<double>(n) - 1)));
  std::vector<std::pair<double, double>> at(n);
  for (auto& p : at) {
    p.first = random.uniform();
    p.second = random.uniform();
  }
  // cells as wide as the radius: only the nine around a point can hold neighbors
  const auto cells = static_cast<std::size_t>(
      std::clamp(std::floor(1 / radius), 1.0, std::sqrt(static_cast<double>(n)) + 1));
  const auto cell = [&](double x) {
    return std::min(cells - 1, static_cast<std::size_t>(x * static_cast<double>(cells)));
  };
  std::vector<std::vector<AgentId>> grid(cells * cells);
  for (AgentId v = 0; v < n; ++v) grid[cell(at[v].first) * cells + cell(at[v].second)].push_back(v);
  std::vector<Edge> edges;
  for (AgentId v = 0; v < n; ++v) {
    const std::size_t cx = cell(at[v].first);
    const std::size_t cy = cell(at[v].second);
    for (std::size_t x = cx > 0 ? cx - 1 : 0; x <= std::min(cells - 1, cx + 1); ++x)
      for (std::size_t y = cy > 0 ? cy - 1 : 0; y <= std::min(cells - 1, cy + 1); ++y)
        for (const AgentId w : grid[x * cells + y]) {
          const double dx = at[v].first - at[w].first;
          const double dy = at[v].second - at[w].second;
          if (v < w && dx * dx + dy * dy <= radius * radius) edges.emplace_back(v, w);
        }
  }
  return edges;
}

constexpr std::array<GeneratorEntry, 11> generator_table{{
    {"random", draw_random, true, true},
    {"ring", draw_ring, false, false},
    {"path", draw_path, false, false},
    {"grid", draw_grid, false, false},
    {"star", draw_star, false, false},
    {"complete", draw_complete, false, false},
    {"tree", draw_tree, false, false},
    {"regular", draw_regular, true, true},
    {"small-world", draw_small_world, true, true},
    {"scale-free", draw_scale_free, true, true},
    {"geometric", draw_geometric, true, true},
}};

bool connected(std::size_t agents, const std::vector<Edge>& edges) {
  std::vector<AgentId> leader(agents);
  for (AgentId v = 0; v < agents; ++v) leader[v] = v;
  const auto find = [&](AgentId v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  std::size_t parts = agents;
  for (const auto& [a, b] : edges) {
    const AgentId x = find(a);
    const AgentId y = find(b);
    if (x != y) {
      leader[x] = y;
      --parts;
    }
  }
  return parts == 1;
}

std::size_t smallest_degree(std::size_t agents, const std::vector<Edge>& edges) {
  std::vector<std::size_t> degree(agents, 0);
  for (const auto& [a, b] : edges) {
    ++degree[a];
    ++degree[b];
  }
  return *std::min_element(degree.begin(), degree.end());
}

}  // namespace

std::span<const GeneratorEntry> generators() {
  return generator_table;
}

const GeneratorEntry* find_generator(std::string_view name) {
  for (const GeneratorEntry& entry : generator_table)
    if (entry.name == name) return &entry;
  return nullptr;
}

Topology generate(std::string_view generator, const GeneratorOptions& settings, RandomStream& random) {
  const GeneratorEntry* entry = find_generator(generator);
  if (entry == nullptr) throw RunError(fmt::format("no topology generator is called '{}'", generator));
  if (settings.agents == 0) throw RunError("a topology needs at least one agent");
  if (settings.agents == 1 && settings.min_degree <= 1) return Topology(1, {});
  if (entry->uses_average_degree)
    refuse_too_many(static_cast<double>(settings.agents) * settings.average_degree / 2);
  if (settings.min_degree >= settings.agents)
    throw RunError(
        fmt::format("min_degree {} is more than {} agents can have", settings.min_degree, settings.agents));
  const int draws = entry->redraws ? max_redraws : 1;
  for (int k = 0; k < draws; ++k) {
    std::vector<Edge> edges = entry->draw(settings, random);
    if (!edges.empty() && connected(settings.agents, edges) &&
        smallest_degree(settings.agents, edges) >= settings.min_degree)
      return Topology(settings.agents, std::move(edges));
  }
  if (!entry->redraws)
    throw RunError(fmt::format("a {} of {} agents does not have min_degree {}", generator, settings.agents,
                               settings.min_degree));
  throw RunError(fmt::format(
      "no connected {} graph of {} agents with average_degree {}{} and min_degree {} in {} draws: raise "
      "average_degree{}",
      generator, settings.agents, settings.average_degree,
      settings.radius > 0 ? fmt::format(", radius {}", settings.radius) : "", settings.min_degree,
      max_redraws, generator == "geometric" ? " or radius" : ""));
}

}  // namespace sotto
