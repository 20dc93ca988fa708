// SPDX-License-Identifier: MIT
// Ciphertexts one after the other, each with its length: a request or a reply.
#pragma once

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/bytes.h"

namespace sotto {

using CiphertextList = std::vector<std::span<const std::uint8_t>>;

inline Bytes join_ciphertexts(const std::vector<Bytes>& ciphertexts) {
  Writer w;
  for (const Bytes& c : ciphertexts) {
    w.put(static_cast<std::uint32_t>(c.size()));
    w.raw(c);
  }
  return w.take();
}

/// CryptoError unless there are exactly so many.
inline CiphertextList split_ciphertexts(std::span<const std::uint8_t> bytes, std::size_t count) {
  CiphertextList list;
  try {
    Reader r(bytes);
    for (std::size_t k = 0; k < count; ++k) list.push_back(r.raw(r.get<std::uint32_t>()));
    r.finish();
  } catch (const FormatError& e) {
    throw CryptoError(fmt::format("not {} ciphertexts: {}", count, e.what()));
  }
  return list;
}

/// SEAL 4: header, parameters' hash, sizes, scale, header of the words.
inline constexpr std::size_t ciphertext_prefix = 113;

/// Bytes of one with two polynomials, uncompressed.
inline std::size_t ciphertext_size(std::size_t degree, std::size_t primes) {
  return ciphertext_prefix + 2 * degree * primes * sizeof(std::uint64_t);
}

}  // namespace sotto
