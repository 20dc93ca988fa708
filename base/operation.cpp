// SPDX-License-Identifier: MIT
#include "base/operation.h"

namespace sotto {

namespace {
constexpr std::array<OperationFacts, operation_count> table{{
    {"flop", 1e-9, "multiply-add"},
    {"plain_encrypt", 2e-9, "entry"},
    {"plain_respond", 4e-9, "entry"},
    {"plain_decrypt", 2e-9, "entry"},
    {"limb_product", 3e-10, "product of 64-bit limbs modulo n^2"},
    {"seal_encrypt", 7e-8, "coefficient of a ciphertext modulo one prime"},
    {"seal_respond", 1.6e-7, "coefficient of a ciphertext modulo one prime"},
    {"seal_decrypt", 2e-8, "coefficient of a ciphertext modulo one prime"},
    {"mask_word", 1.1e-9, "64-bit word of a mask of a secure sum"},
    {"ring_word", 6e-10, "64-bit word that a secure sum encodes, adds or decodes"},
}};
}  // namespace

const OperationFacts& facts(Operation operation) {
  return table[static_cast<std::size_t>(operation)];
}

}  // namespace sotto
