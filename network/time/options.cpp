// SPDX-License-Identifier: MIT
#include "network/time/options.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

LinkModel LinkOptions::model(const std::vector<LinkAttributes>& attributes) const {
  const auto link = [&](const LinkAttributes& own) -> Link {
    return {own.latency_ms.value_or(latency_ms) * 1e-3, own.bandwidth_mbit.value_or(bandwidth_mbit) * 1e6 / 8,
            own.loss.value_or(loss)};
  };
  LinkModel model;
  model.standard = link({});
  for (const LinkAttributes& own : attributes) model.of_edge.push_back(link(own));
  model.half_duplex = duplex == Duplex::half;
  return model;
}

LinksGiven LinksGiven::by(const std::vector<LinkAttributes>& attributes) {
  const auto all = [&](std::optional<double> LinkAttributes::*what) {
    return !attributes.empty() &&
           std::all_of(attributes.begin(), attributes.end(),
                       [&](const LinkAttributes& own) { return (own.*what).has_value(); });
  };
  return {all(&LinkAttributes::latency_ms), all(&LinkAttributes::bandwidth_mbit), all(&LinkAttributes::loss)};
}

CostTable CostOptions::table(std::size_t agents) const {
  CostTable table = CostTable::reference();
  for (const auto& [operation, value] : seconds) table.seconds[static_cast<std::size_t>(operation)] = value;
  table.speed.assign(agents, speed);
  for (std::size_t a = 0; a < std::min(agents, speeds.size()); ++a) table.speed[a] = speeds[a];
  for (const std::int64_t a : slow)
    if (a >= 0 && static_cast<std::size_t>(a) < agents)
      table.speed[static_cast<std::size_t>(a)] = speed * slow_factor;
  return table;
}

CostTable CostOptions::table_of_center() const {
  CostOptions even = *this;
  even.speeds.clear();
  even.slow.clear();
  return even.table(1);
}

void CostOptions::check(std::size_t agents, const SettingPlaces& places) const {
  if (!speeds.empty() && speeds.size() != agents)
    places.refuse("cost.speed",
                  fmt::format("has {} entries, but there are {} agents", speeds.size(), agents));
  if (!slow.empty() && !places.has("cost.speed.factor"))
    places.refuse("cost.speed.slow", "needs cost.speed.factor beside it");
  for (const std::int64_t a : slow)
    if (static_cast<std::size_t>(a) >= agents)
      places.refuse("cost.speed.slow", fmt::format("names agent {}, but the last one is {}", a, agents - 1));
}

Schema link_settings() {
  using Options = LinkOptions;
  SchemaOf<Options> s("link");
  s.real("latency_ms", &Options::latency_ms, {0, 1e7}, "from the last byte sent to its arrival").unit("ms");
  s.real("bandwidth_mbit", &Options::bandwidth_mbit, {0, 1e9, true},
         "10^6 bits a second; connections on a link at the same time share it equally")
      .unit("Mbit/s");
  s.real("loss", &Options::loss, {0, 0.99},
         "share of transmissions that are lost and sent again, a round trip later: costs time, changes no "
         "result");
  s.word(&Options::duplex, "full: each direction has the bandwidth for itself; half: both share it");
  Schema rows = s.take();
  const auto unless_given = [&](const char* path, bool LinksGiven::*given) {
    restrict_use(
        rows, path, [given](const OptionSet& options) { return !(options.get<LinksGiven>().*given); },
        [](const OptionSet&) { return "every edge of topology.file has its own"; });
  };
  unless_given("link.latency_ms", &LinksGiven::latency);
  unless_given("link.bandwidth_mbit", &LinksGiven::bandwidth);
  unless_given("link.loss", &LinksGiven::loss);
  return rows;
}

Schema cost_settings() {
  using Options = CostOptions;
  SchemaOf<Options> s("cost");
  s.word(&Options::preset,
         "seconds per operation for simulated time; constants, never measured while running");
  for (std::size_t k = 0; k < operation_count; ++k) {
    const auto op = static_cast<Operation>(k);
    const RealRange range{0, 1e6};
    s.add(
         facts(op).name, range.text(), fmt::format("seconds per {}", facts(op).unit),
         [=](Options& o, const SettingValue& v) -> Problem {
           const auto x = as_number(v);
           if (!x || !range.holds(*x)) return "must be " + range.text();
           o.seconds[op] = *x;
           return {};
         },
         [op](const Options& o) -> std::optional<SettingValue> {
           const auto at = o.seconds.find(op);
           return at == o.seconds.end() ? facts(op).reference_seconds : at->second;
         })
        .unit("s");
  }
  const std::string speeds = "a number above 0 and up to 1e6, or a list with one per agent";
  s.add(
      "speed", speeds, "how fast agents compute: 2 halves the seconds; see also cost.speed.slow",
      [speeds](Options& o, const SettingValue& v) -> Problem {
        const auto fits = [](double x) { return x > 0 && x <= 1e6; };
        const auto* list = std::get_if<std::vector<double>>(&v);
        const auto x = as_number(v);
        if (list != nullptr ? !std::all_of(list->begin(), list->end(), fits) || list->empty()
                            : !x || !fits(*x))
          return "must be " + speeds;
        o.slow.clear();  // three ways to say it: the last one holds
        o.speed = x.value_or(1);
        o.speeds = list != nullptr ? *list : std::vector<double>{};
        return {};
      },
      [](const Options& o) -> std::optional<SettingValue> {
        if (!o.speeds.empty()) return o.speeds;
        if (!o.slow.empty()) return {};
        return o.speed;
      });
  s.whole_list("speed.slow", &Options::slow,
               "these agents are stragglers, at cost.speed.factor (a central place is none)")
      .first([](Options& o) {
        o.speed = 1;
        o.speeds.clear();
      });
  s.real("speed.factor", &Options::slow_factor, {0, 1e6, true}, "speed of the stragglers")
      .used([](const Options& o) { return !o.slow.empty(); },
            [](const Options&) { return "cost.speed.slow names no agent"; })
      .written([](const Options& o) { return !o.slow.empty(); });
  return s.take();
}

}  // namespace sotto
