// SPDX-License-Identifier: MIT
#include "base/compression.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

namespace sotto {

namespace {

// On event logs nearly as small as the default level, at a fraction of its time.
constexpr int level = 1;
// Deflate makes 258 bytes from two bits at best.
constexpr std::uint64_t most_per_byte = 1032;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

struct EndDeflate {
  void operator()(z_stream* z) const { deflateEnd(z); }
};
struct EndInflate {
  void operator()(z_stream* z) const { inflateEnd(z); }
};

/// Gives zlib the next part of what is left to read and of the room there is.
void feed(z_stream& z, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  z.next_in = const_cast<std::uint8_t*>(in.data());
  z.avail_in = static_cast<uInt>(std::min(in.size(), most_at_once));
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(std::min(out.size(), most_at_once));
}

}  // namespace

Bytes compress(std::span<const std::uint8_t> bytes) {
  z_stream z{};
  if (deflateInit(&z, level) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, EndDeflate> end(&z);
  Writer declared;
  declared.put<std::uint64_t>(bytes.size());
  Bytes out = declared.take();
  std::size_t read = 0;
  std::size_t written = out.size();
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (written == out.size()) out.resize(2 * out.size() + 4096);
    const auto in = bytes.subspan(read);
    feed(z, in, std::span(out).subspan(written));
    const uInt given = z.avail_in;
    state = deflate(&z, given == in.size() ? Z_FINISH : Z_NO_FLUSH);
    read += given - z.avail_in;
    written = static_cast<std::size_t>(z.next_out - out.data());
  }
  out.resize(written);
  out.shrink_to_fit();
  return out;
}

Bytes decompress(std::span<const std::uint8_t> compressed) {
  Reader reader(compressed);
  const auto size = reader.get<std::uint64_t>();
  const auto bytes = reader.rest();
  if (size / most_per_byte > bytes.size())
    throw FormatError("compressed bytes that claim to be more than they can be");
  z_stream z{};
  if (inflateInit(&z) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, EndInflate> end(&z);
  Bytes out;
  std::size_t read = 0;
  std::size_t written = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (written == out.size())  // one byte beyond the declared size, to see whether there is more
      out.resize(std::min<std::size_t>(size + 1, 2 * out.size() + 65536));
    feed(z, bytes.subspan(read), std::span(out).subspan(written));
    const uInt given = z.avail_in;
    state = inflate(&z, Z_NO_FLUSH);
    read += given - z.avail_in;
    written = static_cast<std::size_t>(z.next_out - out.data());
    if ((state != Z_OK && state != Z_STREAM_END) || written > size)
      throw FormatError("compressed bytes that are damaged");
  }
  if (written != size || read != bytes.size()) throw FormatError("compressed bytes that are damaged");
  out.resize(written);
  return out;
}

}  // namespace sotto
