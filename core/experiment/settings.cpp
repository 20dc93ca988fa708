// SPDX-License-Identifier: MIT
#include "core/experiment/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/algorithms/kinds.h"
#include "core/data/data_options.h"
#include "core/experiment/options.h"
#include "core/measures/application.h"
#include "core/protocols/exchange_options.h"
#include "core/protocols/sum_options.h"
#include "network/time/options.h"
#include "network/topology/options.h"

namespace sotto {

namespace {

/// Rows that are looked at only where the algorithm needs what they configure, in words `called`.
Schema needed(Schema rows, bool Needs::*what, const std::string& called) {
  for (Setting& row : rows)
    row.unused = [what, called, unused = row.unused](const OptionSet& options) -> Unused {
      const AlgorithmKind& kind = algorithm_of(options);
      if (!(kind.needs(options).*what)) return fmt::format("{} makes no {}", kind.name, called);
      return unused(options);
    };
  return rows;
}

/// Rows that are looked at only where there is a network.
Schema networked(Schema rows) {
  for (Setting& row : rows)
    row.unused = [unused = row.unused](const OptionSet& options) -> Unused {
      const AlgorithmKind& kind = algorithm_of(options);
      if (kind.baseline != Baseline::none) return fmt::format("{} sends nothing", kind.name);
      return unused(options);
    };
  return rows;
}

/// What a method encrypts with.
std::vector<const SchemeEntry*> schemes_in_use(const OptionSet& options) {
  const Needs needs = algorithm_of(options).needs(options);
  std::vector<const SchemeEntry*> used;
  if (needs.exchange) used.push_back(&find_scheme(options.get<ExchangeOptions>().scheme));
  if (const auto scheme = options.get<SecureSumOptions>().scheme(); needs.sums && scheme)
    used.push_back(&find_scheme(*scheme));
  if (const auto scheme = options.get<NormedSumOptions>().scheme(); needs.normed_sums && scheme)
    used.push_back(&find_scheme(*scheme));
  return used;
}

/// What chose them, for messages.
std::string choice_of_schemes(const OptionSet& options) {
  const AlgorithmKind& kind = algorithm_of(options);
  const Needs needs = kind.needs(options);
  std::vector<std::string> choices;
  if (needs.exchange) choices.push_back("exchange.scheme is " + options.get<ExchangeOptions>().scheme);
  if (needs.sums) choices.push_back(setting_is(options.get<SecureSumOptions>().kind));
  if (needs.normed_sums) choices.push_back(setting_is(options.get<NormedSumOptions>().offline));
  if (choices.empty()) return fmt::format("{} encrypts nothing", kind.name);
  return fmt::format("{}", fmt::join(choices, ", "));
}

Schema all_settings() {
  Schema rows = run_settings();
  append(rows, topology_settings());
  append(rows, networked(link_settings()));
  append(rows, cost_settings());
  append(rows, data_settings());
  append(rows, algorithm_settings());
  append(rows, needed(exchange_settings(), &Needs::exchange, "exchange with neighbors"));
  append(rows, scheme_settings(schemes_in_use, choice_of_schemes));
  append(rows, needed(secure_sum_settings(), &Needs::sums, "secure sums"));
  append(rows, needed(normed_sum_settings(), &Needs::normed_sums, "normalized sums"));
  append(rows, application_settings());
  append(rows, output_settings());
  return rows;
}

}  // namespace

const SettingTable& scenario_settings() {
  static const SettingTable table(all_settings(), {"algorithm", "exchange", "secure_sum"});
  return table;
}

}  // namespace sotto
