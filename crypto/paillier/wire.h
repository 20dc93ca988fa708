// SPDX-License-Identifier: MIT
// A vector of ciphertexts as bytes: magic and version, fingerprint of the key, count, then every ciphertext in the 2 |n| bits
// that any can have. Reading is a CryptoError for anything truncated, foreign or of another count; that each is in range and
// a unit is checked where it is used (check_ciphertexts).
// Tests: tests/crypto/paillier_test.cpp
#pragma once

#include "crypto/paillier/sides.h"

namespace sotto {

Bytes write_ciphertexts(std::span<const mpz_class> ciphertexts, const PaillierPublicKey& key);
Numbers read_ciphertexts(std::span<const std::uint8_t> bytes, const PaillierPublicKey& key,
                         std::size_t count);

}  // namespace sotto
