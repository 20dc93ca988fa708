// SPDX-License-Identifier: MIT
#include "crypto/sealed_message.h"

#include <openssl/evp.h>

#include <array>
#include <cstring>
#include <memory>

namespace sotto {

namespace {

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

constexpr std::size_t nonce_size = 12;

/// OpenSSL counts in int.
void check_length(std::size_t size) {
  if (size > std::size_t{1} << 30)
    throw CryptoError("a message of more than a gigabyte is not sealed at once");
}

Context start(const StreamKey& key, std::uint64_t number, bool seals) {
  std::array<std::uint8_t, nonce_size> nonce{};
  std::memcpy(nonce.data(), &number, sizeof(number));
  Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  if (!context || EVP_CipherInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, key.data(), nonce.data(),
                                    seals ? 1 : 0) != 1)
    throw CryptoError("OpenSSL could not start AES-128-GCM");
  return context;
}

}  // namespace

Bytes MessageSeal::seal(std::span<const std::uint8_t> message) {
  check_length(message.size());
  const Context context = start(key_, number_++, true);
  Bytes sealed(message.size() + overhead);
  int size = 0;
  if (EVP_EncryptUpdate(context.get(), sealed.data(), &size, message.data(),
                        static_cast<int>(message.size())) != 1 ||
      EVP_EncryptFinal_ex(context.get(), sealed.data() + message.size(), &size) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, overhead, sealed.data() + message.size()) != 1)
    throw CryptoError("OpenSSL could not seal a message");
  return sealed;
}

Bytes MessageSeal::open(std::span<const std::uint8_t> sealed) {
  if (sealed.size() < overhead) throw CryptoError("a sealed message is truncated");
  check_length(sealed.size());
  const Context context = start(key_, number_++, false);
  Bytes message(sealed.size() - overhead);
  std::array<std::uint8_t, overhead> tag{};
  std::memcpy(tag.data(), sealed.data() + message.size(), overhead);
  int size = 0;
  if (EVP_DecryptUpdate(context.get(), message.data(), &size, sealed.data(),
                        static_cast<int>(message.size())) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, overhead, tag.data()) != 1 ||
      EVP_DecryptFinal_ex(context.get(), message.data() + message.size(), &size) != 1)
    throw CryptoError("a sealed message is not what its sender sealed next");
  return message;
}

}  // namespace sotto
