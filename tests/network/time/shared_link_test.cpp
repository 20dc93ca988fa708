// SPDX-License-Identifier: MIT
#include "network/time/shared_link.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "base/random_stream.h"

using namespace sotto;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Every message's own bytes, counted down between any two moments at which something happens.
std::map<std::uint32_t, double> departures_by_hand(const std::vector<double>& enter,
                                                   const std::vector<double>& bytes, double bandwidth) {
  std::map<std::uint32_t, double> left, departures;
  double now = 0;
  for (std::size_t next = 0; next < enter.size() || !left.empty();) {
    double first = never;
    for (const auto& [id, b] : left)
      first = std::min(first, now + b * static_cast<double>(left.size()) / bandwidth);
    const double until = std::min(first, next < enter.size() ? enter[next] : never);
    for (auto& [id, b] : left) b -= (until - now) * bandwidth / static_cast<double>(left.size());
    now = until;
    std::erase_if(left, [&](const auto& m) {
      if (m.second > 1e-6) return false;
      departures[m.first] = now;
      return true;
    });
    if (next < enter.size() && enter[next] == now) {
      left[static_cast<std::uint32_t>(next)] = bytes[next];
      ++next;
    }
  }
  return departures;
}

}  // namespace

TEST_CASE("shared link: as counted by hand, for messages that come and go at random") {
  RandomStream random({5, 0, 0, "shared link"});
  for (int round = 0; round < 50; ++round) {
    const double bandwidth = random.uniform_above(10, 1000);
    std::vector<double> enter, bytes;
    double at = 0;
    for (int k = 0; k < 60; ++k) {
      at += random.exponential(2);
      enter.push_back(at);
      bytes.push_back(random.uniform_above(0, 4 * bandwidth));
    }
    const auto expected = departures_by_hand(enter, bytes, bandwidth);
    SharedLink link(bandwidth);
    std::map<std::uint32_t, double> found;
    double now = 0;
    for (std::uint32_t k = 0; k <= enter.size(); ++k) {
      const double until = k < enter.size() ? enter[k] : never;
      while (!link.idle() && link.next_departure() <= until) {
        now = link.next_departure();
        found[link.leave(now)] = now;
      }
      if (k == enter.size()) break;
      now = until;
      link.enter(now, k, bytes[k]);
    }
    REQUIRE(found.size() == expected.size());
    for (const auto& [id, time] : expected) CHECK(found.at(id) == doctest::Approx(time).epsilon(1e-9));
  }
}

TEST_CASE("shared link: alone it takes exactly B / w, however late and whatever was there before") {
  SharedLink link(1e6 / 3);
  double now = 0;
  for (int k = 0; k < 1000; ++k) {
    link.enter(now, 1, 777);
    CHECK(link.next_departure() == now + 777 / (1e6 / 3));
    link.enter(now + 0.0007, 2, 1000);
    now = link.next_departure();
    link.leave(now);
    now = link.next_departure();
    link.leave(now);
    CHECK(link.idle());
    now += 0.1;
  }
}

TEST_CASE("shared link: equal messages leave in the order in which they came") {
  SharedLink link(1000);
  for (std::uint32_t k = 0; k < 20; ++k) link.enter(1, 100 + k, 50);
  for (std::uint32_t k = 0; k < 20; ++k) {
    CHECK(link.next_departure() == 2);
    CHECK(link.leave(2) == 100 + k);
  }
}
