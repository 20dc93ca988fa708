// SPDX-License-Identifier: MIT
// What coalitions see of secure sums, word by word. A coalition here has its members' secrets and every message they received or
// passed on, and computes with them what it can.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/protocols/tags.h"
#include "tests/support/secure_sums.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

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
    const SecureSumOptions settings = settings_of(kind);
    const SumPlan plan = SumPlan::make(from_word<SumKind>(kind), topology);
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
  const SecureSumOptions settings = settings_of("paillier-tree");
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
