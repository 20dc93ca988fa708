// SPDX-License-Identifier: MIT
// A secret that two parties agree on while others listen: X25519 (RFC 7748, OpenSSL), hashed with both public keys and a
// context into the key of a stream. Who learns what: whoever relays the public keys sees them and learns nothing of the
// secret (computational Diffie-Hellman); one who swaps them for his own would share a secret with each side, so relays are
// trusted to be honest (semi-honest adversary).
// Constant-time as far as OpenSSL's X25519 is. Threading: an object belongs to one thread at a time.
// Tests: tests/crypto/secret_sharing_test.cpp
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/random_stream.h"

namespace sotto {

using AgreementKey = std::array<std::uint8_t, 32>;  ///< the public one

class KeyAgreement {
 public:
  explicit KeyAgreement(const StreamKey& secret);
  KeyAgreement(KeyAgreement&&) noexcept;
  ~KeyAgreement();

  const AgreementKey& public_key() const { return public_key_; }
  /// The same at both ends. CryptoError for a public key of small order.
  StreamKey agree(const AgreementKey& other, std::span<const std::uint8_t> context) const;

 private:
  struct Pair;
  std::unique_ptr<Pair> pair_;
  AgreementKey public_key_{};
};

}  // namespace sotto
