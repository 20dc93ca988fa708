// SPDX-License-Identifier: MIT
// Many signed integers in one plaintext: M = sum_k v_k 2^(w k), each |v_k| < 2^(w-1), no bias when encrypting, so that sums
// and multiples of plaintexts are sums and multiples of every slot. Reading adds 2^(w-1) to every slot, takes w bits and
// takes it away again. slots = floor((|n| - 2) / w): all of it stays below n / 2.
// Tests: tests/crypto/paillier_test.cpp
#pragma once

#include <gmpxx.h>

#include <span>
#include <vector>

#include "base/bytes.h"

namespace sotto {

class SlotPacking {
 public:
  /// CryptoError if a key has no room for one slot.
  SlotPacking(std::size_t key_bits, int slot_bits);

  std::size_t slots() const { return slots_; }
  int slot_bits() const { return slot_bits_; }
  std::size_t blocks(std::size_t entries) const { return (entries + slots_ - 1) / slots_; }

  /// Values must fit their slots.
  std::vector<mpz_class> pack(std::span<const Int128> values) const;
  /// Plaintexts in (-n/2, n/2). CryptoError if something lies outside the slots of `entries` values.
  std::vector<Int128> unpack(std::span<const mpz_class> plaintexts, std::size_t entries) const;

 private:
  mpz_class bias(std::size_t used) const;  // 2^(w-1) in each of the first slots

  int slot_bits_;
  std::size_t slots_;
};

}  // namespace sotto
