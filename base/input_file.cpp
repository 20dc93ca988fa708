// SPDX-License-Identifier: MIT
#include "base/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace sotto {

std::string locate_input(const std::string& folder, const std::string& name, const SourcePlace& place,
                         const std::string& key) {
  const std::filesystem::path here = std::filesystem::path(folder) / name;
  std::error_code error;
  if (std::filesystem::exists(here, error)) return here.string();
  const char* data = std::getenv("SOTTO_DATA");
  if (data == nullptr || *data == 0)
    throw ScenarioError(
        place, key,
        fmt::format("there is no \"{}\" (the environment's SOTTO_DATA can name another folder)",
                    here.string()));
  const std::filesystem::path there = std::filesystem::path(data) / name;
  if (!std::filesystem::exists(there, error))
    throw ScenarioError(place, key,
                        fmt::format("there is neither \"{}\" nor \"{}\"", here.string(), there.string()));
  return there.string();
}

std::string read_input(const std::string& path, const SourcePlace& place, const std::string& key) {
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  const auto refuse = [&](const std::string& why) { throw ScenarioError(place, key, why); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse(fmt::format("there is no file \"{}\"", path));
  if (std::filesystem::is_directory(status)) refuse(fmt::format("\"{}\" is a folder", path));
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    refuse(fmt::format("\"{}\" is no file", path));
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) refuse(fmt::format("\"{}\" cannot be opened: {}", path, std::strerror(errno)));
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  std::size_t got = 0;
  while (text.size() <= max_bytes && (got = std::fread(block.data(), 1, block.size(), file)) > 0)
    text.append(block.data(), got);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) refuse(fmt::format("\"{}\" cannot be read", path));
  if (text.size() > max_bytes) refuse(fmt::format("\"{}\" is larger than {} bytes", path, max_bytes));
  return text;
}

}  // namespace sotto
