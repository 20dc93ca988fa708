// SPDX-License-Identifier: MIT
// Data files. Which format a file has is seen from its first bytes (and its name, where those could be several).
//   .npy              NumPy: whole or floating numbers, both byte orders, C or Fortran order; 3-D: images
//   .csv, .tsv, .txt  numbers separated by ',', ';', tab or blanks; a first line of names; '#' begins a comment
//   .mtx              Matrix Market: coordinate or array; real, integer or pattern; general, symmetric, skew-symmetric
//   docword           UCI bag of words: D, W and N, then "document word count" lines
//   u.data            MovieLens: "user item rating time" lines, with tabs, or "::" (ratings.dat)
//   .pgm              P2 or P5: one picture, or a strip of pictures; a folder of them is a sample each
//   idx               MNIST's: whole or floating numbers; 3-D: images
// All of them may be gzip. Whatever is wrong with a file (truncated, ragged, NaN, an entry twice, a header that lies) is a
// ScenarioError with the file and the place. To add a format: one new .cpp; in formats.cpp its two
// functions are declared and have a row in the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/data_reader.h"
#include "core/data/samples.h"

namespace sotto {

/// Pixels of a sample that is a picture, row after row; 0 x 0 where it is none.
struct ImageShape {
  Index width = 0;
  Index height = 0;
  bool known() const { return width > 0 && height > 0; }
  bool operator==(const ImageShape&) const = default;
};

/// How to read what a file alone does not say.
struct ReadSettings {
  bool samples_are_columns = false;  ///< data.samples, for formats that are just matrices
  ImageShape image;                  ///< data.image: of a strip's pictures; of a sample elsewhere
};

struct FileData {
  Samples samples;
  ImageShape image;
  std::vector<std::string> names;  ///< of the features, where the file has them
};

struct DataFormat {
  std::string_view name;
  std::string_view ending;  ///< of names that promise this format; empty: none does
  bool (*recognizes)(std::string_view head, std::string_view file_name);
  FileData (*read)(DataReader& in, const ReadSettings& settings);
};

/// In the order in which they are asked; the last one, CSV, takes everything.
std::span<const DataFormat> data_formats();

FileData read_data(ByteSource& source, const std::string& file_name, const ReadSettings& settings);

/// One picture: width, height, pixels. For strips and folders alike.
struct Picture {
  ImageShape shape;
  std::vector<double> pixels;
};
Picture read_pgm(DataReader& in);

// What formats share.

/// Part of a file, for a message: what is not plain text is shown as \\x.., and not more than a line's worth.
std::string printable(std::string_view text);

/// The most numbers a dense matrix may hold.
inline constexpr std::uint64_t max_entries = 2'000'000'000;  // 16 GB
/// `rows` x `columns` must be possible; ScenarioError naming the file otherwise. Returns the product.
std::uint64_t checked_entries(const DataReader& in, std::uint64_t rows, std::uint64_t columns);
/// Numbers of a file, in its order, row after row: a matrix of samples as columns.
Matrix from_rows(std::vector<double> numbers, std::uint64_t rows, std::uint64_t columns,
                 bool samples_are_columns);
/// Reads `count` binary numbers; `kind` and `size` as in NumPy ('u', 'i', 'f', 'b'). Refuses what is not finite.
std::vector<double> binary_numbers(DataReader& in, std::uint64_t count, char kind, std::size_t size,
                                   bool big_endian);

}  // namespace sotto
