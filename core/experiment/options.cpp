// SPDX-License-Identifier: MIT
#include "core/experiment/options.h"

namespace sotto {

Schema run_settings() {
  using Options = RunOptions;
  SchemaOf<Options> s("");
  s.add(
      "name", plain_name_rule, "names the output folder; the file's name by default",
      [](Options& o, const SettingValue& v) -> Problem {
        const auto* text = std::get_if<std::string>(&v);
        if (text == nullptr || !is_plain_name(*text))
          return std::string("must be made of ") + plain_name_rule;
        o.name = *text;
        return {};
      },
      [](const Options& o) -> std::optional<SettingValue> { return o.name; });
  s.whole("seed", &Options::seed, {0, INT64_MAX}, "everything random comes from it");
  s.whole("trials", &Options::trials, {1, 1000000},
          "independent repetitions: new data, graph, split and start each");
  s.word(
      &Options::entropy,
      "where keys, masks and the exchange's factors come from; seed: for simulation; os: the system, so no "
      "run is the same as another");
  return s.take();
}

Schema output_settings() {
  using Options = OutputOptions;
  SchemaOf<Options> s("output");
  s.flag("factors", &Options::factors, "write the final factors of every agent to factors.csv");
  s.whole("metrics_every", &Options::metrics_every, {1, 10'000'000},
          "outer iterations between rows of the trace (global metrics cost a refit); the last is always "
          "there");
  s.whole("checkpoint_every", &Options::checkpoint_every, {0, 10'000'000},
          "outer iterations between checkpoints; 0: never");
  s.flag("transcript", &Options::transcript, "write every message that each agent saw to transcript.csv");
  s.whole_list("images", &Options::images,
               "numbers of samples, from 1: draws them and their reconstructions, and the left factor, as "
               "PNG (first trial)");
  s.flag("events", &Options::events, "write events.bin, which `sotto retime` needs");
  return s.take();
}

}  // namespace sotto
