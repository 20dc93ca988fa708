// SPDX-License-Identifier: MIT
// Paillier as papers write it: r^n for every encryption, c^lambda for every decryption, modulo n^2, one number after
// another on GMP's mpz_powm. The yardstick of the fast implementation, and its oracle. (g = n + 1, so that g^m is 1 + m n.)
// Tests: tests/crypto/paillier_test.cpp
#pragma once

#include <memory>

#include "crypto/paillier/sides.h"

namespace sotto {

std::unique_ptr<PaillierPublicSide> make_textbook_public(const PaillierPublicKey& key);
std::unique_ptr<PaillierSecretSide> make_textbook_secret(const PaillierPrivateKey& key);

}  // namespace sotto
