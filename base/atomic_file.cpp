// SPDX-License-Identifier: MIT
#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace sotto {

namespace {

namespace fs = std::filesystem;

constexpr const char* holder_file = ".held-by";

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why) {
  throw ScenarioError({path, 0, 0}, "", "cannot be an output folder: " + why);
}

std::string holder_of(const std::string& path) {
  std::ifstream file(fs::path(path) / holder_file);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "" : ": " + line;
}

/// Better now than after hours of computing.
void refuse_unwritable(const std::string& path) {
  const std::string probe = (fs::path(path) / ".sotto-can-write").string();
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) refuse_folder(path, std::strerror(errno));
  ::close(fd);
  ::unlink(probe.c_str());
}

/// A new file; what was there goes first: it may be a link to somewhere else. Below zero: errno says why not.
int create(const std::string& path) {
  const auto open = [&] {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  };
  const int fd = open();
  if (fd >= 0 || errno != EEXIST) return fd;
  ::unlink(path.c_str());
  return open();
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(path), partial_(path + partial_suffix) {
  descriptor_ = create(partial_);
  if (descriptor_ < 0) fail();
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void FileWriter::fail() const {
  throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void FileWriter::write(std::string_view text) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  buffer_ += text;
  if (buffer_.size() >= enough) flush();
}

void FileWriter::flush() {
  if (!write_all(descriptor_, buffer_)) fail();
  buffer_.clear();
}

void FileWriter::finish() {
  flush();
  if (::fsync(descriptor_) != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) fail();
  ::close(descriptor_);
  descriptor_ = -1;
}

void write_file(const std::string& path, std::string_view contents, Durable durable) {
  const int fd = create(path);
  const bool good = fd >= 0 && write_all(fd, contents) && (durable == Durable::later || ::fsync(fd) == 0);
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (good) return;
  if (fd >= 0) ::unlink(path.c_str());
  throw OutputError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

void replace_file(const std::string& path, std::string_view contents) {
  const std::string partial = path + partial_suffix;
  write_file(partial, contents, Durable::now);
  if (std::rename(partial.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(partial.c_str());
  throw OutputError(fmt::format("cannot rename {}: {}", partial, std::strerror(error)));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw OutputError("cannot read " + path);
  return text;
}

void sync_file_system(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = fd >= 0 && ::syncfs(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!good) throw OutputError(fmt::format("cannot write {} to disk: {}", folder, std::strerror(error)));
}

FolderLock::FolderLock(const std::string& path) : path_(path) {
  std::error_code error;
  for (fs::path part = fs::absolute(path, error).lexically_normal();
       !part.empty() && part.has_relative_path(); part = part.parent_path()) {
    if (fs::exists(fs::symlink_status(part, error))) break;
    created_.push_back(part.string());
  }
  try {
    acquire();
    refuse_unwritable(path_);
    name_holder();
  } catch (...) {
    release();
    throw;
  }
}

FolderLock::~FolderLock() {
  release();
}

/// The folder that `path_` names now, made if missing, open and locked. One that another run took away between the two is
/// made again.
void FolderLock::acquire() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) refuse_folder(path_, error.message());
    const int fd = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) continue;
    if (fd < 0) refuse_folder(path_, std::strerror(errno));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd);
      throw ScenarioError({path_, 0, 0}, "", "another run is writing to this folder" + holder_of(path_));
    }
    struct stat locked {};
    struct stat named {};
    if (::fstat(fd, &locked) == 0 && ::stat(path_.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
        locked.st_ino == named.st_ino) {
      descriptor_ = fd;
      return;
    }
    ::close(fd);
  }
  refuse_folder(path_, "other runs keep taking it away");
}

/// For whoever finds the folder locked. Nobody's loss if there is no room for it.
void FolderLock::name_holder() const {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  try {
    write_file((fs::path(path_) / holder_file).string(),
               fmt::format("process {} on {}, since {:%Y-%m-%d %H:%M:%S} UTC\n", ::getpid(), host.data(),
                           fmt::gmtime(std::time(nullptr))),
               Durable::later);
  } catch (const OutputError&) {  // NOLINT(bugprone-empty-catch)
  }
}

void FolderLock::release() {
  std::error_code error;
  if (descriptor_ >= 0) fs::remove(fs::path(path_) / holder_file, error);
  for (std::size_t k = 0; k < created_.size() && !kept_; ++k)
    fs::remove(created_[k], error);  // only if still empty
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void FolderLock::sync() const {
  ::fsync(descriptor_);
}

}  // namespace sotto
