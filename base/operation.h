// SPDX-License-Identifier: MIT
// The operations that simulated time is charged for. An agent says what it did ("decrypt, 150 entries");
// the cost table of the scenario says how long that takes. One line here and one in `operation.cpp` adds one.
// Tests: tests/network/time/timeline_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sotto {

enum class Operation : std::uint8_t {
  flop,           ///< one multiplication and addition of dense linear algebra
  plain_encrypt,  ///< one entry, scheme "plain"
  plain_respond,
  plain_decrypt,
  limb_product,  ///< one product of 64-bit limbs in arithmetic modulo n^2 (Paillier)
  seal_encrypt,  ///< one coefficient of a ciphertext modulo one prime (SEAL)
  seal_respond,
  seal_decrypt,
  mask_word,  ///< one 64-bit word of a mask, made and added (secure sums)
  ring_word,  ///< one 64-bit word of a fixed-point number, encoded, added or decoded
  count_
};

inline constexpr std::size_t operation_count = static_cast<std::size_t>(Operation::count_);

struct OperationFacts {
  std::string_view name;     ///< its key under [cost]
  double reference_seconds;  ///< preset "reference": one core of a 2.8 GHz server
  std::string_view unit;
};

const OperationFacts& facts(Operation operation);

}  // namespace sotto
