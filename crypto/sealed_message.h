// SPDX-License-Identifier: MIT
// A message that only the other end can read, whoever carries it: AES-128-GCM (OpenSSL) under a key that both ends agreed on,
// one key for each direction. The nonce is the number of the message in its direction: never the same twice, because a
// sender counts up and is asked for nothing else. Overhead: 16 bytes.
// Who learns what: a relay sees the length and that a message passed. Changed, truncated or reordered ones are a CryptoError.
// Threading: an object belongs to one thread at a time.
// Tests: tests/crypto/secret_sharing_test.cpp
#pragma once

#include <span>

#include "base/bytes.h"
#include "base/random_stream.h"

namespace sotto {

class MessageSeal {
 public:
  static constexpr std::size_t overhead = 16;

  explicit MessageSeal(const StreamKey& key) : key_(key) {}

  /// The next message of this direction.
  Bytes seal(std::span<const std::uint8_t> message);
  /// What the other end sealed next.
  Bytes open(std::span<const std::uint8_t> sealed);

  /// How many went before: where a restarted party goes on.
  void go_on_at(std::uint64_t number) { number_ = number; }

 private:
  StreamKey key_;
  std::uint64_t number_ = 0;
};

}  // namespace sotto
