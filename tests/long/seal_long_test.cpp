// SPDX-License-Identifier: MIT
// Ten thousand exchanges at the ends of the range: not one wrong slot.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "crypto/schemes.h"
#include "tests/support/seal_engines.h"

using namespace sotto;
using namespace sotto::testing;

TEST_CASE("seal: 10,000 random exchanges at the extremes decrypt without one wrong slot") {
  if (seal_engines().empty()) {
    MESSAGE("skipped: neither native SEAL nor Node.js with node-seal is here");
    return;
  }
  constexpr int value_bits = 22;
  constexpr int factor_bits = 16;
  constexpr std::int64_t most = (std::int64_t{1} << value_bits) - 1;
  constexpr std::int64_t top = (std::int64_t{1} << factor_bits) - 1;
  std::atomic<int> exchanges{0};
  std::atomic<std::uint64_t> wrong{0};
  const auto work = [&](std::size_t party) {
    const auto scheme = make_scheme("bfv");
    RandomStream random({7, 0, party, "extremes"});
    ExchangeRange range{8192, value_bits, factor_bits, false, Replies::each, 0};
    range.slot_bits = range.slot_bits_for(1);
    range.party = party;
    while (exchanges.fetch_add(50) < 10000) {  // a key for every fifty
      const auto owner = scheme->generate_keys(range, random);
      const auto responder = scheme->open_public_key(range, owner->public_key());
      for (int k = 0; k < 50; ++k) {
        std::vector<std::int64_t> mine(range.entries);
        std::vector<Int128> addend(range.entries);
        const std::int64_t factor =
            random.below(2) == 0 ? top : 1 + static_cast<std::int64_t>(random.below(top));
        for (std::size_t e = 0; e < range.entries; ++e) {
          const std::uint64_t draw = random.next();
          const auto pick = [&](std::uint64_t bits) {
            return bits % 4 == 0 ? most : bits % 4 == 1 ? -most : static_cast<std::int64_t>(bits >> 2) % most;
          };
          mine[e] = pick(draw & 0xffffffff);
          addend[e] = Int128{factor} * pick(draw >> 32);
        }
        const Bytes reply =
            responder->respond(owner->encrypt(mine, random), std::vector{factor}, addend, {}, random);
        const auto opened = owner->decrypt_sum(std::vector<std::span<const std::uint8_t>>{reply},
                                               std::vector<std::vector<std::int64_t>>{{1}});
        for (std::size_t e = 0; e < range.entries; ++e)
          wrong += opened[e] != Int128{factor} * mine[e] + addend[e];
      }
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  CHECK(wrong == 0);
  CHECK(exchanges >= 10000);
}
