#include "core/experiment/scenario.h"

#include <algorithm>
#include <cmath>

#include "core/algorithms/algorithms.h"

namespace sotto {

CostTable CostSettings::table(std::size_t agents) const {
  CostTable table = CostTable::reference();
  for (const auto& [operation, value] : seconds) table.seconds[static_cast<std::size_t>(operation)] = value;
  table.speed.assign(agents, speed);
  for (std::size_t a = 0; a < std::min(agents, speeds.size()); ++a) table.speed[a] = speeds[a];
  for (const std::int64_t a : slow)
    if (a >= 0 && static_cast<std::size_t>(a) < agents)
      table.speed[static_cast<std::size_t>(a)] = speed * slow_factor;
  return table;
}

CostTable CostSettings::table_of_center() const {
  CostSettings alike = *this;
  alike.speeds.clear();
  alike.slow.clear();
  return alike.table(1);
}

LinkModel LinkSettings::model(const std::vector<LinkAttributes>& attributes) const {
  const auto link = [&](const LinkAttributes& own) -> Link {
    return {own.latency_ms.value_or(latency_ms) * 1e-3, own.bandwidth_mbit.value_or(bandwidth_mbit) * 1e6 / 8,
            own.loss.value_or(loss)};
  };
  LinkModel model;
  model.standard = link({});
  for (const LinkAttributes& own : attributes) model.of_edge.push_back(link(own));
  model.half_duplex = duplex == "half";
  return model;
}

namespace {

std::int64_t held_out_of(const DataSettings& settings, std::int64_t samples) {
  if (settings.held_out >= 1) return static_cast<std::int64_t>(settings.held_out);
  return std::llround(settings.held_out * static_cast<double>(samples));
}

}  // namespace

DataShape DataShape::of_synthetic(const DataSettings& settings) {
  const auto& s = settings.synthetic;
  return {s.features, s.samples, held_out_of(settings, s.samples)};
}

DataShape DataShape::of_file(const DataSettings& settings, std::int64_t features, std::int64_t samples) {
  const std::int64_t held_out = held_out_of(settings, samples);
  return {features, samples - held_out, held_out};
}

std::string Scenario::method_name() const {
  const AlgorithmEntry* entry = find_algorithm(algorithm.name);
  return entry != nullptr && entry->has_variants ? algorithm.variant : algorithm.name;
}

}  // namespace sotto
