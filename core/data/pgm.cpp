// SPDX-License-Identifier: MIT
// Gray pictures, PGM: P2 (text) or P5 (bytes; two of them a pixel where the maximum is above 255).
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include <algorithm>

#include "core/data/formats.h"

namespace sotto {

namespace {

constexpr std::uint64_t longest_side = 1'000'000;

/// White space, and comments to the end of the line.
void skip_header_space(DataReader& in) {
  in.skip_empty_lines('#');
}

/// A strip or a sheet of equal pictures, row after row of them.
Matrix cut(const Picture& sheet, const ImageShape& tile) {
  const Index across = sheet.shape.width / tile.width;
  const Index down = sheet.shape.height / tile.height;
  Matrix m(tile.width * tile.height, across * down);
  for (Index n = 0; n < across * down; ++n)
    for (Index y = 0; y < tile.height; ++y)
      for (Index x = 0; x < tile.width; ++x)
        m(y * tile.width + x, n) = sheet.pixels[static_cast<std::size_t>(
            ((n / across) * tile.height + y) * sheet.shape.width + (n % across) * tile.width + x)];
  return m;
}

}  // namespace

bool is_pgm(std::string_view head, std::string_view) {
  return head.size() > 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '5') &&
         (head[2] == ' ' || head[2] == '\n' || head[2] == '\t' || head[2] == '\r' || head[2] == '#');
}

Picture read_pgm(DataReader& in) {
  if (!is_pgm(in.peek(3), "")) in.fail_file("is no PGM picture: it begins with neither P2 nor P5");
  const bool text = in.peek(2)[1] == '2';
  in.skip(2);
  const auto header = [&](std::uint64_t most, const char* what) {
    skip_header_space(in);
    const std::uint64_t value = in.whole(most, what);
    if (value == 0) in.fail(fmt::format("{} is 0", what));
    return value;
  };
  const std::uint64_t width = header(longest_side, "the width");
  const std::uint64_t height = header(longest_side, "the height");
  const std::uint64_t white = header(65535, "the maximum");
  const std::uint64_t count = checked_entries(in, width, height);
  Picture picture;
  picture.shape = {static_cast<Index>(width), static_cast<Index>(height)};
  if (!text) {
    char space = 0;  // one white-space byte after the maximum, no more: pixels follow
    in.take(&space, 1);
    picture.pixels = binary_numbers(in, count, 'u', white > 255 ? 2 : 1, true);
    const auto above = std::find_if(picture.pixels.begin(), picture.pixels.end(),
                                    [&](double p) { return p > static_cast<double>(white); });
    if (above != picture.pixels.end())
      in.fail_file(fmt::format("pixel {} is {}, above the maximum {}", above - picture.pixels.begin() + 1,
                               *above, white));
    if (!in.at_end()) in.fail_file("has bytes after its last pixel");
    return picture;
  }
  in.plausible(count, 2, "pixels");
  picture.pixels.reserve(in.worth_reserving(count));
  for (std::uint64_t k = 0; k < count; ++k) {
    skip_header_space(in);
    picture.pixels.push_back(static_cast<double>(in.whole(white, "a pixel")));
  }
  return picture;
}

FileData read_pgm_strip(DataReader& in, const ReadSettings& settings) {
  const Picture sheet = read_pgm(in);
  ImageShape tile = settings.image;
  if (!tile.known()) {  // squares side by side, or one below the other
    const Index side = std::min(sheet.shape.width, sheet.shape.height);
    tile = {side, side};
  }
  if (sheet.shape.width % tile.width != 0 || sheet.shape.height % tile.height != 0)
    in.fail_file(fmt::format("is {} x {} pixels, which {} x {} do not divide: set data.image",
                             sheet.shape.width, sheet.shape.height, tile.width, tile.height));
  FileData data;
  data.samples = cut(sheet, tile);
  data.image = tile;
  return data;
}

}  // namespace sotto
