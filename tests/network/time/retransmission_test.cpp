// SPDX-License-Identifier: MIT
// Loss: what is lost used the link, is noticed a round trip later and sent again; counted apart.
#include <doctest/doctest.h>

#include <cmath>

#include "network/topology/topology.h"
#include "tests/support/event_logs.h"

using namespace sotto;
using namespace sotto::testing;

namespace {

const double latency = 5e-3;

const Topology pair_of_agents(2, {{0, 1}});

}  // namespace

TEST_CASE("retransmission: a message alone takes (B / w + L) + p / (1 - p) (B / w + 2 L) on average") {
  constexpr std::uint64_t messages = 100'000;
  constexpr double p = 0.3;
  std::vector<std::vector<Event>> agents(2);
  std::vector<std::uint64_t> marks;
  for (std::uint64_t k = 1; k <= messages; ++k) {
    agents[0].push_back(sends(1, kB));
    agents[0].push_back(computes(1'000'000'000));  // a second: none meets another
    agents[1].push_back(receives(0));
    agents[1].push_back(passes(k));
    marks.push_back(k);
  }
  const Timing t =
      replay(log_of(agents), pair_of_agents, ten_mbit(false, p), CostTable::reference(), some_losses, marks);
  double sum = 0;
  for (std::size_t k = 0; k < messages; ++k) sum += t.at[k][1].seconds - static_cast<double>(k);
  const double again = transmission + 2 * latency;
  const double mean = (transmission + latency) + p / (1 - p) * again;
  const double error = std::sqrt(p) / (1 - p) * again / std::sqrt(double{messages});
  CHECK(std::abs(sum / double{messages} - mean) < 4 * error);

  const LinkCount& link = t.links[pair_of_agents.link(0, 1)];
  CHECK(link.messages == messages);
  CHECK(link.bytes == messages * kB);
  CHECK(static_cast<double>(link.lost) == doctest::Approx(messages * p / (1 - p)).epsilon(0.02));
  CHECK(link.lost_bytes == link.lost * kB);
  CHECK(t.at.back()[0].lost == link.lost);
  CHECK(t.at.back()[0].messages == messages);
}

TEST_CASE("retransmission: what is sent again shares the link with what is there") {
  // Half duplex, 1 kB one way and 20 kB the other: the small one has left after 1.6 ms, is lost, and enters again at 11.6
  // ms. It leaves at 13.2, the large one when all 22 kB are through.
  const EventLog log =
      log_of({{sends(1, kB), receives(1), passes(1)}, {sends(0, 20 * kB), receives(0), passes(1)}});
  const Timing t = replay(log, pair_of_agents, ten_mbit(true, 0.5), CostTable::reference(),
                          losses_that_begin({true, false, false}), {1});
  CHECK(t.at[0][1].seconds == about(13.2e-3 + latency));
  CHECK(t.at[0][0].seconds == about(22 * transmission + latency));
  CHECK(t.links[pair_of_agents.link(0, 1)].lost == 1);
  CHECK(t.links[pair_of_agents.link(0, 1)].lost_bytes == kB);
  CHECK(t.total(0).lost == 1);
  CHECK(t.total(0).messages == 2);
}

TEST_CASE("retransmission: a lost message is received before the next of its channel") {
  // The first is lost at 0.8 ms and enters again at 10.8, when the second is half through: that leaves at 11.2, the first
  // behind it at 12 ms.
  const EventLog log = log_of(
      {{sends(1, kB), computes(10'400'000), sends(1, kB)}, {receives(0), passes(1), receives(0), passes(2)}});
  const Timing t = replay(log, pair_of_agents, ten_mbit(false, 0.5), CostTable::reference(),
                          losses_that_begin({true, false, false}), {1, 2});
  CHECK(t.at[0][1].seconds == about(12e-3 + latency));
  CHECK(t.at[1][1].seconds == t.at[0][1].seconds);
}

TEST_CASE("retransmission: on a half-duplex link, with a slow agent") {
  // 20 ms each on the wire, at 2 and at 20 ms. The first leaves at 24 ms, is lost and enters again at 34; the other then
  // has 8 ms to go and leaves at 50; the first at 62, when three times 20 ms are through.
  CostTable cost = CostTable::reference();
  cost.speed = {1, 0.1};
  const EventLog log = log_of({{computes(2'000'000), sends(1, 25 * kB), receives(1), passes(1)},
                               {computes(2'000'000), sends(0, 25 * kB), receives(0), passes(1)}});
  const Timing t =
      replay(log, pair_of_agents, ten_mbit(true, 0.5), cost, losses_that_begin({true, false, false}), {1});
  CHECK(t.at[0][0].seconds == about(50e-3 + latency));
  CHECK(t.at[0][1].seconds == about(62e-3 + latency));
  CHECK(t.links[pair_of_agents.link(0, 1)].lost == 1);
  CHECK(t.links[pair_of_agents.link(1, 0)].lost == 0);
}

TEST_CASE("retransmission: on every hop, on the edges that lose, and on a role's link") {
  const Topology path(3, {{0, 1}, {1, 2}});
  const EventLog routed = log_of({{sends(2, kB)}, {}, {receives(0)}});
  LinkModel links = ten_mbit();
  links.of_edge = {links.standard, {latency, 10e6 / 8, 0.5}};
  // the first hop draws nothing
  const Timing t =
      replay(routed, path, links, CostTable::reference(), losses_that_begin({true, true, false}), {});
  CHECK(t.end == about(transmission + latency + 2 * (transmission + 2 * latency) + transmission + latency));
  CHECK(t.links[path.link(0, 1)].lost == 0);
  CHECK(t.links[path.link(1, 2)].lost == 2);
  const EventLog dealt =
      log_of({{receives(2), passes(1)}, {}, {sends(0, kB), computes(1'000'000'000), passes(1)}});
  const Timing role = replay(dealt, pair_of_agents, ten_mbit(false, 0.5), CostTable::reference(),
                             losses_that_begin({true, false}), {1});
  CHECK(role.at[0][0].seconds == about(2 * transmission + 3 * latency));
  CHECK(role.at[0][2].lost == 1);
  for (const LinkCount& l : role.links) CHECK(l.lost == 0);
}

TEST_CASE(
    "retransmission: no latency and empty messages come to an end; the same stream gives the same times") {
  std::vector<std::vector<Event>> agents(2);
  for (std::uint64_t k = 1; k <= 200; ++k)
    for (AgentId a = 0; a < 2; ++a) {
      agents[a].push_back(sends(1 - a, k % 3 == 0 ? 0 : k));
      agents[a].push_back(receives(1 - a));
      agents[a].push_back(passes(k));
    }
  const LinkModel bad{{0, 10e6 / 8, 0.99}, {}, true};
  const auto times = [&](const StreamName& losses) {
    return replay(log_of(agents), pair_of_agents, bad, CostTable::reference(), losses, {200}).total(0);
  };
  const Progress once = times(some_losses);
  CHECK(once.seconds == times(some_losses).seconds);
  CHECK(once.lost == times(some_losses).lost);
  CHECK(once.seconds != times({2, 0, StreamName::everyone, "loss"}).seconds);
  CHECK(once.lost > 400 * 50);
}
