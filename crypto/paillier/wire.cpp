// SPDX-License-Identifier: MIT
#include "crypto/paillier/wire.h"

#include <fmt/format.h>

#include "crypto/paillier/numbers.h"

namespace sotto {

namespace {
constexpr std::uint32_t magic = 0x01435053;  // "SPC", version 1
constexpr std::size_t header = 4 + 8 + 4;

std::size_t ciphertext_bytes(const PaillierPublicKey& key) {
  return (2 * key.bits() + 7) / 8;
}
}  // namespace

Bytes write_ciphertexts(std::span<const mpz_class> ciphertexts, const PaillierPublicKey& key) {
  const std::size_t size = ciphertext_bytes(key);
  Writer w(header + ciphertexts.size() * size);
  w.put(magic);
  w.put(key.fingerprint());
  w.put(static_cast<std::uint32_t>(ciphertexts.size()));
  for (const mpz_class& c : ciphertexts) put_number(w, c, size);
  return w.take();
}

Numbers read_ciphertexts(std::span<const std::uint8_t> bytes, const PaillierPublicKey& key,
                         std::size_t count) {
  const std::size_t size = ciphertext_bytes(key);
  if (bytes.size() != header + count * size)
    throw CryptoError(
        fmt::format("{} bytes are not {} ciphertexts of a {}-bit key", bytes.size(), count, key.bits()));
  Reader r(bytes);
  if (r.get<std::uint32_t>() != magic) throw CryptoError("these bytes are not ciphertexts of version 1");
  if (r.get<std::uint64_t>() != key.fingerprint()) throw CryptoError("ciphertexts of another key");
  if (r.get<std::uint32_t>() != count) throw CryptoError("another number of ciphertexts than announced");
  Numbers ciphertexts;
  ciphertexts.reserve(count);
  for (std::size_t k = 0; k < count; ++k) ciphertexts.push_back(number_from(r.raw(size)));
  return ciphertexts;
}

}  // namespace sotto
