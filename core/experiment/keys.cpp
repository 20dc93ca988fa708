#include "core/experiment/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/algorithms/algorithms.h"
#include "core/experiment/key_builders.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

bool plain_name(const std::string& s) {
  return !s.empty() && s.size() <= 100 && s.front() != '.' && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

bool generated(const Scenario& s) {
  return s.topology.file.empty();
}
bool generated_by(const Scenario& s, std::string_view name) {
  return generated(s) && s.topology.generator == name;
}
bool is(const Scenario& s, std::string_view algorithm) {
  return s.algorithm.name == algorithm;
}
bool communicates(const Scenario& s) {
  const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
  return entry != nullptr && entry->communicates;
}
bool split_left(const Scenario& s) {
  return s.algorithm.left_factor == "split" || s.algorithm.variant == "published";
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
      "entropy", {"seed"}, [](Scenario & s) -> auto& { return s.entropy; },
      "where keys and masks come from; seeded keys are for simulation"));
}

void add_topology(std::vector<Key>& t) {
  t.push_back(choice(
      "topology.generator", names_of(generators()),
      [](Scenario & s) -> auto& { return s.topology.generator; }, "the shape of the graph", generated));
  t.push_back({"topology.file", "a path, relative to the scenario's folder",
               "an edge list (two agent numbers a line) instead of a generator",
               [](Scenario& s, const KeyValue& v) -> Problem {
                 const auto* text = std::get_if<std::string>(&v);
                 if (text == nullptr || text->empty() || text->find('\0') != std::string::npos)
                   return "must be the path of a file";
                 s.topology.file = *text;
                 return {};
               },
               [](const Scenario& s) -> std::optional<KeyValue> {
                 if (s.topology.file.empty()) return {};
                 return s.topology.file;
               },
               always});
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

void add_link_and_cost(std::vector<Key>& t) {
  t.push_back(real(
      "link.latency_ms", 0, 1e7, false, [](Scenario & s) -> auto& { return s.link.latency_ms; },
      "from the last byte sent to its arrival"));
  t.push_back(real(
      "link.bandwidth_mbit", 0, 1e9, true, [](Scenario & s) -> auto& { return s.link.bandwidth_mbit; },
      "10^6 bits a second, in each direction"));
  t.push_back(real(
      "link.loss", 0, 0, false, [](Scenario & s) -> auto& { return s.link.loss; }, "share of messages lost"));
  t.push_back(choice(
      "link.duplex", {"full"}, [](Scenario & s) -> auto& { return s.link.duplex; },
      "full: both directions at the same time"));
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
      "cost.speed.slow", [](Scenario & s) -> auto& { return s.cost.slow; }, "these agents are stragglers");
  slow.read = [read = slow.read](Scenario& s, const KeyValue& v) {
    s.cost.speed = 1;
    s.cost.speeds.clear();
    return read(s, v);
  };
  t.push_back(std::move(slow));
  Key factor = real(
      "cost.speed.factor", 0, 1e6, true, [](Scenario & s) -> auto& { return s.cost.slow_factor; },
      "speed of the stragglers");
  factor.write = [](const Scenario& s) -> std::optional<KeyValue> {
    if (s.cost.slow.empty()) return {};
    return s.cost.slow_factor;
  };
  t.push_back(std::move(factor));
}

void add_data(std::vector<Key>& t) {
  t.push_back(choice(
      "data.source", {"synthetic-nmf"}, [](Scenario & s) -> auto& { return s.data.source; },
      "synthetic-nmf: exponential factors and Gaussian noise, new in each trial"));
  t.push_back(choice(
      "data.samples", {"rows", "columns"}, [](Scenario & s) -> auto& { return s.data.samples; },
      "how a file lies", never));
  t.push_back(choice(
      "data.scale", {"none"}, [](Scenario & s) -> auto& { return s.data.scale; }, "scaling of the data"));
  t.push_back(whole(
      "data.synthetic.samples", 1, 100'000'000,
      [](Scenario & s) -> auto& { return s.data.synthetic.samples; }, "samples over all agents"));
  t.push_back(whole(
      "data.synthetic.features", 1, 10'000'000,
      [](Scenario & s) -> auto& { return s.data.synthetic.features; }, "features of a sample"));
  t.push_back(whole(
      "data.synthetic.rank", 1, 100'000, [](Scenario & s) -> auto& { return s.data.synthetic.rank; },
      "rank of the data without its noise"));
  t.push_back(real(
      "data.synthetic.left_mean", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.data.synthetic.left_mean; },
      "mean of the left factor's exponential entries"));
  t.push_back(real(
      "data.synthetic.right_mean", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.data.synthetic.right_mean; },
      "mean of the right factor's exponential entries"));
  t.push_back(real(
      "data.synthetic.noise_variance", 0, 1e12, false,
      [](Scenario & s) -> auto& { return s.data.synthetic.noise_variance; },
      "variance of the Gaussian noise"));
  const auto kind = [](std::string_view name) {
    return [name](const Scenario& s) { return s.data.split.kind == name; };
  };
  t.push_back(choice(
      "data.split.kind", {"even", "uniform", "sizes", "skewed"},
      [](Scenario & s) -> auto& { return s.data.split.kind; },
      "how samples are dealt out: even; uniform between min and max; given sizes; skewed as 1 / k^exponent"));
  t.push_back(whole(
      "data.split.min", 1, 100'000'000, [](Scenario & s) -> auto& { return s.data.split.min; },
      "uniform, skewed: at least so many samples per agent",
      [](const Scenario& s) { return s.data.split.kind == "uniform" || s.data.split.kind == "skewed"; }));
  t.push_back(whole(
      "data.split.max", 0, 100'000'000, [](Scenario & s) -> auto& { return s.data.split.max; },
      "uniform: at most so many; 0: no bound", kind("uniform")));
  Key sizes = whole_list(
      "data.split.sizes", [](Scenario & s) -> auto& { return s.data.split.sizes; },
      "samples of each agent, in order; no kind is needed with it", kind("sizes"));
  sizes.read = [read = sizes.read](Scenario& s, const KeyValue& v) {
    if (s.data.split.kind == "even") s.data.split.kind = "sizes";  // sizes say it themselves
    return read(s, v);
  };
  sizes.write = [write = sizes.write](const Scenario& s) {
    return s.data.split.kind == "sizes" ? write(s) : std::nullopt;
  };
  t.push_back(std::move(sizes));
  t.push_back(real(
      "data.split.exponent", 0, 10, false, [](Scenario & s) -> auto& { return s.data.split.exponent; },
      "skewed: 0 is even", kind("skewed")));
  t.push_back(real(
      "data.held_out", 0, 1e8, false, [](Scenario & s) -> auto& { return s.data.held_out; },
      "further samples that nobody trains on: a count, or a share below 1"));
}

void add_algorithm(std::vector<Key>& t) {
  const Used ppdnmf = [](const Scenario& s) { return is(s, "ppdnmf"); };
  t.push_back(choice(
      "algorithm.name", names_of(algorithms()), [](Scenario & s) -> auto& { return s.algorithm.name; },
      "what runs"));
  t.push_back(whole(
      "algorithm.rank", 1, 100'000, [](Scenario & s) -> auto& { return s.algorithm.rank; },
      "columns of the left factor"));
  t.push_back(choice(
      "algorithm.variant", {"corrected", "published"},
      [](Scenario & s) -> auto& { return s.algorithm.variant; },
      "corrected: see the README; published: eqs. (8)-(11) as printed (centralized and local: their order "
      "only)"));
  t.push_back(choice(
      "algorithm.left_factor", {"split", "nonnegative"},
      [](Scenario & s) -> auto& { return s.algorithm.left_factor; },
      "split: U, X and P as in the paper; nonnegative: U = X by HALS",
      [](const Scenario& s) { return !is(s, "ppdnmf") || s.algorithm.variant == "corrected"; }));
  t.push_back(choice(
      "algorithm.right_factor", {"hals", "admm"},
      [](Scenario & s) -> auto& { return s.algorithm.right_factor; },
      "how Y is updated: coordinate descent, or eqs. (12)-(14)"));
  t.push_back(whole(
      "algorithm.outer_iterations", 1, 10'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.outer_iterations; },
      "at most; the first has no X step, so n outer iterations are (n - 1) x inner_iterations rounds"));
  t.push_back(whole(
      "algorithm.inner_iterations", 1, 1'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.inner_iterations; }, "rounds per X step"));
  t.push_back(whole(
      "algorithm.right_iterations", 0, 1'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.right_iterations; },
      "sweeps (hals) or iterations (admm) per Y step; 0: 5 or 30; HALS makes 50 the first time"));
  Key penalty = real(
      "algorithm.penalty", 0, 1e6, true, [](Scenario & s) -> auto& { return s.algorithm.penalty; },
      "g_i, the bound of the consensus penalty; scale-free: from the data", ppdnmf);
  penalty.allowed += ", or \"scale-free\"";
  penalty.read = [read = penalty.read](Scenario& s, const KeyValue& v) -> Problem {
    const auto* text = std::get_if<std::string>(&v);
    s.algorithm.scale_free = text != nullptr && *text == "scale-free";
    if (s.algorithm.scale_free) return {};
    const Problem problem = read(s, v);
    if (problem) return *problem + ", or \"scale-free\"";
    return {};
  };
  penalty.write = [](const Scenario& s) -> std::optional<KeyValue> {
    if (s.algorithm.scale_free) return KeyValue(std::string("scale-free"));
    return s.algorithm.penalty;
  };
  t.push_back(std::move(penalty));
  t.push_back(real(
      "algorithm.penalty_factor", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.algorithm.penalty_factor; },
      "scale-free: f in g_i = sqrt(f tr(Y_i Y_i') / (K d_i))",
      [](const Scenario& s) { return is(s, "ppdnmf") && s.algorithm.scale_free; }));
  t.push_back(real(
      "algorithm.mu", 0, 1e9, true, [](Scenario & s) -> auto& { return s.algorithm.mu; },
      "penalty of the split X = U; scale-free: from the data",
      [](const Scenario& s) { return split_left(s) && !s.algorithm.scale_free; }));
  t.push_back(real(
      "algorithm.eta", 0, 1e9, true, [](Scenario & s) -> auto& { return s.algorithm.eta; },
      "penalty of ADMM's split Y = V", [](const Scenario& s) { return s.algorithm.right_factor == "admm"; }));
  t.push_back(choice(
      "algorithm.initialization", {"random", "own-random", "ones"},
      [](Scenario & s) -> auto& { return s.algorithm.initialization; },
      "X0: uniform from a seed all share; each its own; the paper's ones (a saddle)"));
  t.push_back(real(
      "algorithm.initialization_scale", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.algorithm.initialization_scale; }, "X0 is multiplied by it"));
  t.push_back({"algorithm.stop", "\"never\", or a table with tolerance and dwell",
               "never: run to outer_iterations; by default it stops, see tolerance and dwell",
               [](Scenario& s, const KeyValue& v) -> Problem {
                 const auto* text = std::get_if<std::string>(&v);
                 if (text == nullptr || *text != "never")
                   return "must be \"never\", or a table with tolerance and dwell";
                 s.algorithm.stops = false;
                 return {};
               },
               [](const Scenario& s) -> std::optional<KeyValue> {
                 if (s.algorithm.stops) return {};
                 return KeyValue(std::string("never"));
               },
               ppdnmf});
  const auto stopping = [](Key key) {
    key.read = [read = key.read](Scenario& s, const KeyValue& v) {
      s.algorithm.stops = true;
      return read(s, v);
    };
    key.write = [write = key.write](const Scenario& s) {
      return s.algorithm.stops ? write(s) : std::nullopt;
    };
    return key;
  };
  t.push_back(stopping(real(
      "algorithm.stop.tolerance", 0, 1, true, [](Scenario & s) -> auto& { return s.algorithm.tolerance; },
      "relative change of U over an X step, and disagreement with neighbors, below which the step is quiet",
      ppdnmf)));
  t.push_back(stopping(whole(
      "algorithm.stop.dwell", 1, 1'000'000, [](Scenario & s) -> auto& { return s.algorithm.dwell; },
      "quiet X steps in a row before an agent raises the flag; one agent stops all, after the same round",
      ppdnmf)));
}

void add_exchange(std::vector<Key>& t) {
  t.push_back(choice(
      "exchange.scheme", names_of(schemes()), [](Scenario & s) -> auto& { return s.exchange.scheme; },
      "how neighbors exchange integers; plain: readable", communicates));
  t.push_back(choice(
      "exchange.privacy", {"published"}, [](Scenario & s) -> auto& { return s.exchange.privacy; },
      "published: the paper's exchange, in which a neighbor learns U", communicates));
  t.push_back(real(
      "exchange.quantization", 1, 0x1p53, false,
      [](Scenario & s) -> auto& { return s.exchange.quantization; },
      "N_max: grid points per unit of U, a whole number", communicates));
  t.push_back(real(
      "exchange.max_abs", 0, 1e12, true, [](Scenario & s) -> auto& { return s.exchange.max_abs; },
      "bound on the entries of U; beyond it the run ends with an error", communicates));
  t.push_back(whole(
      "exchange.penalty_bits", 1, 40, [](Scenario & s) -> auto& { return s.exchange.penalty_bits; },
      "fractional bits of g", communicates));
  t.push_back(choice(
      "exchange.keys", {"standard", "djn", "subgroup"}, [](Scenario & s) -> auto& { return s.exchange.keys; },
      "kind of Paillier keys", never));
  t.push_back(whole(
      "exchange.key_bits", 64, 16384, [](Scenario & s) -> auto& { return s.exchange.key_bits; },
      "bits of a Paillier key", never));
  t.push_back(choice(
      "exchange.seal_engine", {"auto", "native", "node"},
      [](Scenario & s) -> auto& { return s.exchange.seal_engine; }, "which build of SEAL", never));
  t.push_back(choice(
      "secure_sum.kind", {"edge-masks", "shares", "paillier-tree"},
      [](Scenario & s) -> auto& { return s.secure_sum.kind; }, "protocol of a secure sum", never));
  t.push_back(whole(
      "secure_sum.fraction_bits", 1, 60, [](Scenario & s) -> auto& { return s.secure_sum.fraction_bits; },
      "fractional bits of a secure sum", never));
  t.push_back(choice(
      "secure_sum.offline", {"dealer", "paillier", "bfv"},
      [](Scenario & s) -> auto& { return s.secure_sum.offline; }, "who prepares the normalized sum", never));
  t.push_back(whole(
      "secure_sum.norm_bound_bits", 1, 64, [](Scenario & s) -> auto& { return s.secure_sum.norm_bound_bits; },
      "public B: the sum's norm is at least 2^-B", never));
}

void add_output(std::vector<Key>& t) {
  t.push_back(flag(
      "output.factors", [](Scenario & s) -> auto& { return s.output.factors; },
      "write the final factors of every agent to factors.csv"));
  t.push_back(whole(
      "output.metrics_every", 1, 10'000'000, [](Scenario & s) -> auto& { return s.output.metrics_every; },
      "outer iterations between rows of the trace (global metrics cost a refit); the last is always there"));
  t.push_back(whole(
      "output.checkpoint_every", 0, 0, [](Scenario & s) -> auto& { return s.output.checkpoint_every; },
      "outer iterations between checkpoints; 0: never"));
  t.push_back(flag(
      "output.transcript", [](Scenario & s) -> auto& { return s.output.transcript; },
      "write every message that each agent saw to transcript.csv"));
}

std::vector<Key> make_table() {
  std::vector<Key> t;
  add_general(t);
  add_topology(t);
  add_link_and_cost(t);
  add_data(t);
  add_algorithm(t);
  add_exchange(t);
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
  };
  return std::visit(Text{}, value);
}

}  // namespace sotto
