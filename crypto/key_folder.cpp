// SPDX-License-Identifier: MIT
#include "crypto/key_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sotto {

std::string key_folder_path() {
  if (const char* given = std::getenv("SOTTO_KEYS"); given != nullptr && *given != '\0') return given;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::string(cache) + "/sotto/keys";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/sotto/keys";
  return {};
}

KeyFolder::KeyFolder(std::string path, bool create) : path_(std::move(path)) {
  if (!create) return;
  std::error_code problem;
  const bool made = std::filesystem::create_directories(path_, problem);
  if (problem) throw RunError(fmt::format("{}: cannot make a folder for keys: {}", path_, problem.message()));
  if (made) ::chmod(path_.c_str(), 0700);
}

std::optional<Bytes> KeyFolder::find(const std::string& name) {
  const std::string file = path_ + "/" + name;
  if (!std::filesystem::exists(file)) return {};
  return read_key_file(file);
}

void KeyFolder::keep(const std::string& name, const Bytes& key) {
  if (std::filesystem::is_directory(path_)) write_secret_file(path_ + "/" + name, key);
}

void write_secret_file(const std::string& path, const Bytes& bytes) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());  // mode 0600
  if (file < 0) throw RunError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  bool good = true;
  for (std::size_t at = 0; good && at < bytes.size();) {
    const ssize_t written = ::write(file, bytes.data() + at, bytes.size() - at);
    good = written > 0;
    if (good) at += static_cast<std::size_t>(written);
  }
  good = ::fsync(file) == 0 && good;
  good = ::close(file) == 0 && good;
  good = good && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (good) return;
  const std::string why = std::strerror(errno);
  ::unlink(temporary.c_str());
  throw RunError(fmt::format("{}: cannot be written: {}", path, why));
}

Bytes read_key_file(const std::string& path) {
  constexpr std::size_t largest = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw RunError(path + ": cannot be read");
  Bytes bytes;
  char part[4096];
  while (bytes.size() <= largest && (file.read(part, sizeof(part)), file.gcount() > 0))
    bytes.insert(bytes.end(), part, part + file.gcount());
  if (bytes.size() > largest) throw CryptoError(path + ": is too long for a key");
  return bytes;
}

}  // namespace sotto
