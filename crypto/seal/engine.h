// SPDX-License-Identifier: MIT
// Microsoft SEAL, wherever it is: compiled in (native), or as WebAssembly in child processes (node). What is said of noise,
// ranges and privacy is in bfv.cpp and ckks.cpp, which know nothing of where SEAL is. What one makes the other can use; from
// the same seed they make different keys.
//
// Randomness: every operation brings 32 bytes, and all that SEAL draws in it is AES-256-CTR under them: the same bytes, the
// same ciphertext. An operation's seed is never used for another.
// Threading: an engine may be used by many threads; a key belongs to one agent.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/random_stream.h"
#include "base/words.h"

namespace sotto {

struct SealParameters {
  bool ckks = false;
  std::size_t degree = 0;             ///< N
  std::vector<std::uint64_t> primes;  ///< ciphertexts have all but the last, which SEAL reserves for keys
  std::uint64_t plain_modulus = 0;    ///< t; BFV only

  std::size_t levels() const { return primes.size() - 1; }
  /// What a key of these parameters comes from: keys of others from the same seed have nothing in common with it. (SEAL draws the
  /// secret and the noise of a key whatever the primes are: two keys of one seed that share a prime and little else would give the
  /// secret away by a division.)
  StreamKey key_seed(const StreamKey& seed) const;
  bool operator==(const SealParameters&) const = default;
};

/// What SEAL encrypts.
struct SealPlain {
  enum class Kind : std::uint8_t {
    coefficients,  ///< of a polynomial modulo t
    slots,         ///< N numbers modulo t, multiplied entry by entry
    reals,         ///< N / 2 real numbers, CKKS; words are the bits of doubles
  };
  Kind kind = Kind::coefficients;
  std::vector<std::uint64_t> words;
  double scale = 1;
};

/// request x factor + addend + Enc(0) + onto, with `drop` primes fewer: one operation.
struct SealResponse {
  SealPlain factor, addend;
  std::vector<std::uint64_t>
      onto;  ///< added to c0: N words modulo each prime (a flood, a message); empty: none
  std::size_t drop = 0;
};

class SealSecret {
 public:
  virtual ~SealSecret() = default;
  virtual const Bytes& public_key() const = 0;
  /// c1 as the seed it comes from. No words: zero.
  virtual Bytes encrypt(const SealPlain& plain, const StreamKey& seed) = 0;
  /// The words of the sum of these ciphertexts: N, or N / 2 reals.
  virtual std::vector<std::uint64_t> decrypt(std::span<const std::span<const std::uint8_t>> ciphertexts,
                                             SealPlain::Kind kind) = 0;
  /// Bits of noise that a ciphertext can still take; BFV only.
  virtual int noise_budget(std::span<const std::uint8_t> ciphertext) = 0;
  /// The same ciphertext with c1 written out where a seed stands for it: what a curious owner computes with.
  virtual Bytes expanded(std::span<const std::uint8_t> ciphertext) = 0;
};

class SealPublic {
 public:
  virtual ~SealPublic() = default;
  virtual Bytes respond(std::span<const std::uint8_t> request, const SealResponse& response,
                        const StreamKey& seed) = 0;
};

class SealEngine {
 public:
  virtual ~SealEngine() = default;
  virtual std::string_view name() const = 0;  ///< "native" or "node"
  virtual std::string version() = 0;
  /// CryptoError if SEAL refuses. `party`: whose; what belongs to one party is kept together.
  virtual std::unique_ptr<SealSecret> generate(const SealParameters& parameters, const StreamKey& seed,
                                               std::size_t party) = 0;
  virtual std::unique_ptr<SealPublic> open(const SealParameters& parameters,
                                           std::span<const std::uint8_t> public_key, std::size_t party) = 0;
};

/// automatic: native where it is compiled in.
enum class SealChoice : std::uint8_t { automatic, native, node };
template <>
struct Words<SealChoice> {
  static constexpr std::string_view setting = "exchange.seal_engine";
  static constexpr Word<SealChoice> all[] = {
      {SealChoice::automatic, "auto"}, {SealChoice::native, "native"}, {SealChoice::node, "node"}};
};

/// One engine of each kind serves the whole program while it is in use. CryptoError if it is missing, with what is needed.
std::shared_ptr<SealEngine> seal_engine(SealChoice choice);
bool has_native_seal();

/// Raw words of c0 of what SealSecret::encrypt gave.
std::span<std::uint8_t> request_words(std::span<std::uint8_t> request, std::size_t degree,
                                      std::size_t primes);

/// Raw words of an uncompressed ciphertext of two polynomials: c0, prime after prime, then c1. CryptoError if the bytes are
/// no such thing.
std::span<std::uint8_t> ciphertext_words(std::span<std::uint8_t> ciphertext, std::size_t degree,
                                         std::size_t primes);

}  // namespace sotto
