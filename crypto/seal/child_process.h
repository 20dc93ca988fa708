// SPDX-License-Identifier: MIT
// A program that works for this one over one socket, which is its standard input and output. It is told to end by the end of
// its input, and does not outlive this object. It has a process group of its own: a Ctrl-C for us is none for it.
// Threading: belongs to whoever holds it.
// Tests: tests/crypto/seal_test.cpp
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace sotto {

class ChildProcess {
 public:
  /// RunError if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;

  /// False: it is gone.
  bool write(std::span<const std::uint8_t> bytes);
  /// Exactly so many bytes. False: it is gone.
  bool read(std::span<std::uint8_t> bytes);

  pid_t pid() const { return pid_; }
  /// After `write` or `read` said so: how it ended and the end of what it wrote to its standard error.
  std::string last_words();

 private:
  void end();

  pid_t pid_ = -1;
  int socket_ = -1;
  int errors_ = -1;  ///< a file in memory
  int status_ = 0;
};

}  // namespace sotto
