// SPDX-License-Identifier: MIT
// An additively homomorphic scheme on whole vectors of signed integers: the one interface that PPDNMF's
// exchange, secure products and every later protocol speak. A scheme never sends a message.
//
//   owner i:      request = encrypt(m)                      under i's own key
//   responder j:  reply_j = respond(request, f_j, a_j)      = Enc_i(f_j m + a_j), ONE operation that a caller
//                                                             cannot take apart (a scheme re-randomizes inside)
//   owner i:      sum_j w_j (f_j m + a_j) = decrypt_sum(replies, w)
//
// Who learns what: j learns nothing of m beyond what the scheme's labels admit; i learns f_j m + a_j of each reply and
// nothing else of it, or, where replies are summed under masks, sum_j (f_j m + a_j) alone.
// Threading: an owner or responder belongs to one agent; different ones may be used at the same time, a scheme by all.
// Tests: tests/crypto/scheme_contract_test.cpp
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

/// What an owner does with the replies to one request.
enum class Replies : std::uint8_t {
  each,      ///< decrypts them one by one
  weighted,  ///< combines them with its weights first, then decrypts once
  summed,    ///< multiplies them together and decrypts their sum; masks of the senders cancel in it
  shared,  ///< each reply has a place of its own in one plaintext: adds them up, in the order of places, and decrypts once
};

/// What the integers of an exchange are: fixed before the first message. All agents have the same but for `slot_bits` and
/// `place`, which every owner announces with its key.
struct ExchangeRange {
  std::size_t entries = 0;        ///< length of every vector
  int value_bits = 0;             ///< a: requests m have |m| < 2^a
  int factor_bits = 0;            ///< gamma: 0 <= f < 2^gamma, and weights likewise
  bool factor_per_entry = false;  ///< a factor of its own for every entry
  Replies replies = Replies::each;
  int slot_bits = 0;        ///< w: what is decrypted lies in [-2^(w-1), 2^(w-1))
  std::size_t senders = 1;  ///< an owner's: how many reply to one request
  std::size_t place = 0;    ///< a responder's, with Replies::shared
  std::size_t party = 0;    ///< whose side this is: a scheme may keep together what belongs to one party

  /// Of one reply f m + a, |a| < 2^(a + gamma).
  int reply_bits() const { return value_bits + factor_bits + 2; }
  /// w for an owner with that many neighbors.
  int slot_bits_for(std::size_t count) const;
  /// CryptoError unless the integers fit: value and factor bits from 1 to 62, a reply within its slot, a slot within 126 bits.
  void check() const;

  static constexpr int max_slot_bits = 126;
};

/// The same numbers to be added by one neighbor of the owner and subtracted by another.
struct PairMask {
  RandomStream* stream;
  bool subtract;
};

/// Work that simulated time is charged for.
struct Charge {
  Operation operation;
  std::uint64_t count;
};

/// The side that holds the secret key.
class KeyOwner {
 public:
  virtual ~KeyOwner() = default;
  /// What every neighbor must have before it can respond; may be empty.
  virtual const Bytes& public_key() const = 0;
  /// CryptoError if a value is out of range: nothing is encrypted then.
  virtual Bytes encrypt(std::span<const std::int64_t> values, RandomStream& randomness) = 0;
  /// sum_j weights_j reply_j; weights_j: one for all entries, or one per entry (Replies::each and shared). With Replies::summed all
  /// weights are the same. CryptoError if a reply is truncated, foreign or out of range.
  virtual std::vector<Int128> decrypt_sum(std::span<const std::span<const std::uint8_t>> replies,
                                          std::span<const std::vector<std::int64_t>> weights) = 0;

  virtual Charge encrypt_charge() const = 0;
  virtual Charge decrypt_charge(std::size_t replies) const = 0;
  virtual std::size_t ciphertexts() const { return 0; }  ///< of a request
  virtual std::size_t table_bytes() const { return 0; }  ///< of powers kept for speed
};

/// The side that holds a neighbor's public key.
class Responder {
 public:
  virtual ~Responder() = default;
  /// factors: one, or one per entry where the range says so. Masks only with Replies::summed: one from each stream and
  /// number of the plaintext. CryptoError if the request is malformed or an addend out of range.
  virtual Bytes respond(std::span<const std::uint8_t> request, std::span<const std::int64_t> factors,
                        std::span<const Int128> addend, std::span<const PairMask> masks,
                        RandomStream& randomness) = 0;

  /// Enc(sum of the requests' messages + addend), random again, itself a request: a step of a sum that many parties make under
  /// one party's key. No requests: an encryption of the addend. |addend| < 2^value_bits; the sum of all must fit the slot.
  /// CryptoError from schemes that do not have it.
  virtual Bytes add(std::span<const std::span<const std::uint8_t>> requests, std::span<const Int128> addend,
                    RandomStream& randomness);
  virtual Charge add_charge(std::size_t /*requests*/) const { return respond_charge(); }

  virtual Charge respond_charge() const = 0;
  virtual Charge setup_charge() const = 0;               ///< once
  virtual std::size_t ciphertexts() const { return 0; }  ///< of a reply
  virtual std::size_t table_bytes() const { return 0; }
  /// Words that one reply draws from each mask's stream: where a restarted agent goes on.
  virtual std::uint64_t mask_words() const = 0;
};

/// What an exchange is going to cost one agent, roughly, before there are keys: to tell a user what to expect, never to
/// charge for.
struct ExchangeForecast {
  double round_seconds = 0;       ///< of a round with all its neighbors
  double once_seconds = 0;        ///< its keys and tables
  std::size_t message_bytes = 0;  ///< of a request or a reply
  std::size_t table_bytes = 0;
};

class AdditiveScheme {
 public:
  virtual ~AdditiveScheme() = default;

  /// What a reader of the result must be told: empty for a scheme that keeps its promise.
  virtual std::vector<std::string> labels() const = 0;
  /// What keys depend on besides their seed: a saved run goes on with the same. Empty: nothing.
  virtual std::string_view implementation() const { return ""; }
  /// How an owner of that many neighbors takes replies in at the least cost, where the protocol leaves the choice.
  virtual Replies best_replies(const ExchangeRange& /*range*/, std::size_t /*senders*/) const {
    return Replies::each;
  }
  virtual ExchangeForecast forecast(const ExchangeRange& range, std::size_t /*neighbors*/) const {
    return {0, 0, 8 * range.entries, 0};
  }
  /// Keys come from 32 bytes of `randomness`: the same bytes, the same keys.
  virtual std::unique_ptr<KeyOwner> generate_keys(const ExchangeRange& range,
                                                  RandomStream& randomness) const = 0;
  virtual std::unique_ptr<Responder> open_public_key(const ExchangeRange& range,
                                                     std::span<const std::uint8_t> public_key) const = 0;
};

}  // namespace sotto
