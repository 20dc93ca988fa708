// SPDX-License-Identifier: MIT
#include "core/algorithms/iteration_options.h"

namespace sotto {

using Options = IterationOptions;

Schema iteration_settings() {
  SchemaOf<Options> s("algorithm");
  s.whole("rank", &Options::rank, {1, 100'000}, "columns of the left factor");
  s.whole("outer_iterations", &Options::outer_iterations, {1, 10'000'000},
          "at most; PPDNMF's first has no X step, so n of them are (n - 1) x inner_iterations rounds; "
          "RRI-NMF's are sweeps over all topics");
  return s.take();
}

Schema stopping_settings() {
  SchemaOf<Options> s("algorithm");
  const std::string allowed = "\"never\", or a table with tolerance and dwell";
  s.add(
      "stop", allowed, "never: run to outer_iterations; by default it stops, see tolerance and dwell",
      [allowed](Options& o, const SettingValue& v) -> Problem {
        const auto* text = std::get_if<std::string>(&v);
        if (text == nullptr || *text != "never") return "must be " + allowed;
        o.stops = false;
        return {};
      },
      [](const Options& o) -> std::optional<SettingValue> {
        if (o.stops) return {};
        return SettingValue(std::string("never"));
      });
  const auto stops = [](Options& o) { o.stops = true; };
  const auto stopping = [](const Options& o) { return o.stops; };
  s.real("stop.tolerance", &Options::tolerance, {0, 1, true},
         "relative change of U over an X step, and disagreement with neighbors, below which the step is "
         "quiet; pd-nmf: change of T over a sweep; pd-svd: share of the space that is new")
      .first(stops)
      .written(stopping);
  s.whole("stop.dwell", &Options::dwell, {1, 1'000'000},
          "quiet X steps (pd-nmf: sweeps) in a row before an agent raises the flag; one agent stops all, "
          "after the same round")
      .first(stops)
      .written(stopping);
  return s.take();
}

}  // namespace sotto
