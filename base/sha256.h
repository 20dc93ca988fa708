// SPDX-License-Identifier: MIT
// SHA-256 (OpenSSL): stream keys, hashes of inputs and of resolved scenarios.
// Tests: tests/base/base_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sotto {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest sha256(std::span<const std::uint8_t> bytes);
std::string sha256_hex(std::string_view text);

/// Two lower-case hexadecimal digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace sotto
