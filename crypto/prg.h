// SPDX-License-Identifier: MIT
// Masks that two parties make from a key they share: AES-128 in counter mode (OpenSSL), a pseudorandom function of a call's
// number. The mask of call j is the keystream at counters (j, 0), (j, 1), ...: 64 bits of number, 64 of block. Masks of
// different calls have nothing in common; the same call twice would cancel its own protection (the difference of two masked
// vectors is the difference of what they hide), so a number that was used, or passed over, is refused.
// Constant-time as far as OpenSSL's AES is. Threading: an object belongs to one thread at a time.
// Tests: tests/crypto/secret_sharing_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/random_stream.h"

namespace sotto {

enum class MaskSign : std::uint8_t { add, subtract };

class MaskGenerator {
 public:
  explicit MaskGenerator(const StreamKey& key);
  MaskGenerator(MaskGenerator&&) noexcept;
  MaskGenerator& operator=(MaskGenerator&&) noexcept;
  ~MaskGenerator();

  /// words_k <- words_k +- F(call)_k. CryptoError unless `call` is above every one before.
  void apply(std::uint64_t call, MaskSign sign, std::span<std::uint64_t> words);
  void apply(std::uint64_t call, MaskSign sign, std::span<UInt128> words);

 private:
  template <class Word>
  void apply_words(std::uint64_t call, MaskSign sign, std::span<Word> words);

  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
  std::uint64_t next_call_ = 0;
};

}  // namespace sotto
