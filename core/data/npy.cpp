// SPDX-License-Identifier: MIT
// NumPy's .npy (format versions 1 to 3): a magic, a header that is a Python literal, then the numbers.
// Tests: tests/core/data/formats_test.cpp
#include <fmt/format.h>

#include "core/data/formats.h"

namespace sotto {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, its keys in any order.
class Header {
 public:
  Header(const DataReader& in, std::string_view text) : in_(in), rest_(text) { read(); }

  char kind = 'f';
  std::size_t size = 8;
  bool big_endian = false;
  bool fortran = false;
  std::vector<std::uint64_t> shape;

 private:
  [[noreturn]] void broken() const { in_.fail_file("has a header that is none of NumPy's"); }

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool eat(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!eat(token)) broken();
  }
  std::string_view quoted() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) broken();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) broken();
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::uint64_t whole() {
    skip_blanks();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && digits < 18 && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
      value = 10 * value + static_cast<std::uint64_t>(rest_[digits] - '0');
    if (digits == 0) broken();
    rest_.remove_prefix(digits);
    return value;
  }

  void read() {
    int seen = 0;
    need("{");
    while (!eat("}")) {
      const std::string_view key = quoted();
      need(":");
      if (key == "descr")
        read_type();
      else if (key == "fortran_order")
        read_order();
      else if (key == "shape")
        read_shape();
      else
        broken();
      ++seen;
      if (!eat(",")) {
        need("}");
        break;
      }
    }
    if (seen != 3 || shape.empty()) broken();
  }
  void read_type() {
    skip_blanks();
    if (rest_.starts_with("[")) in_.fail_file("holds records, not a matrix of numbers");
    const std::string_view type = quoted();
    big_endian = type.starts_with('>');
    kind = type.size() > 1 ? type[1] : '?';
    const std::string_view digits = type.size() > 2 ? type.substr(2) : "";
    size = digits.size() == 1 ? static_cast<std::size_t>(digits[0] - '0') : 0;
    const bool whole_number =
        (kind == 'u' || kind == 'i') && (size == 1 || size == 2 || size == 4 || size == 8);
    const bool floating = kind == 'f' && (size == 4 || size == 8);
    if (!(whole_number || floating || (kind == 'b' && size == 1)))
      in_.fail_file(fmt::format("holds numbers of type '{}': whole numbers, float32 and float64 can be read",
                                printable(type)));
  }
  void read_order() {
    fortran = eat("True");
    if (!fortran) need("False");
  }
  void read_shape() {
    need("(");
    while (!eat(")")) {
      shape.push_back(whole());
      if (!eat(",")) {
        need(")");
        break;
      }
    }
    if (shape.size() < 2 || shape.size() > 8)
      in_.fail_file(fmt::format("has {} dimensions: samples and features are two", shape.size()));
  }

  const DataReader& in_;
  std::string_view rest_;
};

}  // namespace

bool is_npy(std::string_view head, std::string_view) {
  return head.starts_with(magic);
}

FileData read_npy(DataReader& in, const ReadSettings& settings) {
  in.skip(magic.size());
  unsigned char version[2];
  in.take(version, 2);
  if (version[0] < 1 || version[0] > 3)
    in.fail_file(fmt::format("is .npy of version {}, not 1 to 3", version[0]));
  unsigned char length[4] = {};
  in.take(length, version[0] == 1 ? 2 : 4);
  const std::uint32_t header_size =
      length[0] | length[1] << 8 | length[2] << 16 | std::uint32_t{length[3]} << 24;
  in.plausible(header_size, 1, "bytes of header");
  if (header_size > 65536) in.fail_file("has a header of more than 65536 bytes");
  std::string text(header_size, '\0');
  in.take(text.data(), text.size());
  const Header header(in, text);
  if (header.shape.size() > 2 && (header.fortran || settings.samples_are_columns))
    in.fail_file("has more than two dimensions: samples must come first, in C order");
  const std::uint64_t rows = header.shape[0];
  std::uint64_t columns = 1;
  for (std::size_t k = 1; k < header.shape.size(); ++k)
    columns = checked_entries(in, columns, header.shape[k]);
  const std::uint64_t count = checked_entries(in, rows, columns);
  FileData data;
  if (header.shape.size() == 3)
    data.image = {static_cast<Index>(header.shape[2]), static_cast<Index>(header.shape[1])};
  std::vector<double> numbers = binary_numbers(in, count, header.kind, header.size, header.big_endian);
  // Fortran order is C order of the transpose
  data.samples = header.fortran ? from_rows(std::move(numbers), columns, rows, !settings.samples_are_columns)
                                : from_rows(std::move(numbers), rows, columns, settings.samples_are_columns);
  if (!in.at_end()) in.fail_file("has bytes after its last number");
  return data;
}

}  // namespace sotto
