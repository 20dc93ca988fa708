// SPDX-License-Identifier: MIT
// Bytes made smaller by zlib. The same bytes give the same compressed bytes, on any thread.
// Tests: tests/core/results/retime_test.cpp
#pragma once

#include "base/bytes.h"

namespace sotto {

/// Holds its own decompressed size, so that a reader knows what to expect.
Bytes compress(std::span<const std::uint8_t> bytes);

/// FormatError for anything that is not of the form that `compress` writes. Never holds more than the size that the bytes declare, refuses
/// one that they cannot have, and allocates as it goes along.
Bytes decompress(std::span<const std::uint8_t> compressed);

}  // namespace sotto
