// SPDX-License-Identifier: MIT
#include "crypto/paillier/packing.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

namespace {

/// Bit fields in a row of words.
class Fields {
 public:
  Fields(std::size_t count, int width)
      : width_(static_cast<std::size_t>(width)), words_((count * width_ + 63) / 64 + 3, 0) {}

  void set(std::size_t k, UInt128 value) {
    const std::size_t bit = k * width_;
    const unsigned shift = bit % 64;
    std::uint64_t* at = words_.data() + bit / 64;
    const auto low = static_cast<std::uint64_t>(value);
    const auto high = static_cast<std::uint64_t>(value >> 64);
    at[0] |= low << shift;
    at[1] |= high << shift;
    if (shift == 0) return;
    at[1] |= low >> (64 - shift);
    at[2] |= high >> (64 - shift);
  }

  UInt128 get(std::size_t k) const {
    const std::size_t bit = k * width_;
    const unsigned shift = bit % 64;
    const std::uint64_t* at = words_.data() + bit / 64;
    UInt128 value = at[0] >> shift | static_cast<UInt128>(at[1] >> shift) << 64;
    if (shift != 0)
      value |= static_cast<UInt128>(at[1]) << (64 - shift) | static_cast<UInt128>(at[2]) << (128 - shift);
    return value & ((UInt128{1} << width_) - 1);
  }

  std::vector<std::uint64_t>& words() { return words_; }

 private:
  std::size_t width_;
  std::vector<std::uint64_t> words_;
};

}  // namespace

SlotPacking::SlotPacking(std::size_t key_bits, int slot_bits)
    : slot_bits_(slot_bits), slots_((key_bits - 2) / static_cast<std::size_t>(slot_bits)) {
  if (slots_ == 0)
    throw CryptoError(
        fmt::format("a key of {} bits has no room for one slot of {} bits: it needs at least {} bits",
                    key_bits, slot_bits, slot_bits + 2));
}

mpz_class SlotPacking::bias(std::size_t used) const {
  Fields fields(used, slot_bits_);
  for (std::size_t k = 0; k < used; ++k) fields.set(k, UInt128{1} << (slot_bits_ - 1));
  mpz_class x;
  mpz_import(x.get_mpz_t(), fields.words().size(), -1, sizeof(std::uint64_t), 0, 0, fields.words().data());
  return x;
}

std::vector<mpz_class> SlotPacking::pack(std::span<const Int128> values) const {
  const Int128 half = Int128{1} << (slot_bits_ - 1);
  const mpz_class full_bias = bias(slots_);
  std::vector<mpz_class> plaintexts;
  for (std::size_t start = 0; start < values.size(); start += slots_) {
    const std::size_t used = std::min(slots_, values.size() - start);
    Fields fields(used, slot_bits_);
    for (std::size_t k = 0; k < used; ++k) {
      const Int128 v = values[start + k];
      if (v < -half || v >= half)
        throw CryptoError(fmt::format("a value does not fit a slot of {} bits", slot_bits_));
      fields.set(k, static_cast<UInt128>(v + half));
    }
    mpz_class x;
    mpz_import(x.get_mpz_t(), fields.words().size(), -1, sizeof(std::uint64_t), 0, 0, fields.words().data());
    plaintexts.emplace_back(x - (used == slots_ ? full_bias : bias(used)));
  }
  return plaintexts;
}

std::vector<Int128> SlotPacking::unpack(std::span<const mpz_class> plaintexts, std::size_t entries) const {
  if (plaintexts.size() != blocks(entries))
    throw CryptoError("as many plaintexts as blocks of slots are needed");
  const Int128 half = Int128{1} << (slot_bits_ - 1);
  const mpz_class full_bias = bias(slots_);
  std::vector<Int128> values(entries);
  for (std::size_t b = 0; b < plaintexts.size(); ++b) {
    const std::size_t used = std::min(slots_, entries - b * slots_);
    const mpz_class x = plaintexts[b] + (used == slots_ ? full_bias : bias(used));
    if (x < 0 || mpz_sizeinbase(x.get_mpz_t(), 2) > used * static_cast<std::size_t>(slot_bits_))
      throw CryptoError(fmt::format("a plaintext lies outside its slots of {} bits", slot_bits_));
    Fields fields(used, slot_bits_);
    mpz_export(fields.words().data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, x.get_mpz_t());
    for (std::size_t k = 0; k < used; ++k) values[b * slots_ + k] = static_cast<Int128>(fields.get(k)) - half;
  }
  return values;
}

}  // namespace sotto
