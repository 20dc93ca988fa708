// SPDX-License-Identifier: MIT
// A data file from front to end, once: bytes from disk (hashed as they lie there), unpacked on the way where they are gzip,
// handed to a format as text with line and column or as raw bytes. Nothing is ever allocated because a header says so:
// formats ask `plausible` first.
// Threading: belongs to one thread.
// Tests: tests/core/data/formats_test.cpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sotto {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to `size` bytes; 0 at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Bytes there are in all.
  virtual std::uint64_t size() const = 0;
};

/// ScenarioError if it cannot be opened or read. `hash` is SHA-256 of all bytes, once all are read.
class FileSource final : public ByteSource {
 public:
  FileSource(const std::string& path, std::string file_name);
  ~FileSource() override;
  std::size_t read(char* to, std::size_t size) override;
  std::uint64_t size() const override { return size_; }
  std::string hash();

 private:
  struct Digest;
  std::string file_name_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::unique_ptr<Digest> digest_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), left_(bytes) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t n = left_.copy(to, size);
    left_.remove_prefix(n);
    return n;
  }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  std::string_view bytes_, left_;
};

class DataReader {
 public:
  DataReader(ByteSource& source, std::string file_name);
  ~DataReader();

  const std::string& file_name() const { return file_name_; }
  /// Up to `size` bytes that come next, without taking them.
  std::string_view peek(std::size_t size) {
    fill(size);
    return {at_, std::min(size, static_cast<std::size_t>(end_ - at_))};
  }
  bool at_end() { return peek(1).empty(); }

  // Text. A word is at most `longest_word` bytes.
  static constexpr std::size_t longest_word = 1000;
  void skip_blanks() {
    do {
      while (at_ != end_ && blank(*at_)) ++at_;
    } while (at_ == end_ && !at_end());
  }
  /// Blanks are skipped; true at a line break or at the end.
  bool end_of_line();
  /// Over the line break, or an error that something is left on the line.
  void finish_line() {
    if (at_ != end_ && *at_ == '\n') return new_line();
    finish_long_line();
  }
  void skip_line();
  /// Blank lines, and lines that begin with `comment` (0: none).
  void skip_empty_lines(char comment) {
    if (at_ == end_ || *at_ < '0' || *at_ > '9') skip_more_lines(comment);
  }
  /// A whole number without sign, at most `most`.
  std::uint64_t whole(std::uint64_t most, const char* what) {
    skip_blanks();
    fill(longest_word);
    std::uint64_t value = 0;
    const char* first = at_;
    const char* longest = std::min(end_, at_ + 19);
    while (at_ != longest && static_cast<unsigned char>(*at_ - '0') < 10)
      value = 10 * value + static_cast<std::uint64_t>(*at_++ - '0');
    const bool ends = at_ == end_ || blank(*at_) || *at_ == '\n';
    if (at_ == first || !ends || value > most) refuse_whole(first, most, what);
    return value;
  }
  /// A finite number.
  double number(const char* what);
  /// Up to a blank or line break.
  std::string word();
  /// Up to the byte `end`, a line break, or the end of the file; not beyond `longest_word`.
  std::string_view field(char end);

  // Bytes.
  void take(void* to, std::size_t size);
  void skip(std::size_t size) {
    if (peek(size).size() < size) fail_file(ends_early);
    at_ += size;
  }

  /// An error unless so many items of so many bytes each (at least) can be in this file.
  void plausible(std::uint64_t items, std::uint64_t bytes_each, const char* what) const;
  /// The same for rows and columns of a sparse matrix, which may be empty, but not nearly all.
  void plausible_shape(std::uint64_t rows, std::uint64_t columns) const;
  /// How many of `items` to make room for at once: all of them in a plain file, what is usual in a packed one.
  std::uint64_t worth_reserving(std::uint64_t items) const;
  void expect_end();

  SourcePlace here() const;
  [[noreturn]] void fail(const std::string& problem) const { throw ScenarioError(here(), "", problem); }
  /// Without a line: for what is wrong with the whole, or with binary files.
  [[noreturn]] void fail_file(const std::string& problem) const {
    throw ScenarioError({file_name_, 0, 0}, "", problem);
  }

 private:
  static constexpr const char* ends_early = "ends too early";

  struct Unpacker;
  void fill(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) refill(size);
  }
  void refill(std::size_t size);
  std::size_t read_more(char* to, std::size_t size);
  std::uint64_t most_bytes() const;
  void new_line() {
    ++at_;
    ++line_;
    line_start_ = offset();
  }
  void finish_long_line();
  void skip_more_lines(char comment);
  [[noreturn]] void refuse_whole(const char* first, std::uint64_t most, const char* what);
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  std::uint64_t offset() const { return before_buffer_ + static_cast<std::uint64_t>(at_ - buffer_.data()); }

  ByteSource& source_;
  std::string file_name_;
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<char> buffer_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
  std::uint32_t line_ = 1;
  std::uint64_t before_buffer_ = 0;  ///< bytes that have left the buffer
  std::uint64_t line_start_ = 0;
};

}  // namespace sotto
