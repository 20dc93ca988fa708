#include "core/experiment/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fixed_point.h"
#include "core/algorithms/algorithms.h"
#include "core/data/formats.h"
#include "core/data/synthetic.h"
#include "core/protocols/neighbor_exchange.h"
#include "core/protocols/secure_sum.h"
#include "crypto/schemes.h"
#include "crypto/seal/engine.h"
#include "network/topology/graph_file.h"

namespace sotto {

namespace {

void refuse_too_large(double entries, const std::string& key, const SettingPlaces& places) {
  if (entries > static_cast<double>(max_entries))
    throw ScenarioError(places.of(key), key,
                        fmt::format("makes matrices of {:.3g} entries: {:.3g} is the most", entries,
                                    static_cast<double>(max_entries)));
}

void check_split(const Scenario& s, const DataShape& shape, const SettingPlaces& places) {
  const auto agents = static_cast<std::int64_t>(s.topology.shape.agents);
  const std::int64_t samples = shape.samples;
  const auto& split = s.data.split;
  if (split.kind == "sizes") {
    const SourcePlace here = places.of("data.split.sizes");
    if (static_cast<std::int64_t>(split.sizes.size()) != agents)
      throw ScenarioError(here, "data.split.sizes",
                          fmt::format("has {} entries, but there are {} agents", split.sizes.size(), agents));
    for (std::size_t a = 0; a < split.sizes.size(); ++a)
      if (split.sizes[a] == 0)
        throw ScenarioError(here, "data.split.sizes", fmt::format("agent {} has no samples", a));
    const std::int64_t sum = std::accumulate(split.sizes.begin(), split.sizes.end(), std::int64_t{0});
    if (sum != samples)
      throw ScenarioError(here, "data.split.sizes",
                          fmt::format("adds up to {}, but there are {} samples", sum, samples));
    return;
  }
  const std::int64_t least = split.kind == "even" ? 1 : split.min;
  if (samples / least < agents)
    throw ScenarioError(
        places.of("topology.agents"), "topology.agents",
        fmt::format("{} agents with at least {} sample{} each need more than the {} there are", agents, least,
                    least == 1 ? "" : "s", samples));
  if (split.kind == "uniform" && split.max != 0 && split.max < split.min)
    throw ScenarioError(places.of("data.split.max"), "data.split.max",
                        fmt::format("is below data.split.min = {}", split.min));
  if (split.kind == "uniform" && split.max != 0 && split.max * agents < samples)
    throw ScenarioError(
        places.of("data.split.max"), "data.split.max",
        fmt::format("{} agents with at most {} samples each cannot hold {}", agents, split.max, samples));
}

/// The bound of all factors, as the exchange has it.
double integer_penalty(const Scenario& s) {
  const double bound = factor_bound(exchange_privacy(s.exchange.privacy), s.algorithm.penalty);
  return std::nearbyint(std::ldexp(bound, static_cast<int>(s.exchange.penalty_bits)));
}

ExchangeRange exchange_range(const Scenario& s, double factor) {
  ExchangeRange range;
  range.value_bits = FixedPoint(s.exchange.quantization, s.exchange.max_abs).value_bits();
  range.factor_bits = bit_length(static_cast<UInt128>(factor));
  range.factor_per_entry = s.exchange.privacy == "per-entry";
  return range;
}

void refuse_small_key(const Scenario& s, ExchangeRange range, std::size_t senders,
                      const SettingPlaces& places) {
  const int slot = range.slot_bits = range.slot_bits_for(senders);
  if (const auto check = find_scheme(s.exchange.scheme).check; check != nullptr) {
    try {
      check(range, senders);
    } catch (const CryptoError& e) {
      throw ScenarioError(places.of("exchange.quantization"), "exchange.quantization", e.what());
    }
  }
  if (!find_scheme(s.exchange.scheme).has_key_bits || slot + 2 <= s.exchange.key_bits) return;
  throw ScenarioError(
      places.of("exchange.key_bits"), "exchange.key_bits",
      fmt::format("{} bits have no room for one slot of {} bits (values of {}, factors of {}): {} are "
                  "the least",
                  s.exchange.key_bits, slot, range.value_bits, range.factor_bits, slot + 2));
}

void check_exchange(const Scenario& s, const SettingPlaces& places) {
  const ExchangeSettings& e = s.exchange;
  if (e.quantization != std::floor(e.quantization))
    throw ScenarioError(places.of("exchange.quantization"), "exchange.quantization",
                        "must be a whole number");
  const double largest = std::nearbyint(e.quantization * e.max_abs);
  if (!(largest >= 1 && largest < 0x1p61))
    throw ScenarioError(places.of("exchange.quantization"), "exchange.quantization",
                        fmt::format("times max_abs is {}: it must lie between 1 and 2^61", largest));
  if (s.algorithm.variant == "published" && e.privacy != "published")
    throw ScenarioError(
        places.of("exchange.privacy"), "exchange.privacy",
        fmt::format("is \"{}\", but algorithm.variant = \"published\" sends every factor in clear: it "
                    "goes with \"published\" alone",
                    e.privacy));
  if (find_scheme(e.scheme).uses_seal && e.seal_engine == "native" && !has_native_seal())
    throw ScenarioError(
        places.of("exchange.seal_engine"), "exchange.seal_engine",
        "is \"native\", but this program was built without SEAL: \"node\" or \"auto\" take npm's");
  const bool has_keys = find_scheme(e.scheme).has_key_bits;
  if (has_keys && e.key_bits % 2 != 0)
    throw ScenarioError(places.of("exchange.key_bits"), "exchange.key_bits", "must be an even number");
  if (s.algorithm.scale_free) return;  // g comes from the data; the exchange checks it when it is known
  const double factor = integer_penalty(s);
  if (factor < static_cast<double>(min_penalty_steps))
    throw ScenarioError(
        places.of("algorithm.penalty"), "algorithm.penalty",
        fmt::format("{} has fewer than {} steps with {} fractional bits: raise exchange.penalty_bits",
                    s.algorithm.penalty, min_penalty_steps, e.penalty_bits));
  const double agents = static_cast<double>(s.topology.shape.agents);
  const double bits = std::log2(largest) + 2 * std::log2(factor) + std::log2(agents) + 6;
  if (bits > 127)
    throw ScenarioError(
        places.of("exchange.quantization"), "exchange.quantization",
        fmt::format("with max_abs, penalty and penalty_bits needs {:.0f} bits: 127 is the most", bits));
  refuse_small_key(s, exchange_range(s, factor), 1, places);
}

void refuse(const SettingPlaces& places, const std::string& key, const std::string& problem) {
  throw ScenarioError(places.of(key), key, problem);
}

bool normalizes(const Scenario& s) {
  const AlgorithmEntry& entry = *find_algorithm(s.algorithm.name);
  return entry.sums() && entry.svd(s.algorithm) && s.algorithm.sums == "normed";
}

/// Rings and keys of secure sums.
void check_sum_settings(const Scenario& s, const SettingPlaces& places) {
  const bool under_a_key = s.secure_sum.kind == "paillier-tree";
  if (under_a_key && s.secure_sum.ring_bits != 64)
    refuse(places, "secure_sum.ring_bits", "paillier-tree has slots for 64 bits");
  if (s.secure_sum.fraction_bits > s.secure_sum.ring_bits - 4)
    refuse(places, "secure_sum.fraction_bits",
           fmt::format("{} of {} bits leave no room for a number", s.secure_sum.fraction_bits,
                       s.secure_sum.ring_bits));
  const auto refuse_key = [&](std::int64_t least, const char* what) {
    if (s.exchange.key_bits % 2 != 0 || s.exchange.key_bits < least)
      refuse(places, "exchange.key_bits",
             fmt::format("must be an even number from {} on for {}", least, what));
  };
  if (under_a_key) refuse_key(68, "paillier-tree");  // one slot of 65 bits
  if (normalizes(s) && s.secure_sum.offline == "paillier")
    refuse_key(128, "products of shares");  // one slot of 126
}

/// That the numbers of a normalized sum fit a ring.
void check_normed(const Scenario& s, std::int64_t features, const SettingPlaces& places) {
  if (!normalizes(s)) return;
  try {
    const std::size_t parties = s.topology.shape.agents;
    NormedSumPlan::make(
        parties, static_cast<std::size_t>(features), s.secure_sum.offline == "dealer" ? 1 : parties,
        static_cast<int>(s.secure_sum.output_bits), static_cast<int>(s.secure_sum.norm_bound_bits));
  } catch (const CryptoError& e) {
    refuse(places, "secure_sum.norm_bound_bits", e.what());
  }
}

/// What belongs to RRI-NMF, or not to it.
void check_factorization(const Scenario& s, const AlgorithmEntry& entry, const SettingPlaces& places) {
  const AlgorithmSettings& a = s.algorithm;
  const bool rri = entry.rri(a);
  if (entry.sums()) check_sum_settings(s, places);
  if (entry.svd(a) != (s.application.kind == "lra" || s.application.kind == "pcr") &&
      s.application.kind != "none")
    refuse(places, "application.kind",
           fmt::format("\"{}\" {}: {}{} does not", s.application.kind,
                       entry.svd(a) ? "takes nonnegative factors" : "takes singular vectors", a.name,
                       entry.communication == Communication::none
                           ? fmt::format(" with algorithm.solver = \"{}\"", a.solver)
                           : ""));
  if (entry.svd(a)) return;
  const bool shared_start = a.initialization == "random" || a.initialization == "own-random";
  if (!rri && !shared_start && a.initialization != "ones")
    refuse(
        places, "algorithm.initialization",
        fmt::format("\"{}\" belongs to RRI-NMF: {} takes \"random\", \"own-random\" or \"ones\"{}",
                    a.initialization, a.name, a.name == "ppdnmf" ? "" : " (or algorithm.solver = \"rri\")"));
  if (!rri) return;
  if (a.initialization == "ones")
    refuse(places, "algorithm.initialization",
           "\"ones\" makes all topics the same, and RRI-NMF keeps them so");
  if (a.initialization == "own-random" && a.name != "local" && a.name != "centralized")
    refuse(places, "algorithm.initialization",
           fmt::format("\"own-random\": all parties of {} start from the same topics", a.name));
  if (a.weights == "observed" && a.topics == "simplex")
    refuse(places, "algorithm.topics",
           "\"simplex\" goes with algorithm.weights = \"all\": with \"observed\" the projection would be no "
           "minimum");
}

/// That the graph allows the secure sum that is asked for.
void check_sums(const Scenario& s, const Topology& topology, const SettingPlaces& places) {
  try {
    SumPlan::check(sum_kind(s.secure_sum.kind), topology);
  } catch (const RunError& e) {
    refuse(places, "secure_sum.kind", e.what());
  }
}

/// The widest slot that a sum over neighbors takes on this graph.
void check_summed_slots(const Scenario& s, const Topology& topology, const SettingPlaces& places) {
  if (s.algorithm.scale_free) return;
  std::size_t senders = 1;
  for (AgentId a = 0; a < topology.agents(); ++a) senders = std::max(senders, topology.degree(a));
  ExchangeRange range = exchange_range(s, integer_penalty(s));
  range.replies = Replies::summed;
  refuse_small_key(s, range, senders, places);
}

}  // namespace

bool expects_convergence(const Scenario& s) {
  return s.algorithm.stops && find_algorithm(s.algorithm.name)->has_stopping_rule;
}

void validate_costs(const Scenario& s, const SettingPlaces& places) {
  const std::size_t agents = s.topology.shape.agents;
  if (!s.cost.speeds.empty() && s.cost.speeds.size() != agents)
    throw ScenarioError(places.of("cost.speed"), "cost.speed",
                        fmt::format("has {} entries, but there are {} agents", s.cost.speeds.size(), agents));
  if (!s.cost.slow.empty() && !places.has("cost.speed.factor"))
    throw ScenarioError(places.of("cost.speed.slow"), "cost.speed.slow", "needs cost.speed.factor beside it");
  for (const std::int64_t a : s.cost.slow)
    if (static_cast<std::size_t>(a) >= agents)
      throw ScenarioError(places.of("cost.speed.slow"), "cost.speed.slow",
                          fmt::format("names agent {}, but the last one is {}", a, agents - 1));
}

void validate_trial(const Scenario& s, const DataShape& shape, const SettingPlaces& places) {
  if (s.entropy != "seed" && s.output.checkpoint_every > 0)
    throw ScenarioError(places.of("output.checkpoint_every"), "output.checkpoint_every",
                        "needs entropy = \"seed\": a run whose keys come from the system cannot go on");
  const auto features = static_cast<double>(shape.features);
  const auto all_samples = static_cast<double>(shape.samples) + static_cast<double>(shape.held_out);
  if (!s.data.from_file())
    refuse_too_large(
        features * all_samples + static_cast<double>(s.data.synthetic.rank) * (all_samples + features),
        "data.synthetic.samples", places);
  if (s.data.held_out >= 1 && s.data.held_out != std::floor(s.data.held_out))
    throw ScenarioError(places.of("data.held_out"), "data.held_out",
                        "must be a whole number, or a share below 1");
  if (shape.samples < static_cast<std::int64_t>(s.topology.shape.agents) && s.data.from_file() &&
      shape.held_out > 0)
    throw ScenarioError(
        places.of("data.held_out"), "data.held_out",
        fmt::format("leaves {} of {} samples to {} agents", std::max<std::int64_t>(0, shape.samples),
                    shape.samples + shape.held_out, s.topology.shape.agents));
  if (s.data.from_file() && s.data.files.size() > 1) {
    if (s.data.files.size() != s.topology.shape.agents)
      throw ScenarioError(places.of("data.file"), "data.file",
                          fmt::format("names {} files, but there are {} agents", s.data.files.size(),
                                      s.topology.shape.agents));
  } else {
    check_split(s, shape, places);
  }
}

void validate_method(const Scenario& s, const DataShape& shape, const SettingPlaces& places) {
  const std::int64_t features = shape.features - (s.application.kind == "pcr" ? 1 : 0);
  const std::int64_t most = std::min(features, shape.samples);
  if (s.algorithm.rank > most)
    throw ScenarioError(places.of("algorithm.rank"), "algorithm.rank",
                        fmt::format("is {}, but data of {} features and {} samples has rank {} at most",
                                    s.algorithm.rank, features, shape.samples, most));
  const auto rank = static_cast<double>(s.algorithm.rank);
  refuse_too_large(
      rank * (static_cast<double>(s.topology.shape.agents) * static_cast<double>(shape.features) * 5 +
              static_cast<double>(shape.samples) * 3),
      "algorithm.rank", places);
  const AlgorithmEntry& algorithm = *find_algorithm(s.algorithm.name);
  if (algorithm.nonnegative(s.algorithm) && synthetic_is_signed(s.data.source))
    throw ScenarioError(
        places.of("data.source"), "data.source",
        fmt::format("{} draws negative numbers, which {} does not take", s.data.source, algorithm.name));
  if (algorithm.exchanges()) check_exchange(s, places);
  check_factorization(s, algorithm, places);
  check_normed(s, features, places);
  if (s.application.kind == "pcr" && s.application.response > shape.features)
    refuse(places, "application.response",
           fmt::format("is {}, but there are {} features", s.application.response, shape.features));
  if ((s.application.kind == "pcr" || s.application.kind == "lra") && shape.held_out == 0)
    refuse(places, "application.kind",
           fmt::format("\"{}\" is measured on samples that nobody trained on: set data.held_out above 0",
                       s.application.kind));
}

void validate_entries(const Scenario& s, bool sparse, const SettingPlaces& places) {
  if (s.data.held_out_entries > 0 && !sparse)
    refuse(places, "data.held_out_entries", "takes entries out of sparse data, and this is dense");
  if (s.application.kind == "ratings" && s.data.held_out_entries == 0)
    refuse(places, "application.kind", "\"ratings\" are predicted: set data.held_out_entries above 0");
  if (find_algorithm(s.algorithm.name)->rri(s.algorithm) && s.algorithm.weights == "observed" && !sparse)
    refuse(places, "algorithm.weights",
           "\"observed\" counts the entries that sparse data has, and this is dense: take \"all\"");
}

void check_neighborhoods(const Scenario& s, const Topology& topology, const SettingPlaces& places,
                         const std::vector<std::string>& agent_names) {
  const AlgorithmEntry& algorithm = *find_algorithm(s.algorithm.name);
  if (algorithm.sums()) check_sums(s, topology, places);
  if (!algorithm.exchanges() || s.exchange.privacy != "neighborhood-sum") return;
  check_summed_slots(s, topology, places);
  constexpr std::size_t shown = 8;
  std::vector<std::string> names;
  std::size_t found = 0;
  for (AgentId a = 0; a < topology.agents(); ++a)
    if (topology.degree(a) < 2 && found++ < shown) names.push_back(agent_label(agent_names, a));
  if (found == 0) return;
  if (found > shown) names.push_back(fmt::format("{} more", found - shown));
  throw ScenarioError(places.of("exchange.privacy"), "exchange.privacy",
                      fmt::format("neighborhood-sum needs two neighbors everywhere, but {} {} has fewer: set "
                                  "topology.min_degree = 2, or take per-entry",
                                  found == 1 ? "agent" : "each of agents", fmt::join(names, ", ")));
}

}  // namespace sotto
