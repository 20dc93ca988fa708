// SPDX-License-Identifier: MIT
// The errors Sotto throws. `main` turns those that reach it into exit codes. Not all do: a sweep notes the error of a point and runs
// the others, and where a file, an agent or a setting must be named an error is caught and thrown again with it.
//   ScenarioError  exit 2   the user's input: names file, line, column, setting and what is allowed
//   UnknownWord    exit 1   a word that no enumeration or table has, given to the library
//   CryptoError    exit 1   a value out of its range, an exhausted noise budget: never a wrong number
//   FormatError    exit 1   bytes that are not what they should be (a message, a saved state)
//   RunError       exit 1   anything else that ends a run: a deadlock
//   OutputError    exit 1   a RunError: what was computed cannot be written (a full disk, no permission)
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sotto {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CryptoError : public Error {
 public:
  using Error::Error;
};

class FormatError : public Error {
 public:
  using Error::Error;
};

inline void require_format(bool good, const char* otherwise) {
  if (!good) throw FormatError(otherwise);
}

class UnknownWord : public Error {
 public:
  using Error::Error;
};

class RunError : public Error {
 public:
  using Error::Error;
};

class OutputError : public RunError {
 public:
  using RunError::RunError;
};

/// Where a setting was written: a file with line and column, or a command-line option (line 0).
struct SourcePlace {
  std::string source;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  std::string text() const {
    if (line == 0) return source;
    return source + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

class ScenarioError : public Error {
 public:
  /// `setting`: its full path, empty where the input as a whole is wrong.
  ScenarioError(const SourcePlace& place, const std::string& setting, const std::string& problem)
      : Error(place.text() + ": " + (setting.empty() ? "" : setting + ": ") + problem), setting_(setting) {}

  const std::string& setting() const { return setting_; }

 private:
  std::string setting_;
};

}  // namespace sotto
