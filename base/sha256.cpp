// SPDX-License-Identifier: MIT
#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/error.h"

namespace sotto {

Sha256Digest sha256(std::span<const std::uint8_t> bytes) {
  Sha256Digest digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw CryptoError("OpenSSL could not compute SHA-256");
  return digest;
}

std::string sha256_hex(std::string_view text) {
  return to_hex(sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const std::uint8_t b : bytes) {
    hex.push_back(digits[b >> 4]);
    hex.push_back(digits[b & 15]);
  }
  return hex;
}

}  // namespace sotto
