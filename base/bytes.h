// SPDX-License-Identifier: MIT
// Serialization: little-endian, fixed width, no padding. `Reader` never reads past its end and never
// allocates more than the bytes it was given can hold; anything else is a FormatError.
// Threading: a Writer or Reader belongs to one thread.
// Tests: tests/base/base_test.cpp
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/matrix.h"

namespace sotto {

using Bytes = std::vector<std::uint8_t>;
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

static_assert(std::endian::native == std::endian::little, "the byte forms below copy words as they lie");

class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t expected) { bytes_.reserve(expected); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof(T)); }
  void raw(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }
  /// A length and then the bytes.
  void block(std::span<const std::uint8_t> bytes) {
    put<std::uint64_t>(bytes.size());
    raw(bytes);
  }
  void text(std::string_view s) { block({reinterpret_cast<const std::uint8_t*>(s.data()), s.size()}); }
  template <class T>
  void list(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    for (const T& v : values) put(v);
  }
  void matrix(const Matrix& m);

  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size);

  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::span<const std::uint8_t> raw(std::size_t size) {
    need(size);
    auto part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }
  std::span<const std::uint8_t> block() { return raw(length(1)); }
  std::string text() {
    auto part = block();
    return {part.begin(), part.end()};
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> values(length(sizeof(T)));
    for (T& v : values) v = get<T>();
    return values;
  }
  Matrix matrix();

  std::size_t left() const { return bytes_.size() - at_; }
  std::span<const std::uint8_t> rest() { return raw(left()); }
  /// A FormatError unless everything was read.
  void finish() const;

 private:
  void need(std::size_t size) const {
    if (size > left())
      throw FormatError("truncated bytes: " + std::to_string(size) + " wanted, " + std::to_string(left()) +
                        " left");
  }
  /// A count of elements that the rest of the bytes can really hold.
  std::size_t length(std::size_t element_size);

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace sotto
