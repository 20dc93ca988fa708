// Keys of [algorithm], [exchange] and [secure_sum].
#include "core/algorithms/algorithms.h"
#include "core/experiment/key_builders.h"
#include "crypto/schemes.h"

namespace sotto {

namespace {

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

}  // namespace

void add_algorithm_keys(std::vector<Key>& t) {
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
      "algorithm.acceleration", {"inertial", "none"},
      [](Scenario & s) -> auto& { return s.algorithm.acceleration; },
      "inertial: three local turns of U and Y a round, inertia, a strong start, one g for all; none: plain "
      "ADMM steps",
      [](const Scenario& s) {
        return is(s, "ppdnmf") && s.algorithm.variant == "corrected" && s.algorithm.left_factor == "split" &&
               s.algorithm.inner_iterations == 1;
      }));
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

void add_exchange_keys(std::vector<Key>& t) {
  t.push_back(choice(
      "exchange.scheme", names_of(schemes()), [](Scenario & s) -> auto& { return s.exchange.scheme; },
      "how neighbors exchange integers; plain: readable; paillier: encrypted, packed; paillier-textbook: one "
      "ciphertext per "
      "entry, as the paper has it; bfv: Microsoft SEAL, thousands of entries to a ciphertext; bfv-fast: "
      "without "
      "circuit privacy; ckks: approximate",
      communicates));
  t.push_back(choice(
      "exchange.privacy", {"published", "per-entry", "neighborhood-sum"},
      [](Scenario & s) -> auto& { return s.exchange.privacy; },
      "published: the paper's exchange, in which a neighbor learns U; per-entry: a factor of its own for "
      "every entry; "
      "neighborhood-sum: an agent learns the sum over its neighbors, of which everybody needs two",
      communicates));
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
      "kind of Paillier keys: by assumption and cost, see SECURITY.md",
      [](const Scenario& s) { return communicates(s) && find_scheme(s.exchange.scheme).has_key_kinds; }));
  t.push_back(whole(
      "exchange.key_bits", 64, 16384, [](Scenario & s) -> auto& { return s.exchange.key_bits; },
      "bits of a Paillier key, an even number; below 2048 insecure",
      [](const Scenario& s) { return communicates(s) && find_scheme(s.exchange.scheme).has_key_bits; }));
  t.push_back(choice(
      "exchange.seal_engine", {"auto", "native", "node"},
      [](Scenario & s) -> auto& { return s.exchange.seal_engine; },
      "where SEAL is: native: compiled in; node: npm's node-seal in child processes; auto: native where it "
      "is there",
      [](const Scenario& s) { return communicates(s) && find_scheme(s.exchange.scheme).uses_seal; }));
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

}  // namespace sotto
