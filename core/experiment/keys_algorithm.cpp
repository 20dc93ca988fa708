// Keys of [algorithm], [exchange], [secure_sum] and [application].
#include "core/algorithms/algorithms.h"
#include "core/experiment/key_builders.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

bool is(const Scenario& s, std::string_view algorithm) {
  return s.algorithm.name == algorithm;
}
bool exchanges(const Scenario& s) {
  const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
  return entry != nullptr && entry->exchanges();
}
bool sums(const Scenario& s) {
  const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
  return entry != nullptr && entry->sums();
}
bool sums_under_a_key(const Scenario& s) {
  return sums(s) && s.secure_sum.kind == "paillier-tree";
}
bool rri(const Scenario& s) {
  const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
  return entry != nullptr && entry->rri(s.algorithm);
}
bool svd(const Scenario& s) {
  const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
  return entry != nullptr && entry->svd(s.algorithm);
}
/// PPDNMF, or its block coordinate descent in one place.
bool descends(const Scenario& s) {
  return !rri(s) && !svd(s);
}
bool shared_svd(const Scenario& s) {
  return sums(s) && svd(s);
}
bool normalizes(const Scenario& s) {
  return shared_svd(s) && s.algorithm.sums == "normed";
}
/// Whether there are Paillier keys, and whether SEAL is there, for secure sums.
bool products_of(const Scenario& s, std::string_view scheme) {
  return normalizes(s) && s.secure_sum.offline == scheme;
}
/// Whether parties fit models of their own before anything else.
bool fits_own_models(const Scenario& s) {
  return is(s, "wr-nmf") || (is(s, "pd-nmf") && (s.algorithm.initialization == "pd-nmf-init" ||
                                                 s.algorithm.initialization == "best-of-m" ||
                                                 s.algorithm.initialization == "pd-svd"));
}
bool split_left(const Scenario& s) {
  return s.algorithm.left_factor == "split" || s.algorithm.variant == "published";
}

}  // namespace

void add_algorithm_keys(std::vector<Key>& t) {
  const Used ppdnmf = [](const Scenario& s) { return is(s, "ppdnmf"); };
  const Used stops_early = [](const Scenario& s) {
    const AlgorithmEntry* entry = find_algorithm(s.algorithm.name);
    return entry != nullptr && entry->has_stopping_rule;
  };
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
      "only)",
      descends));
  t.push_back(choice(
      "algorithm.left_factor", {"split", "nonnegative"},
      [](Scenario & s) -> auto& { return s.algorithm.left_factor; },
      "split: U, X and P as in the paper; nonnegative: U = X by HALS",
      [](const Scenario& s) {
        return descends(s) && (!is(s, "ppdnmf") || s.algorithm.variant == "corrected");
      }));
  t.push_back(choice(
      "algorithm.right_factor", {"hals", "admm"},
      [](Scenario & s) -> auto& { return s.algorithm.right_factor; },
      "how Y is updated: coordinate descent, or eqs. (12)-(14)", descends));
  t.push_back(whole(
      "algorithm.outer_iterations", 1, 10'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.outer_iterations; },
      "at most; PPDNMF's first has no X step, so n of them are (n - 1) x inner_iterations rounds; RRI-NMF's "
      "are "
      "sweeps over all topics"));
  t.push_back(whole(
      "algorithm.inner_iterations", 1, 1'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.inner_iterations; }, "rounds per X step", descends));
  t.push_back(whole(
      "algorithm.right_iterations", 0, 1'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.right_iterations; },
      "sweeps (hals) or iterations (admm) per Y step; 0: 5 or 30; HALS makes 50 the first time", descends));
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
      [](const Scenario& s) { return descends(s) && split_left(s) && !s.algorithm.scale_free; }));
  t.push_back(real(
      "algorithm.eta", 0, 1e9, true, [](Scenario & s) -> auto& { return s.algorithm.eta; },
      "penalty of ADMM's split Y = V",
      [](const Scenario& s) { return descends(s) && s.algorithm.right_factor == "admm"; }));
  t.push_back(choice(
      "algorithm.acceleration", {"inertial", "none"},
      [](Scenario & s) -> auto& { return s.algorithm.acceleration; },
      "inertial: three local turns of U and Y a round, inertia, a strong start, one g for all; none: plain "
      "ADMM steps",
      [](const Scenario& s) {
        return is(s, "ppdnmf") && s.algorithm.variant == "corrected" && s.algorithm.left_factor == "split" &&
               s.algorithm.inner_iterations == 1;
      }));
  t.push_back(choice(
      "algorithm.initialization",
      {"random", "own-random", "ones", "random-2x", "best-of-m", "nndsvd", "pd-nmf-init", "pd-svd"},
      [](Scenario & s) -> auto& { return s.algorithm.initialization; },
      "X0: uniform from a seed all share; each its own; the paper's ones (a saddle). RRI-NMF: random; "
      "random-2x: with twice the "
      "iterations; best-of-m: the best party's own topics; nndsvd: from all data in one place; pd-nmf-init: "
      "own topics merged by secure sums; pd-svd: nndsvd's from singular vectors that secure sums find",
      [](const Scenario& s) { return !is(s, "wr-nmf") && !svd(s); }));
  t.push_back(real(
      "algorithm.initialization_scale", 0, 1e6, true,
      [](Scenario & s) -> auto& { return s.algorithm.initialization_scale; }, "X0 is multiplied by it",
      [](const Scenario& s) { return !svd(s); }));
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
               stops_early});
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
      "relative change of U over an X step, and disagreement with neighbors, below which the step is quiet; "
      "pd-nmf: change of T over a sweep; pd-svd: share of the space that is new",
      stops_early)));
  t.push_back(stopping(whole(
      "algorithm.stop.dwell", 1, 1'000'000, [](Scenario & s) -> auto& { return s.algorithm.dwell; },
      "quiet X steps (pd-nmf: sweeps) in a row before an agent raises the flag; one agent stops all, after "
      "the "
      "same round",
      stops_early)));
  t.push_back(choice(
      "algorithm.solver", {"bcd", "rri", "svd", "pca"},
      [](Scenario & s) -> auto& { return s.algorithm.solver; },
      "centralized and local: PPDNMF's block coordinate descent, RRI-NMF, or singular vectors of samples as "
      "they are or centred",
      [](const Scenario& s) { return is(s, "centralized") || is(s, "local"); }));
  t.push_back(real(
      "algorithm.alpha", 0, 1e9, false, [](Scenario & s) -> auto& { return s.algorithm.alpha; },
      "RRI-NMF: weight of |T|_1", rri));
  t.push_back(real(
      "algorithm.beta", -1e9, 1e9, false, [](Scenario & s) -> auto& { return s.algorithm.beta; },
      "RRI-NMF: weight of 1/2 |T|^2; below 0 it pulls topics to single features", rri));
  t.push_back(real(
      "algorithm.gamma", 0, 1e9, false, [](Scenario & s) -> auto& { return s.algorithm.gamma; },
      "RRI-NMF: weight of |W|_1", rri));
  t.push_back(real(
      "algorithm.delta", -1e9, 1e9, false, [](Scenario & s) -> auto& { return s.algorithm.delta; },
      "RRI-NMF: weight of 1/2 |W|^2", rri));
  t.push_back(choice(
      "algorithm.topics", {"free", "simplex"}, [](Scenario & s) -> auto& { return s.algorithm.topics; },
      "RRI-NMF: any nonnegative topics, or topics that sum to 1", rri));
  t.push_back(choice(
      "algorithm.weights", {"all", "observed"}, [](Scenario & s) -> auto& { return s.algorithm.weights; },
      "RRI-NMF: all entries count, or those that a sparse file has (ratings)", rri));
  t.push_back(whole(
      "algorithm.local_iterations", 1, 1'000'000,
      [](Scenario & s) -> auto& { return s.algorithm.local_iterations; },
      "pd-nmf-init, best-of-m, wr-nmf: sweeps of every party's own model, and of merging them; "
      "initialization "
      "= pd-svd: iterations",
      fits_own_models));
  t.push_back(choice(
      "algorithm.sums", {"normed", "revealing"}, [](Scenario & s) -> auto& { return s.algorithm.sums; },
      "pd-svd, pd-pca: normalized secure sums, which hide the scale, or plain ones, which show singular "
      "values",
      shared_svd));
  Key bound = real(
      "algorithm.norm_bound", 0, 1e300, true, [](Scenario & s) -> auto& { return s.algorithm.norm_bound; },
      "pd-svd, pd-pca: public bound on the norm of X'X of all data; sum: from a secure sum, which tells the "
      "scale",
      shared_svd);
  bound.allowed += ", or \"sum\"";
  bound.read = [read = bound.read](Scenario& s, const KeyValue& v) -> Problem {
    const auto* text = std::get_if<std::string>(&v);
    s.algorithm.norm_bound_from_sum = text != nullptr && *text == "sum";
    if (s.algorithm.norm_bound_from_sum) return {};
    const Problem problem = read(s, v);
    if (problem) return *problem + ", or \"sum\"";
    return {};
  };
  bound.write = [](const Scenario& s) -> std::optional<KeyValue> {
    if (s.algorithm.norm_bound_from_sum) return KeyValue(std::string("sum"));
    return s.algorithm.norm_bound;
  };
  t.push_back(std::move(bound));
  t.push_back(choice(
      "algorithm.response_fit", {"shared", "own"},
      [](Scenario & s) -> auto& { return s.algorithm.response_fit; },
      "pcr: regression on everybody's samples, by one more secure sum, or on a party's own",
      [](const Scenario& s) { return s.application.kind == "pcr" && shared_svd(s); }));
}

void add_exchange_keys(std::vector<Key>& t) {
  t.push_back(choice(
      "exchange.scheme", names_of(schemes()), [](Scenario & s) -> auto& { return s.exchange.scheme; },
      "how neighbors exchange integers; plain: readable; paillier: encrypted, packed; paillier-textbook: one "
      "ciphertext per "
      "entry, as the paper has it; bfv: Microsoft SEAL, thousands of entries to a ciphertext; bfv-fast: "
      "without "
      "circuit privacy; ckks: approximate",
      exchanges));
  t.push_back(choice(
      "exchange.privacy", {"published", "per-entry", "neighborhood-sum"},
      [](Scenario & s) -> auto& { return s.exchange.privacy; },
      "published: the paper's exchange, in which a neighbor learns U; per-entry: a factor of its own for "
      "every entry; "
      "neighborhood-sum: an agent learns the sum over its neighbors, of which everybody needs two",
      exchanges));
  t.push_back(real(
      "exchange.quantization", 1, 0x1p53, false,
      [](Scenario & s) -> auto& { return s.exchange.quantization; },
      "N_max: grid points per unit of U, a whole number", exchanges));
  t.push_back(real(
      "exchange.max_abs", 0, 1e12, true, [](Scenario & s) -> auto& { return s.exchange.max_abs; },
      "bound on the entries of U; beyond it the run ends with an error", exchanges));
  t.push_back(whole(
      "exchange.penalty_bits", 1, 40, [](Scenario & s) -> auto& { return s.exchange.penalty_bits; },
      "fractional bits of g", exchanges));
  t.push_back(choice(
      "exchange.keys", {"standard", "djn", "subgroup"}, [](Scenario & s) -> auto& { return s.exchange.keys; },
      "kind of Paillier keys: by assumption and cost, see SECURITY.md",
      [](const Scenario& s) {
        return sums_under_a_key(s) || products_of(s, "paillier") ||
               (exchanges(s) && find_scheme(s.exchange.scheme).has_key_kinds);
      }));
  t.push_back(whole(
      "exchange.key_bits", 64, 16384, [](Scenario & s) -> auto& { return s.exchange.key_bits; },
      "bits of a Paillier key, an even number; below 2048 insecure",
      [](const Scenario& s) {
        return sums_under_a_key(s) || products_of(s, "paillier") ||
               (exchanges(s) && find_scheme(s.exchange.scheme).has_key_bits);
      }));
  t.push_back(choice(
      "exchange.seal_engine", {"auto", "native", "node"},
      [](Scenario & s) -> auto& { return s.exchange.seal_engine; },
      "where SEAL is: native: compiled in; node: npm's node-seal in child processes; auto: native where it "
      "is there",
      [](const Scenario& s) {
        return products_of(s, "bfv") || (exchanges(s) && find_scheme(s.exchange.scheme).uses_seal);
      }));
  t.push_back(choice(
      "secure_sum.kind", {"edge-masks", "shares", "paillier-tree"},
      [](Scenario & s) -> auto& { return s.secure_sum.kind; },
      "how numbers are summed: edge-masks: masks between neighbors, up and down a tree, needs a graph "
      "without "
      "cut vertices; "
      "shares: masks between all pairs; paillier-tree: under one party's key (exchange.keys, "
      "exchange.key_bits)",
      sums));
  t.push_back(whole(
      "secure_sum.fraction_bits", 1, 100, [](Scenario & s) -> auto& { return s.secure_sum.fraction_bits; },
      "fractional bits of a secure sum", sums));
  Key ring = whole(
      "secure_sum.ring_bits", 64, 128, [](Scenario & s) -> auto& { return s.secure_sum.ring_bits; },
      "bits of an element: 64, or 128 for wider numbers", sums);
  ring.allowed = "64 or 128";
  ring.read = [](Scenario& scenario, const KeyValue& v) -> Problem {
    const auto* bits = std::get_if<std::int64_t>(&v);
    if (bits == nullptr || (*bits != 64 && *bits != 128)) return "must be 64 or 128";
    scenario.secure_sum.ring_bits = *bits;
    return {};
  };
  t.push_back(std::move(ring));
  t.push_back(choice(
      "secure_sum.offline", {"dealer", "paillier", "bfv"},
      [](Scenario & s) -> auto& { return s.secure_sum.offline; },
      "who prepares normalized sums: dealer: somebody outside the graph; paillier, bfv: the parties, in "
      "products under their keys",
      normalizes));
  t.push_back(whole(
      "secure_sum.output_bits", 4, 31, [](Scenario & s) -> auto& { return s.secure_sum.output_bits; },
      "f: fractional bits of a normalized sum (10, 20, 31 in the paper)", normalizes));
  t.push_back(whole(
      "secure_sum.norm_bound_bits", 1, 20, [](Scenario & s) -> auto& { return s.secure_sum.norm_bound_bits; },
      "public B: the norm of a sum that is normalized is at least 2^-B", normalizes));
}

void add_application_keys(std::vector<Key>& t) {
  t.push_back(choice(
      "application.kind", {"none", "topics", "ratings", "lra", "pcr"},
      [](Scenario & s) -> auto& { return s.application.kind; },
      "what the factors are for, and what is measured at the end; topics: coherence, perplexity, top terms; "
      "ratings: error of "
      "predictions of data.held_out_entries; lra: low-rank approximation of samples held out; pcr: "
      "regression on "
      "principal components; with a method \"local\" also every party's uplift"));
  t.push_back(whole(
      "application.response", 0, 1'000'000'000, [](Scenario & s) -> auto& { return s.application.response; },
      "pcr: the feature that is predicted from the others, from 1; 0: the last",
      [](const Scenario& s) { return s.application.kind == "pcr"; }));
  t.push_back(whole(
      "application.top_terms", 2, 1000, [](Scenario & s) -> auto& { return s.application.top_terms; },
      "topics: terms of a topic that coherence looks at and summary.json names",
      [](const Scenario& s) { return s.application.kind == "topics"; }));
}

}  // namespace sotto
