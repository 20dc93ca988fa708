// SPDX-License-Identifier: MIT
#include "crypto/seal/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace sotto {

namespace {

/// What a child is started with: its three files, a group of its own, and the signals that we handle as they were.
struct SpawnSettings {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  SpawnSettings(int socket, int errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends{-1, -1};
  errors_ = ::memfd_create("sotto-child-errors", MFD_CLOEXEC);
  if (errors_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    const int error = errno;
    end();
    throw RunError(fmt::format("cannot start {}: {}", command.front(), std::strerror(error)));
  }
  // where a standard file is closed, these would take its number
  for (int* const fd : {&errors_, &ends[0], &ends[1]}) {
    const int moved = ::fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(*fd);
    *fd = moved;
  }
  socket_ = ends[0];
  constexpr int buffer = 1 << 20;
  for (const int end : ends)
    for (const int which : {SO_SNDBUF, SO_RCVBUF})
      ::setsockopt(end, SOL_SOCKET, which, &buffer, sizeof(buffer));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const SpawnSettings settings(ends[1], errors_);
  const int code =
      ::posix_spawnp(&pid_, arguments[0], &settings.files, &settings.attributes, arguments.data(), environ);
  ::close(ends[1]);
  if (code == 0) return;
  pid_ = -1;
  end();
  throw RunError(fmt::format("cannot start {}: {}", command.front(), std::strerror(code)));
}

ChildProcess::~ChildProcess() {
  end();
}

bool ChildProcess::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool ChildProcess::read(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

/// It ends by itself when its input does, or is made to.
void ChildProcess::end() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (pid_ > 0) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (::waitpid(pid_, &status_, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > give_up) ::kill(pid_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  pid_ = -1;
  if (errors_ >= 0) ::close(errors_);
  errors_ = -1;
}

std::string ChildProcess::last_words() {
  constexpr std::size_t most = 600;
  std::string text(most, '\0');
  const off_t size = ::lseek(errors_, 0, SEEK_END);
  const off_t from = size > static_cast<off_t>(most) ? size - static_cast<off_t>(most) : 0;
  const ssize_t n = ::pread(errors_, text.data(), most, from);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  end();
  const std::string how = WIFSIGNALED(status_) ? fmt::format("was killed by signal {}", WTERMSIG(status_))
                                               : fmt::format("ended with code {}", WEXITSTATUS(status_));
  return text.empty() ? how : fmt::format("{}: {}", how, text);
}

}  // namespace sotto
