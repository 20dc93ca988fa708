// Secure sums: the right sum for everybody on every graph, and what coalitions see of it, word by word. A coalition here has
// its members' secrets and every message they received or passed on, and computes with them what it can.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/experiment/scenario.h"
#include "core/protocols/secure_sum.h"
#include "core/protocols/tags.h"
#include "crypto/schemes.h"
#include "network/runtime.h"
#include "network/topology_analysis.h"
#include "network/topology_generators.h"

using namespace sotto;

namespace {

Topology graph(std::string_view name, std::size_t agents, std::size_t min_degree = 1) {
  GeneratorSettings s;
  s.agents = agents;
  s.min_degree = min_degree;
  s.average_degree = 4;
  RandomStream random({1, 0, 0, "topology"});
  return generate(name, s, random);
}

struct Summed {
  std::vector<std::vector<Vector>> x, sum;  // by call, agent
  std::vector<StreamKey> secrets;           // by agent: of its key agreement
  std::vector<SumFigures> figures;
  SumPlan plan;
  RunResult run;
};

SecureSumSettings settings_of(const std::string& kind, int ring_bits = 64) {
  SecureSumSettings s;
  s.kind = kind;
  s.ring_bits = ring_bits;
  return s;
}

std::shared_ptr<const AdditiveScheme> paillier() {
  static const std::shared_ptr<const AdditiveScheme> scheme =
      make_scheme("paillier", {"djn", 256, 8, nullptr});
  return scheme;
}

Vector numbers(RandomStream& random, Index count, double size) {
  Vector x(count);
  for (double& v : x) v = size * (2 * random.uniform() - 1);
  return x;
}

Summed sums(const Topology& topology, const SecureSumSettings& settings, int calls, Index entries,
            double size = 100) {
  Summed out;
  out.plan = SumPlan::make(sum_kind(settings.kind), topology);
  out.x.assign(static_cast<std::size_t>(calls), std::vector<Vector>(topology.agents()));
  out.sum = out.x;
  out.secrets.resize(topology.agents());
  out.figures.resize(topology.agents());
  Workers workers(2);
  RuntimeOptions options;
  options.transcript = true;
  out.run = run_agents(
      workers, topology,
      [&](Agent& me) -> Task<void> {
        out.secrets[me.id()] = me.secret_random("secure sum agreement").next_key();
        SecureSum sum(me, settings, out.plan, settings.kind == "paillier-tree" ? paillier() : nullptr);
        co_await sum.open();
        RandomStream random = me.random("numbers");
        for (std::size_t c = 0; c < out.x.size(); ++c) {
          out.x[c][me.id()] = numbers(random, entries, size);
          out.sum[c][me.id()] = co_await sum.sum(out.x[c][me.id()]);
        }
        out.figures[me.id()] = sum.figures();
      },
      options);
  return out;
}

Vector true_sum(const std::vector<Vector>& x) {
  Vector sum = Vector::Zero(x[0].size());
  for (const Vector& v : x) sum += v;
  return sum;
}

/// Chi-square of bytes over 256 cells: mean 255, standard deviation 22.6.
double chi_square(const std::vector<std::uint64_t>& words) {
  std::array<double, 256> count{};
  for (const std::uint64_t w : words)
    for (int b = 0; b < 64; b += 8) ++count[(w >> b) & 255];
  const double expected = static_cast<double>(words.size()) * 8 / 256;
  double chi = 0;
  for (const double c : count) chi += (c - expected) * (c - expected) / expected;
  return chi;
}
constexpr double chi_most = 255 + 6 * 22.6;

bool looks_uniform(const std::vector<std::uint64_t>& words) {
  return chi_square(words) < chi_most;
}

/// Words as numbers: a sum of the parties' own stays small, a masked one is anywhere.
bool readable(const std::vector<std::uint64_t>& words) {
  return std::ranges::all_of(words, [](std::uint64_t w) {
    return std::abs(static_cast<double>(static_cast<std::int64_t>(w))) < 0x1p40 * 1e5;
  });
}

std::vector<std::uint64_t> plus(std::vector<std::uint64_t> a, const std::vector<std::uint64_t>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
  return a;
}

/// What two agents' masks are in a call, from the secret of one and the public key of the other.
std::vector<std::uint64_t> pair_mask(const StreamKey& secret, const StreamKey& other_secret,
                                     std::uint64_t call, std::size_t count) {
  const std::string_view context = "masks of a secure sum";
  MaskGenerator masks(
      KeyAgreement(secret).agree(KeyAgreement(other_secret).public_key(),
                                 {reinterpret_cast<const std::uint8_t*>(context.data()), context.size()}));
  std::vector<std::uint64_t> words(count);
  masks.apply(call, MaskSign::add, std::span(words));
  return words;
}

/// Takes off y, which is the sum over `covered`, the masks that coalition members share with them.
void remove_known_masks(std::vector<std::uint64_t>& y, const Summed& s, const Topology& topology,
                        const std::set<AgentId>& covered, const std::set<AgentId>& coalition, bool all_pairs,
                        std::uint64_t call) {
  for (const AgentId i : covered)
    for (AgentId c : coalition) {
      if (covered.contains(c) || (!all_pairs && !topology.adjacent(i, c))) continue;
      const auto mask = pair_mask(s.secrets[c], s.secrets[i], call, y.size());
      for (std::size_t k = 0; k < y.size(); ++k) y[k] += i < c ? 0 - mask[k] : mask[k];
    }
}

std::vector<std::uint64_t> words_of(const Bytes& bytes) {
  return read_elements<std::uint64_t>(bytes, bytes.size() / 8);
}

/// Agents below `top` in the tree that the messages of the transcript show.
std::set<AgentId> subtree(const Summed& s, AgentId top) {
  std::set<AgentId> all{top};
  for (bool grown = true; grown;) {
    grown = false;
    for (AgentId to = 0; to < s.run.transcript.size(); ++to)
      for (const Message& m : s.run.transcript[to])
        if (m.tag == tags::sum_up && m.to == to && all.contains(to)) grown |= all.insert(m.from).second;
  }
  return all;
}

/// edge-masks: what the coalition saw of the others: every y over a set of agents, by that set; masks shared with the
/// coalition removed, or as it came.
std::map<std::set<AgentId>, std::vector<std::uint64_t>> seen_by(const Summed& s, const Topology& topology,
                                                                const std::set<AgentId>& coalition,
                                                                bool remove = true) {
  std::map<std::set<AgentId>, std::vector<std::uint64_t>> seen;
  for (const AgentId c : coalition)
    for (const Message& m : s.run.transcript[c]) {
      if (m.tag != tags::sum_up || m.to != c) continue;
      const std::set<AgentId> covered = subtree(s, m.from);
      std::vector<std::uint64_t> y = words_of(m.bytes);
      if (seen.contains(covered)) continue;  // the first call
      if (remove) remove_known_masks(y, s, topology, covered, coalition, false, 0);
      seen[covered] = y;
    }
  return seen;
}

std::vector<std::uint64_t> encoded(const Vector& x, std::size_t parties) {
  return RingGrid<std::uint64_t>(40, parties).encode({x.data(), static_cast<std::size_t>(x.size())});
}

}  // namespace

TEST_CASE("secure sum: everybody has the sum, the same bits, on every graph that a protocol allows") {
  for (const char* shape : {"ring", "complete", "path", "star", "tree", "grid", "random", "regular",
                            "small-world", "scale-free", "geometric"})
    for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
      for (const int ring : {64, 128}) {
        const Topology topology = graph(shape, 8);
        if (std::string_view(kind) == "edge-masks" && !cut_vertices(topology).empty()) continue;
        if (std::string_view(kind) == "paillier-tree" && ring != 64) continue;
        INFO(shape << ", " << kind << ", " << ring);
        const Summed s = sums(topology, settings_of(kind, ring), 3, 17);
        for (std::size_t c = 0; c < 3; ++c)
          for (AgentId a = 0; a < 8; ++a) {
            CHECK(s.sum[c][a] == s.sum[c][0]);
            CHECK((s.sum[c][a] - true_sum(s.x[c])).cwiseAbs().maxCoeff() <= 8 * 0x1p-41 + 1e-12);
          }
      }
}

TEST_CASE("secure sum: one and two parties, and a single number") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    for (const std::size_t agents : {1U, 2U, 3U}) {
      const Summed s = sums(graph("complete", agents), settings_of(kind), 2, 1);
      for (AgentId a = 0; a < agents; ++a)
        CHECK(s.sum[1][a][0] == doctest::Approx(true_sum(s.x[1])[0]).epsilon(1e-9));
    }
}

TEST_CASE("secure sum: with the system's entropy the sums are the same, and no message is") {
  const Topology ring = graph("ring", 5);
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"}) {
    std::vector<Bytes> first_messages;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const SecureSumSettings settings = settings_of(kind);
      const SumPlan plan = SumPlan::make(sum_kind(kind), ring);
      std::vector<Vector> sum(5);
      Workers workers(1);
      RuntimeOptions options;
      options.transcript = true;
      options.randomness.system_secrets = true;
      const std::shared_ptr<const AdditiveScheme> scheme = make_scheme("paillier", {"djn", 256, 5, nullptr});
      const RunResult run = run_agents(
          workers, ring,
          [&](Agent& me) -> Task<void> {
            SecureSum s(me, settings, plan, std::string_view(kind) == "paillier-tree" ? scheme : nullptr);
            co_await s.open();
            for (const Index length : {3, 7})
              sum[me.id()] = co_await s.sum(Vector::Constant(length, 1.0 + me.id()));
          },
          options);
      for (const Vector& x : sum) CHECK(x.isApproxToConstant(15.0, 1e-9));
      for (const Message& m : run.transcript[1])
        if (m.tag == tags::sum_up || m.tag == tags::sum_share) {
          first_messages.push_back(m.bytes);
          break;
        }
    }
    if (first_messages.size() == 2) CHECK(first_messages[0] != first_messages[1]);
  }
}

TEST_CASE("secure sum: a number out of range ends it and names the agent, before it sends anything") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"})
    CHECK_THROWS_WITH_AS(sums(graph("complete", 4), settings_of(kind), 1, 3, 1e8),
                         doctest::Contains("agent 0: entry"), CryptoError);
  CHECK_NOTHROW(sums(graph("complete", 4), settings_of("shares", 128), 1, 3, 1e8));
}

TEST_CASE("secure sum: edge-masks is refused where a single agent can cut the graph, and says which") {
  for (const char* shape : {"path", "star", "tree"})
    CHECK_THROWS_WITH_AS(SumPlan::make(SumKind::edge_masks, graph(shape, 6)), doctest::Contains("cut vertex"),
                         RunError);
  CHECK_THROWS_WITH_AS(SumPlan::make(SumKind::edge_masks, graph("path", 4)),
                       doctest::Contains("agents 1, 2 are"), RunError);
  CHECK_NOTHROW(SumPlan::make(SumKind::edge_masks, graph("ring", 6)));
  CHECK_NOTHROW(SumPlan::make(SumKind::shares, graph("path", 6)));
}

TEST_CASE("secure sum: the key holder is a leaf that the others do without, and hangs on the root") {
  for (const char* shape : {"ring", "path", "star", "tree", "grid", "complete", "random"}) {
    // the last agent of "star" is its middle
    const Topology topology =
        std::string_view(shape) == "star" ? Topology(4, {{3, 0}, {3, 1}, {3, 2}}) : graph(shape, 9);
    const SumPlan plan = SumPlan::make(SumKind::paillier_tree, topology);
    REQUIRE(plan.key_holder);
    CHECK(topology.adjacent(*plan.key_holder, plan.root));
    const auto cuts = cut_vertices(topology);
    CHECK_FALSE(std::binary_search(cuts.begin(), cuts.end(), *plan.key_holder));
  }
}

TEST_CASE(
    "secure sum: what is counted is what was sent; edge-masks never more than the paper's 2 (M-1)(d+1)") {
  for (const char* shape : {"complete", "ring", "grid"})
    for (const std::size_t agents : {3U, 5U, 9U}) {
      const Topology topology = graph(shape, agents);
      for (const char* kind : {"edge-masks", "shares"}) {
        if (!cut_vertices(topology).empty()) continue;
        const Summed s = sums(topology, settings_of(kind), 1, 11);
        for (AgentId a = 0; a < agents; ++a) {
          std::uint64_t sent = 0;
          std::uint64_t received = 0;
          for (AgentId to = 0; to < agents; ++to)
            for (const Message& m : s.run.transcript[to]) {
              if (m.to != to || m.tag < tags::sum_up || m.tag > tags::sum_share) continue;
              sent += m.from == a ? 11 : 0;
              received += to == a ? 11 : 0;
            }
          INFO(shape << " " << agents << " " << kind << " agent " << a);
          CHECK(s.figures[a].elements == sent);
          CHECK(sent + received <= 2 * (agents - 1) * 11);
          CHECK(s.figures[a].calls == 1);
        }
      }
    }
}

TEST_CASE("edge-masks: a coalition that leaves the others connected sees uniform words and no partial sum") {
  constexpr Index entries = 4096;
  for (const auto& [topology, coalitions] : std::vector<std::pair<Topology, std::vector<std::set<AgentId>>>>{
           {graph("complete", 5), {{0}, {0, 1}, {0, 1, 2}, {2, 4}}},
           {graph("ring", 6), {{0}, {0, 1}, {3, 4}, {0, 1, 2, 3}}},
           {graph("grid", 9), {{4}, {0, 4}, {1, 2, 5}}}}) {
    const Summed s = sums(topology, settings_of("edge-masks"), 1, entries);
    for (const auto& coalition : coalitions) {
      std::set<AgentId> honest;
      for (AgentId a = 0; a < topology.agents(); ++a)
        if (!coalition.contains(a)) honest.insert(a);
      const auto seen = seen_by(s, topology, coalition);
      const auto as_it_came = seen_by(s, topology, coalition, false);
      for (const auto& [covered, words] : seen) {
        std::set<AgentId> theirs;
        std::ranges::set_difference(covered, coalition, std::inserter(theirs, theirs.end()));
        if (theirs.empty() || theirs == honest) continue;  // nothing, or what the sum tells anyway
        CHECK(looks_uniform(words));
        CHECK_FALSE(readable(words));
        CHECK(looks_uniform(as_it_came.at(covered)));
        CHECK_FALSE(readable(as_it_came.at(covered)));
      }
      // every way to put two of them together
      for (const auto& [one, a] : seen)
        for (const auto& [two, b] : seen) {
          std::set<AgentId> together;
          std::ranges::set_union(one, two, std::inserter(together, together.end()));
          if (one.size() + two.size() != together.size()) continue;  // they overlap
          std::ranges::set_intersection(honest, std::set<AgentId>(together),
                                        std::inserter(together = {}, together.end()));
          if (!together.empty() && together != honest) CHECK_FALSE(readable(plus(a, b)));
        }
    }
  }
}

TEST_CASE("edge-masks: a coalition that cuts the graph reads the sum over each part, exactly") {
  // a ring of six, agents 0 and 3 collude: {1, 2} and {4, 5} are apart
  const Topology ring = graph("ring", 6);
  const Summed s = sums(ring, settings_of("edge-masks"), 1, 50);
  const auto part = [&](AgentId a, AgentId b) { return plus(encoded(s.x[0][a], 6), encoded(s.x[0][b], 6)); };
  const auto minus = [](std::vector<std::uint64_t> a, const std::vector<std::uint64_t>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
    return a;
  };
  const auto seen = seen_by(s, ring, {0, 3});
  // the root is 1: agent 0 receives what 5 sends, agent 3 what 4 sends
  REQUIRE(seen.contains({5}));
  REQUIRE(seen.contains({4}));
  CHECK_FALSE(readable(seen.at({5})));  // half a part says nothing
  CHECK_FALSE(readable(seen.at({4})));
  CHECK(plus(seen.at({4}), seen.at({5})) == part(4, 5));
  // and the other part is what is left of the total
  std::vector<std::uint64_t> total;
  for (const Message& m : s.run.transcript[0])
    if (m.tag == tags::sum_down && m.to == 0) total = words_of(m.bytes);
  REQUIRE(total.size() == 50);
  CHECK(minus(minus(total, part(0, 3)), part(4, 5)) == part(1, 2));
}

TEST_CASE("edge-masks: without masks every parent reads its children: the test above can fail") {
  const Summed s = sums(graph("complete", 4), settings_of("edge-masks"), 1, 4096);
  CHECK_FALSE(looks_uniform(encoded(s.x[0][1], 4)));
  CHECK(readable(encoded(s.x[0][1], 4)));
}

TEST_CASE("shares: any M - 2 colluders see uniform words, and no sum but the whole is readable") {
  constexpr std::size_t agents = 5;
  for (const char* shape : {"complete", "path", "star", "ring"}) {
    const Topology topology = graph(shape, agents);
    const Summed s = sums(topology, settings_of("shares"), 1, 4096);
    for (AgentId i = 0; i < agents; ++i)
      for (AgentId j = i + 1; j < agents; ++j) {
        std::set<AgentId> coalition;
        for (AgentId a = 0; a < agents; ++a)
          if (a != i && a != j) coalition.insert(a);
        // a colluder opened what was sent to it
        std::map<AgentId, std::vector<std::uint64_t>> y;
        for (const AgentId honest : {i, j}) {
          y[honest] = encoded(s.x[0][honest], agents);
          const AgentId other = honest == i ? j : i;
          const auto mask = pair_mask(s.secrets[honest], s.secrets[other], 0, 4096);
          for (std::size_t k = 0; k < mask.size(); ++k)
            y[honest][k] += honest < other ? mask[k] : 0 - mask[k];
        }
        // that this is what they have: what a neighbor in the coalition received, known masks removed
        for (const AgentId c : coalition)
          for (const Message& m : s.run.transcript[c])
            if (m.tag == tags::sum_share && m.to == c && y.contains(m.from) && topology.adjacent(c, m.from)) {
              std::vector<std::uint64_t> words = words_of(m.bytes);
              remove_known_masks(words, s, topology, {m.from}, coalition, true, 0);
              CHECK(words == y[m.from]);
            }
        CHECK(looks_uniform(y[i]));
        CHECK(looks_uniform(y[j]));
        CHECK_FALSE(readable(y[i]));
        CHECK_FALSE(readable(y[j]));
        CHECK(readable(plus(y[i], y[j])));  // the sum over the two: the sum tells it anyway
      }
  }
}

TEST_CASE("shares: relays see nothing of what passes through them") {
  const Topology path = graph("path", 5);
  const Summed s = sums(path, settings_of("shares"), 2, 4096);
  std::size_t passed = 0;
  for (AgentId relay = 0; relay < 5; ++relay)
    for (const Message& m : s.run.transcript[relay]) {
      if (m.to == relay || m.tag != tags::sum_share) continue;
      ++passed;
      CHECK(m.bytes.size() == 8 * 4096 + MessageSeal::overhead);
      const std::vector<std::uint64_t> words = words_of({m.bytes.begin(), m.bytes.begin() + 8 * 4096});
      CHECK(looks_uniform(words));
      // not even the masked vector, which its receiver has
      for (const Message& direct : s.run.transcript[m.from == 0 ? 1 : m.from - 1])
        if (direct.from == m.from && direct.to != relay && direct.tag == tags::sum_share)
          CHECK(words != words_of(direct.bytes));
    }
  CHECK(passed > 0);
}

TEST_CASE("masks: the same vectors in two calls look as different as any") {
  const Topology topology = graph("complete", 3);
  for (const char* kind : {"edge-masks", "shares"}) {
    std::vector<std::vector<std::uint64_t>> seen;
    Workers workers(1);
    RuntimeOptions options;
    options.transcript = true;
    const SecureSumSettings settings = settings_of(kind);
    const SumPlan plan = SumPlan::make(sum_kind(kind), topology);
    const RunResult run = run_agents(
        workers, topology,
        [&](Agent& me) -> Task<void> {
          SecureSum sum(me, settings, plan, nullptr);
          co_await sum.open();
          const Vector same = Vector::Constant(4096, 0.5);
          for (int c = 0; c < 2; ++c) co_await sum.sum(same);
        },
        options);
    for (AgentId to = 0; to < 3; ++to) {
      std::map<AgentId, std::vector<std::vector<std::uint64_t>>> by_sender;
      for (const Message& m : run.transcript[to])
        if (m.tag == tags::sum_up || m.tag == tags::sum_share) by_sender[m.from].push_back(words_of(m.bytes));
      for (const auto& [from, calls] : by_sender) {
        REQUIRE(calls.size() == 2);
        std::vector<std::uint64_t> difference = calls[0];
        for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= calls[1][k];
        CHECK(looks_uniform(difference));
      }
    }
  }
}

TEST_CASE(
    "paillier-tree: the key holder sees the total alone; nobody else sees anything but ciphertexts and the "
    "sum") {
  for (const char* shape : {"complete", "ring", "star", "path", "grid"}) {
    const Topology topology = graph(shape, 6);
    const Summed s = sums(topology, settings_of("paillier-tree"), 1, 20);
    const AgentId holder = *s.plan.key_holder;
    std::size_t ciphertexts_to_holder = 0;
    for (const Message& m : s.run.transcript[holder]) {
      if (m.tag == tags::sum_up) CHECK_MESSAGE(false, "a partial sum reached the key holder");
      if (m.tag == tags::sum_down && m.to == holder) ++ciphertexts_to_holder;
    }
    CHECK(ciphertexts_to_holder == 1);
    // all that a coalition without the holder has: ciphertexts that look like any numbers. (16 bytes of header, 64 each;
    // of each the first and last word are left out: it lies below n^2.)
    std::vector<std::uint64_t> words;
    for (AgentId a = 0; a < 6; ++a)
      for (const Message& m : s.run.transcript[a]) {
        if (a == holder || m.to != a || m.tag != tags::sum_up) continue;
        for (std::size_t c = 16; c < m.bytes.size(); c += 64)
          for (std::size_t w = 8; w < 56; w += 8)
            words.push_back(read_elements<std::uint64_t>({m.bytes.data() + c + w, 8}, 1)[0]);
      }
    REQUIRE(words.size() >= 4 * 6);
    CHECK(looks_uniform(words));
    // no two ciphertexts are the same, and none is what it would be without fresh randomness: a leaf's twice
    std::set<std::string> all;
    std::size_t count = 0;
    for (AgentId a = 0; a < 6; ++a)
      for (const Message& m : s.run.transcript[a])
        if (m.tag == tags::sum_up && m.to == a) {
          ++count;
          all.insert(std::string(m.bytes.begin(), m.bytes.end()));
          CHECK(m.bytes.size() != 8 * 20);
        }
    CHECK(all.size() == count);
    CHECK(count == 5);  // everybody but the root sends once up the tree
  }
}

TEST_CASE("paillier-tree: with the key, a coalition reads subtrees: why the holder must be alone") {
  const Topology ring = graph("ring", 5);
  const SecureSumSettings settings = settings_of("paillier-tree");
  Summed s;
  s.plan = SumPlan::make(SumKind::paillier_tree, ring);
  std::vector<Vector> x(5);
  std::unique_ptr<KeyOwner> stolen;
  Workers workers(1);
  RuntimeOptions options;
  options.transcript = true;
  s.run = run_agents(
      workers, ring,
      [&](Agent& me) -> Task<void> {
        SecureSum sum(me, settings, s.plan, paillier());
        co_await sum.open();
        x[me.id()] = Vector::Constant(3, 1.0 + me.id());
        co_await sum.sum(x[me.id()]);
        if (me.id() == s.plan.key_holder) {
          RandomStream keys(me.lasting_secret_random("secure sum keys").next_key());
          ExchangeRange range;
          range.entries = 3;
          range.value_bits = 62 - 3;
          range.factor_bits = 1;
          range.slot_bits = range.value_bits + 3 + 3;
          stolen = paillier()->generate_keys(range, keys);
        }
      },
      options);
  std::size_t read = 0;
  for (AgentId a = 0; a < 5; ++a)
    for (const Message& m : s.run.transcript[a]) {
      if (m.tag != tags::sum_up || m.to != a) continue;
      double expected = 0;
      for (const AgentId below : subtree(s, m.from)) expected += x[below][0];
      const std::span<const std::uint8_t> reply(m.bytes);
      const std::vector<std::int64_t> once{1};
      const auto opened = stolen->decrypt_sum(std::span(&reply, 1), std::span(&once, 1));
      CHECK(std::ldexp(static_cast<double>(opened[0]), -40) == doctest::Approx(expected));
      ++read;
    }
  CHECK(read == 4);
}

TEST_CASE("secure sum: saved and loaded, it goes on with other masks, to the same sums") {
  for (const char* kind : {"edge-masks", "shares", "paillier-tree"}) {
    const Topology topology = graph("ring", 5);
    const SecureSumSettings settings = settings_of(kind);
    const SumPlan plan = SumPlan::make(sum_kind(kind), topology);
    const auto scheme = std::string_view(kind) == "paillier-tree" ? paillier() : nullptr;
    const auto number = [](AgentId a, int call) { return Vector::Constant(600, a + 0.25 * call); };
    const auto run = [&](std::vector<Bytes>& states, int from, int to) {
      std::vector<Vector> last(5);
      Workers workers(2);
      RuntimeOptions options;
      options.transcript = true;
      RunResult result = run_agents(
          workers, topology,
          [&](Agent& me) -> Task<void> {
            SecureSum sum(me, settings, plan, scheme);
            if (states[me.id()].empty()) {
              co_await sum.open();
            } else {
              Reader r(states[me.id()]);
              sum.load(r);
              r.finish();
            }
            for (int c = from; c < to; ++c) last[me.id()] = co_await sum.sum(number(me.id(), c));
            Writer w;
            sum.save(w);
            states[me.id()] = w.take();
          },
          options);
      return std::pair(last, std::move(result.transcript));
    };
    std::vector<Bytes> whole(5);
    std::vector<Bytes> parts(5);
    const auto [all, transcript] = run(whole, 0, 4);
    run(parts, 0, 2);
    const auto [rest, later] = run(parts, 2, 4);
    CHECK(all == rest);
    CHECK(whole == parts);
    // the words of the last call are the same bytes: same counters, not the first ones again
    for (AgentId a = 0; a < 5; ++a) {
      REQUIRE(!later[a].empty());
      const auto received = [&](const std::vector<Message>& messages) {
        Bytes last;
        for (const Message& m : messages)
          if (m.to == a) last = m.bytes;
        return last;
      };
      CHECK(received(transcript[a]) == received(later[a]));
    }
  }
}
