// SPDX-License-Identifier: MIT
// Both engines together. Skipped where one of them is missing.
#include <doctest/doctest.h>

#include "crypto/schemes.h"
#include "tests/support/exchange_ranges.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("seal: what one engine makes, the other answers, and the first opens") {
  if (seal_engines().size() < 2) {
    MESSAGE("skipped: needs native SEAL and Node.js with node-seal");
    return;
  }
  for (const std::string& ours : seal_engines())
    for (const char* name : {"bfv", "bfv-fast", "ckks"})
      for (const bool per_entry : {false, true}) {
        CAPTURE(ours);
        CAPTURE(name);
        const ExchangeRange range = range_of(300, 20, 15, Replies::each, 1, per_entry);
        const auto scheme = make_scheme(name, {{.seal_engine = from_word<SealChoice>(ours)}, 2});
        const auto other =
            make_scheme(name, {{.seal_engine = ours == "node" ? SealChoice::native : SealChoice::node}, 2});
        RandomStream random({4, 0, 0, "engines"});
        const auto owner = scheme->generate_keys(range, random);
        const auto responder = other->open_public_key(range, owner->public_key());
        std::vector<std::int64_t> values;
        std::vector<std::int64_t> factors(per_entry ? range.entries : 1);
        for (auto& f : factors) f = static_cast<std::int64_t>(random.below(1 << 15));
        std::vector<Int128> addend;
        for (std::size_t e = 0; e < range.entries; ++e) {
          values.push_back(static_cast<std::int64_t>(random.below(1 << 20)) - (1 << 19));
          addend.push_back(static_cast<std::int64_t>(random.below(1 << 30)) - (1 << 29));
        }
        const Bytes reply = responder->respond(owner->encrypt(values, random), factors, addend, {}, random);
        const auto opened = owner->decrypt_sum(std::vector<std::span<const std::uint8_t>>{reply},
                                               std::vector<std::vector<std::int64_t>>{{1}});
        for (std::size_t e = 0; e < range.entries; ++e)
          CHECK((opened[e] == Int128{factors[per_entry ? e : 0]} * values[e] + addend[e]));
      }
}
