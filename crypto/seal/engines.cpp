// SPDX-License-Identifier: MIT
// Tests: tests/crypto/seal_engines_test.cpp
#include <fmt/format.h>

#include <mutex>

#include "base/sha256.h"
#include "crypto/seal/engine.h"
#include "crypto/seal/wire.h"

namespace sotto {

StreamKey SealParameters::key_seed(const StreamKey& seed) const {
  Writer w;
  w.text("key of Microsoft SEAL");
  w.put<std::uint8_t>(ckks);
  w.put<std::uint64_t>(degree);
  w.list(primes);
  w.put(plain_modulus);
  w.raw(seed);
  return sha256(w.take());
}

std::shared_ptr<SealEngine> make_native_engine();
std::shared_ptr<SealEngine> make_node_engine();

std::shared_ptr<SealEngine> seal_engine(SealChoice choice) {
  struct Place {
    std::mutex mutex;
    std::weak_ptr<SealEngine> engine;
  };
  static Place native;
  static Place node;
  const bool is_native =
      choice == SealChoice::native || (choice == SealChoice::automatic && has_native_seal());
  Place& place = is_native ? native : node;
  const std::lock_guard lock(place.mutex);
  auto engine = place.engine.lock();
  if (!engine) place.engine = engine = is_native ? make_native_engine() : make_node_engine();
  return engine;
}

std::span<std::uint8_t> request_words(std::span<std::uint8_t> request, std::size_t degree,
                                      std::size_t primes) {
  const std::size_t size = degree * primes * sizeof(std::uint64_t);
  if (request.size() <= ciphertext_prefix + size)
    throw CryptoError(
        fmt::format("a request of {} bytes, fewer than {}", request.size(), ciphertext_prefix + size));
  return request.subspan(ciphertext_prefix, size);
}

std::span<std::uint8_t> ciphertext_words(std::span<std::uint8_t> ciphertext, std::size_t degree,
                                         std::size_t primes) {
  const std::size_t size = ciphertext_size(degree, primes);
  if (ciphertext.size() != size)
    throw CryptoError(fmt::format("a ciphertext of {} bytes, not {}", ciphertext.size(), size));
  return ciphertext.last(2 * degree * primes * sizeof(std::uint64_t));
}

}  // namespace sotto
