// SPDX-License-Identifier: MIT
#include "core/data/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace sotto {

bool is_npy(std::string_view head, std::string_view file_name);
FileData read_npy(DataReader& in, const ReadSettings& settings);
bool is_matrix_market(std::string_view head, std::string_view file_name);
FileData read_matrix_market(DataReader& in, const ReadSettings& settings);
bool is_pgm(std::string_view head, std::string_view file_name);
FileData read_pgm_strip(DataReader& in, const ReadSettings& settings);
bool is_idx(std::string_view head, std::string_view file_name);
FileData read_idx(DataReader& in, const ReadSettings& settings);
bool is_docword(std::string_view head, std::string_view file_name);
FileData read_docword(DataReader& in, const ReadSettings& settings);
bool is_movielens(std::string_view head, std::string_view file_name);
FileData read_movielens(DataReader& in, const ReadSettings& settings);
bool is_csv(std::string_view head, std::string_view file_name);
FileData read_csv(DataReader& in, const ReadSettings& settings);

namespace {

constexpr auto table = std::to_array<DataFormat>({
    {"NumPy", ".npy", is_npy, read_npy},
    {"Matrix Market", ".mtx", is_matrix_market, read_matrix_market},
    {"PGM", ".pgm", is_pgm, read_pgm_strip},
    {"idx", "-ubyte", is_idx, read_idx},
    {"docword", "", is_docword, read_docword},
    {"MovieLens", "", is_movielens, read_movielens},
    {"CSV", "", is_csv, read_csv},  // last: it takes everything
});

/// By its first bytes. A name that promises something else is an error, not a riddle.
const DataFormat& recognize(DataReader& in) {
  const std::string_view head = in.peek(DataReader::longest_word);
  if (head.starts_with("PK\3\4")) in.fail_file("is an archive (.npz?): save one array with numpy.save");
  std::string_view name = in.file_name();
  if (name.ends_with(".gz")) name.remove_suffix(3);
  for (const DataFormat& f : table) {
    if (f.recognizes(head, name)) return f;
    if (!f.ending.empty() && name.ends_with(f.ending))
      in.fail_file(fmt::format("does not begin as a {} file does", f.name));
  }
  return table.back();
}

template <class Word>
Word word_at(const char* bytes, bool big_endian) {
  char turned[sizeof(Word)];
  if (big_endian)
    std::reverse_copy(bytes, bytes + sizeof(Word), turned);
  else
    std::copy_n(bytes, sizeof(Word), turned);
  Word w;
  std::memcpy(&w, turned, sizeof w);
  return w;
}

double number_at(const char* bytes, char kind, std::size_t size, bool big_endian) {
  switch (size) {
    case 1: {
      const auto w = static_cast<std::uint8_t>(*bytes);
      return kind == 'i' ? static_cast<double>(static_cast<std::int8_t>(w)) : static_cast<double>(w);
    }
    case 2: {
      const auto w = word_at<std::uint16_t>(bytes, big_endian);
      return kind == 'i' ? static_cast<double>(static_cast<std::int16_t>(w)) : static_cast<double>(w);
    }
    case 4: {
      const auto w = word_at<std::uint32_t>(bytes, big_endian);
      if (kind == 'f') return static_cast<double>(std::bit_cast<float>(w));
      return kind == 'i' ? static_cast<double>(static_cast<std::int32_t>(w)) : static_cast<double>(w);
    }
    default: {
      const auto w = word_at<std::uint64_t>(bytes, big_endian);
      if (kind == 'f') return std::bit_cast<double>(w);
      return kind == 'i' ? static_cast<double>(static_cast<std::int64_t>(w)) : static_cast<double>(w);
    }
  }
}

}  // namespace

std::span<const DataFormat> data_formats() {
  return table;
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest))
    shown += c >= 32 && c < 127 ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text.size() > longest ? shown + "..." : shown;
}

FileData read_data(ByteSource& source, const std::string& file_name, const ReadSettings& settings) {
  DataReader in(source, file_name);
  if (in.at_end()) in.fail_file("is empty");
  FileData data = recognize(in).read(in, settings);
  in.expect_end();
  if (data.samples.rows() == 0 || data.samples.cols() == 0) in.fail_file("has no data");
  return data;
}

std::uint64_t checked_entries(const DataReader& in, std::uint64_t rows, std::uint64_t columns) {
  if (rows > max_entries || columns > max_entries || (rows > 0 && columns > max_entries / rows))
    in.fail_file(fmt::format("promises {} x {} numbers: {} is the most", rows, columns, max_entries));
  return rows * columns;
}

Matrix from_rows(std::vector<double> numbers, std::uint64_t rows, std::uint64_t columns,
                 bool samples_are_columns) {
  // row after row in the file is column after column here
  const Eigen::Map<const Matrix> turned(numbers.data(), static_cast<Index>(columns),
                                        static_cast<Index>(rows));
  if (samples_are_columns) return turned.transpose();
  return turned;
}

std::vector<double> binary_numbers(DataReader& in, std::uint64_t count, char kind, std::size_t size,
                                   bool big_endian) {
  in.plausible(count, size, "numbers");
  std::vector<double> numbers;
  numbers.reserve(in.worth_reserving(count));
  constexpr std::size_t numbers_a_block = 8192;
  std::vector<char> block(numbers_a_block * size);
  while (numbers.size() < count) {
    const std::size_t n = std::min<std::uint64_t>(numbers_a_block, count - numbers.size());
    in.take(block.data(), n * size);
    for (std::size_t k = 0; k < n; ++k) {
      const double x = number_at(block.data() + k * size, kind, size, big_endian);
      if (!std::isfinite(x)) in.fail_file(fmt::format("number {} is not finite", numbers.size() + 1));
      numbers.push_back(x);
    }
  }
  return numbers;
}

}  // namespace sotto
