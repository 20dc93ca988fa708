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
      table.speed[static_cast<std::size_t>(a)] *= slow_factor;
  return table;
}

std::int64_t DataSettings::held_out_count() const {
  if (held_out >= 1) return static_cast<std::int64_t>(held_out);
  return static_cast<std::int64_t>(std::llround(held_out * static_cast<double>(synthetic.samples)));
}

std::string Scenario::method_name() const {
  const AlgorithmEntry* entry = find_algorithm(algorithm.name);
  return entry != nullptr && entry->has_variants ? algorithm.variant : algorithm.name;
}

}  // namespace sotto
