// SPDX-License-Identifier: MIT
#include "crypto/key_agreement.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/sha256.h"

namespace sotto {

struct KeyAgreement::Pair {
  EVP_PKEY* key = nullptr;
  Pair() = default;
  Pair(const Pair&) = delete;
  ~Pair() { EVP_PKEY_free(key); }
};

KeyAgreement::KeyAgreement(const StreamKey& secret) : pair_(std::make_unique<Pair>()) {
  pair_->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size());
  std::size_t size = public_key_.size();
  if (pair_->key == nullptr || EVP_PKEY_get_raw_public_key(pair_->key, public_key_.data(), &size) != 1)
    throw CryptoError("OpenSSL could not make an X25519 key");
}

KeyAgreement::KeyAgreement(KeyAgreement&&) noexcept = default;
KeyAgreement::~KeyAgreement() = default;

StreamKey KeyAgreement::agree(const AgreementKey& other, std::span<const std::uint8_t> context) const {
  Pair peer;
  peer.key = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, other.data(), other.size());
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> derivation(
      EVP_PKEY_CTX_new(pair_->key, nullptr), EVP_PKEY_CTX_free);
  AgreementKey shared{};
  std::size_t size = shared.size();
  if (peer.key == nullptr || !derivation || EVP_PKEY_derive_init(derivation.get()) != 1 ||
      EVP_PKEY_derive_set_peer(derivation.get(), peer.key) != 1 ||
      EVP_PKEY_derive(derivation.get(), shared.data(), &size) != 1)
    throw CryptoError("a public key cannot be agreed with");
  const auto& [low, high] = std::minmax(public_key_, other);
  Writer w;
  w.text("sotto agreement 1");
  w.raw(shared);
  w.raw(low);
  w.raw(high);
  w.block(context);
  return sha256(w.take());
}

}  // namespace sotto
