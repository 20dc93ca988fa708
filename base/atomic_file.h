// SPDX-License-Identifier: MIT
// Files that appear whole or not at all, and folders that one process at a time writes to.
// Tests: tests/core/results/output_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

/// Name and contents, in the order in which they get their names.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;

enum class Durable {
  now,   ///< on disk when the call returns
  later  ///< whenever the system writes it; somebody else waits for that (sync_file_system)
};

/// A new file under this name, instead of whatever was there. OutputError if it cannot be written whole: then there is
/// none.
void write_file(const std::string& path, std::string_view contents, Durable durable);
/// The same by way of another name: at any moment there is the old file or the new one, and the new one is on disk when
/// the call returns.
void replace_file(const std::string& path, std::string_view contents);
inline constexpr const char* partial_suffix = ".partial";

/// A file of any size under another name, until it is complete. Without `finish` nothing is left of it.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;

  void write(std::string_view text);
  /// On disk, under its name.
  void finish();

 private:
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::string partial_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// A whole file; OutputError if it cannot be read.
std::string read_file(const std::string& path);

/// Everything that was written to the file system of this folder is on disk when the call returns.
void sync_file_system(const std::string& folder);

/// A folder that this process holds: created if missing, locked against others. ScenarioError if it cannot be, naming who
/// holds it. What was created goes away again with the lock, unless `keep` was called or something is in it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }
  /// What was renamed in it is on disk.
  void sync() const;

 private:
  void acquire();
  void name_holder() const;
  void release();

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::string> created_;  ///< folders that were not there, innermost first
  bool kept_ = false;
};

}  // namespace sotto
