// SPDX-License-Identifier: MIT
// MNIST's idx: two zero bytes, a type, the number of dimensions, each dimension in four bytes, then the numbers; big-endian.
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include "core/data/formats.h"

namespace sotto {

namespace {

struct Type {
  unsigned char code;
  char kind;
  std::size_t size;
};
constexpr Type types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0B, 'i', 2},
                          {0x0C, 'i', 4}, {0x0D, 'f', 4}, {0x0E, 'f', 8}};

const Type* type_of(char code) {
  for (const Type& t : types)
    if (t.code == static_cast<unsigned char>(code)) return &t;
  return nullptr;
}

}  // namespace

bool is_idx(std::string_view head, std::string_view) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && type_of(head[2]) != nullptr;
}

FileData read_idx(DataReader& in, const ReadSettings&) {
  char magic[4];
  in.take(magic, 4);
  const Type type = *type_of(magic[2]);
  const auto dimensions = static_cast<unsigned char>(magic[3]);
  if (dimensions < 2 || dimensions > 8)
    in.fail_file(fmt::format("has {} dimension{}{}", dimensions, dimensions == 1 ? "" : "s",
                             dimensions == 1 ? ": these are labels, not samples" : ""));
  std::vector<std::uint64_t> shape;
  for (unsigned d = 0; d < dimensions; ++d) {
    unsigned char b[4];
    in.take(b, 4);
    shape.push_back(std::uint64_t{b[0]} << 24 | std::uint64_t{b[1]} << 16 | std::uint64_t{b[2]} << 8 | b[3]);
  }
  std::uint64_t features = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) features = checked_entries(in, features, shape[k]);
  const std::uint64_t count = checked_entries(in, shape[0], features);
  FileData data;
  if (dimensions == 3) data.image = {static_cast<Index>(shape[2]), static_cast<Index>(shape[1])};
  data.samples = from_rows(binary_numbers(in, count, type.kind, type.size, true), shape[0], features, false);
  if (!in.at_end()) in.fail_file("has bytes after its last number");
  return data;
}

}  // namespace sotto
