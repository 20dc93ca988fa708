// SPDX-License-Identifier: MIT
#include "core/experiment/settings.h"

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

/// Rows that are looked at only where the algorithm needs what they configure.
Schema needed(Schema rows, bool Needs::*what) {
  for (Setting& row : rows)
    row.used = [what, used = row.used](const OptionSet& options) {
      return algorithm_of(options).needs(options).*what && used(options);
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

Schema all_settings() {
  Schema rows = run_settings();
  append(rows, topology_settings());
  append(rows, link_settings());
  append(rows, cost_settings());
  append(rows, data_settings());
  append(rows, algorithm_settings());
  append(rows, needed(exchange_settings(), &Needs::exchange));
  append(rows, scheme_settings(schemes_in_use));
  append(rows, needed(secure_sum_settings(), &Needs::sums));
  append(rows, needed(normed_sum_settings(), &Needs::normed_sums));
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
