// SPDX-License-Identifier: MIT
// Threads. `Workers` owns them; a `Batch` is a queue of jobs that they empty. workers.cpp is the only file
// that names oneTBB. Batches nest: a job may start a batch of its own and wait for it (a trial starts its
// agents).
//
// The queue is protected by a mutex of ours and TBB is handed empty tokens ("somebody look at the queue"), so
// that every hand-over between threads goes through a lock that ThreadSanitizer can see: Debian's libtbb is
// not instrumented.
// Tests: tests/network/runtime/runtime_test.cpp
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace sotto {

class Workers {
 public:
  /// At least one thread; the caller of `run` counts as one. `in_all`: of all Workers that are there at the same time.
  explicit Workers(int threads, int in_all = 0);
  ~Workers();
  Workers(const Workers&) = delete;

  int threads() const { return threads_; }

  class Batch;
  /// Calls `start` with a new batch and returns when all its jobs, and the jobs they posted, are done: with
  /// the processor seconds that they took, over all threads.
  double run(const std::function<void(Batch&)>& start);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

/// Jobs must not throw. Threading: `post` from any thread.
class Workers::Batch {
 public:
  struct Job {
    void (*run)(void* what, void* with);
    void* what;
    void* with;
  };

  void post(const Job& job);
  ~Batch();

 private:
  friend class Workers;
  struct Group;
  explicit Batch(int threads);
  void drain();
  void wait();

  std::mutex mutex_;
  std::deque<Job> jobs_;
  int draining_ = 0;
  double cpu_seconds_ = 0;
  int threads_;
  std::unique_ptr<Group> group_;
};

std::string thread_library_version();

/// Processor time of the calling thread.
double thread_cpu_seconds();

}  // namespace sotto
