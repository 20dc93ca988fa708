// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM: the first asks whatever runs to save itself at its next boundary, a second one ends the program at
// once.
#pragma once

#include <atomic>
#include <csignal>

namespace sotto {

inline std::atomic<bool> interrupt_requested{false};

extern "C" inline void on_interrupt(int signal) {
  interrupt_requested.store(true);
  std::signal(signal, SIG_DFL);
}

inline void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

}  // namespace sotto
