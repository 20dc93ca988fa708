// SPDX-License-Identifier: MIT
#include "crypto/prg.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace sotto {

struct MaskGenerator::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();

  explicit Cipher(const StreamKey& key) {
    if (context == nullptr ||
        EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nullptr, key.data(), nullptr) != 1)
      throw CryptoError("OpenSSL could not start AES-128-CTR");
  }
  Cipher(const Cipher&) = delete;
  ~Cipher() { EVP_CIPHER_CTX_free(context); }

  void start(std::uint64_t call) {
    std::array<std::uint8_t, 16> counter{};  // the call, then the block, both with the highest byte first
    for (std::size_t k = 0; k < 8; ++k) counter[7 - k] = static_cast<std::uint8_t>(call >> (8 * k));
    if (EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, counter.data()) != 1)
      throw CryptoError("OpenSSL could not set the counter of AES-128-CTR");
  }
  void draw(std::uint8_t* to, std::size_t size) {
    int written = 0;
    if (EVP_EncryptUpdate(context, to, &written, zeros.data(), static_cast<int>(size)) != 1)
      throw CryptoError("OpenSSL could not draw from AES-128-CTR");
  }

  static constexpr std::size_t chunk = 8192;  // stays in the first-level cache
  static constexpr std::array<std::uint8_t, chunk> zeros{};
};

MaskGenerator::MaskGenerator(const StreamKey& key) : cipher_(std::make_unique<Cipher>(key)) {}
MaskGenerator::MaskGenerator(MaskGenerator&&) noexcept = default;
MaskGenerator& MaskGenerator::operator=(MaskGenerator&&) noexcept = default;
MaskGenerator::~MaskGenerator() = default;

template <class Word>
void MaskGenerator::apply_words(std::uint64_t call, MaskSign sign, std::span<Word> words) {
  if (call < next_call_)
    throw CryptoError(fmt::format("the mask of call {} was used before: the next is {}", call, next_call_));
  next_call_ = call + 1;
  cipher_->start(call);
  std::array<Word, Cipher::chunk / sizeof(Word)> mask;
  for (std::size_t first = 0; first < words.size(); first += mask.size()) {
    const std::size_t count = std::min(mask.size(), words.size() - first);
    cipher_->draw(reinterpret_cast<std::uint8_t*>(mask.data()), count * sizeof(Word));
    Word* const to = words.data() + first;
    if (sign == MaskSign::add)
      for (std::size_t k = 0; k < count; ++k) to[k] += mask[k];
    else
      for (std::size_t k = 0; k < count; ++k) to[k] -= mask[k];
  }
}

void MaskGenerator::apply(std::uint64_t call, MaskSign sign, std::span<std::uint64_t> words) {
  apply_words(call, sign, words);
}

void MaskGenerator::apply(std::uint64_t call, MaskSign sign, std::span<UInt128> words) {
  apply_words(call, sign, words);
}

}  // namespace sotto
