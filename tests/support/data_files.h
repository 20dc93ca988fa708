// SPDX-License-Identifier: MIT
// Small files of every data format, as bytes.
#pragma once

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/data/formats.h"

namespace sotto::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct DataFile {
  std::string name;
  std::string bytes;
};

inline std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                       bool fortran = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += std::string("\x01\x00", 2);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + numbers;
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

inline std::string gzip(const std::string& text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

inline const std::string movielens_text = "2\t3\t5\t881250949\n1\t1\t3\t891717742\n1\t3\t1\t878887116\n";
inline const std::string docword_text = "4\n5\n6\n1 1 2\n1 5 1\n2 3 7\n4 1 1\n4 2 1\n4 4 10\n";

/// By format: files that load.
inline std::vector<std::vector<DataFile>> files_by_format() {
  const std::string zeros4(4, '\0');
  return {
      {{"a.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6.5}))},
       {"b.npy", npy("|u1", "(3, 2, 2)", std::string("abcdefghijkl"))},
       {"c.npy", npy(">i2", "(2, 2)", std::string("\0\1\0\2\0\3\0\4", 8), true)}},
      {{"a.csv", "width,height,\"depth\"\n1,2,3\n4.5,0,1e-3\n"},
       {"b.csv", "# comment\n1;2\n3;4\n\n"},
       {"c.txt", " 1 2  3\n4 5 6\r\n"}},
      {{"a.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n3 4 3\n1 1 2.5\n3 4 1\n2 2 7e2\n"},
       {"b.mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n"},
       {"c.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n"}},
      {{"u.data", movielens_text}, {"ratings.dat", "1::2::3.5::9\n2::1::4::1\n"}},
      {{"docword.txt", docword_text}, {"docword.b.txt", "2\n2\n1\n2 1 3\n"}},
      {{"a.pgm", "P5\n# strip\n4 2\n255\nabcdefgh"},
       {"b.pgm", "P2 2 2 9\n1 2\n3 9\n"},
       {"c.pgm", std::string("P5 1 1 1000\n\1\2", 14)}},
      {{"a.idx", std::string("\0\0\x08\3\0\0\0\2\0\0\0\2\0\0\0\1abcd", 20)},
       {"b.idx", std::string("\0\0\x0c\2\0\0\0\1\0\0\0\2\0\0\0\5\0\0\1\0", 20)}},
      {{"docword.gz", gzip(docword_text)}, {"a.csv.gz", gzip("1,2\n3,4\n") + gzip("5,6\n")}},
  };
}

inline FileData load(const DataFile& file, const ReadSettings& settings = {}) {
  MemorySource source(file.bytes);
  return read_data(source, file.name, settings);
}

/// The message of the ScenarioError that loading ends in.
inline std::string refusal(const DataFile& file, const ReadSettings& settings = {}) {
  try {
    load(file, settings);
  } catch (const ScenarioError& e) {
    return e.what();
  }
  return "loaded";
}

inline Matrix dense(const Samples& s) {
  Matrix m = Matrix::Zero(s.rows(), s.cols());
  s.each([&](Index r, Index c, double v) { m(r, c) = v; });
  return m;
}

/// A folder of its own under the system's temporary one, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sotto::testing
