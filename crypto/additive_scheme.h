// An additively homomorphic scheme on whole vectors of signed integers: the one interface that PPDNMF's
// exchange, secure products and every later protocol speak. A scheme never sends a message.
//
//   owner i:      request = encrypt(m)                      under i's own key
//   responder j:  reply   = respond(request, f, a)          = Enc_i(f m + a), ONE operation that a caller
//                                                             cannot take apart (a scheme re-randomises
//                                                             inside)
//   owner i:      f m + a = decrypt(reply)
//
// Who learns what: j learns nothing of m beyond what the scheme's labels admit; i learns f m + a and nothing
// else. Threading: an object belongs to one agent; different objects may be used at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/operation.h"
#include "base/random_stream.h"

namespace sotto {

/// What a slot must hold, fixed before the first message and the same at every agent.
struct ExchangeRange {
  std::size_t entries = 0;  ///< length of every vector
  int value_bits = 0;       ///< a: requests m have |m| < 2^a
  int factor_bits = 0;      ///< gamma: 0 <= f < 2^gamma

  /// w: replies f m + a lie in [-2^(w-1), 2^(w-1)); a difference of two values needs one bit more than a
  /// value.
  int reply_bits() const { return value_bits + factor_bits + 2; }
};

/// The side that holds the secret key.
class KeyOwner {
 public:
  virtual ~KeyOwner() = default;
  /// What every neighbor must have before it can respond; may be empty.
  virtual const Bytes& public_key() const = 0;
  /// CryptoError if a value is out of range.
  virtual Bytes encrypt(std::span<const std::int64_t> values, RandomStream& randomness) = 0;
  /// CryptoError if the reply is truncated, foreign or out of range.
  virtual std::vector<Int128> decrypt(std::span<const std::uint8_t> reply) = 0;
};

/// The side that holds a neighbor's public key.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual Bytes respond(std::span<const std::uint8_t> request, std::int64_t factor,
                        std::span<const Int128> addend, RandomStream& randomness) = 0;
};

class AdditiveScheme {
 public:
  virtual ~AdditiveScheme() = default;

  struct Operations {
    Operation encrypt, respond, decrypt;  ///< charged per entry
  };
  virtual Operations operations() const = 0;
  /// What a reader of the result must be told: empty for a scheme that keeps its promise.
  virtual std::vector<std::string> labels() const = 0;
  virtual std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range,
                                                  RandomStream& randomness) const = 0;
  virtual std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                                     std::span<const std::uint8_t> public_key) const = 0;
};

}  // namespace sotto
