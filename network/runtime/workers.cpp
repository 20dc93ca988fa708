// SPDX-License-Identifier: MIT
#include "network/runtime/workers.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <ctime>

namespace sotto {

namespace {
/// Passed by whoever hands TBB a token and by whoever takes one, so that all that was done before the first
/// happened before all that is done after the second, also in the eyes of ThreadSanitizer. Older than every
/// thread and every batch.
constinit std::mutex hand_over;

/// On this thread.
thread_local int jobs_under_way = 0;

void pass_hand_over() {
  const std::lock_guard lock(hand_over);
}
}  // namespace

struct Workers::Arena {
  Arena(int threads, int in_all)
      : limit(tbb::global_control::max_allowed_parallelism,
              static_cast<std::size_t>(std::max(threads, in_all))),
        arena(threads) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

struct Workers::Batch::Group {
  tbb::task_group tasks;
};

Workers::Workers(int threads, int in_all)
    : threads_(threads < 1 ? 1 : threads), arena_(std::make_unique<Arena>(threads_, in_all)) {}
Workers::~Workers() = default;

double Workers::run(const std::function<void(Batch&)>& start) {
  double cpu_seconds = 0;
  const auto whole_batch = [&] {
    Batch batch(threads_);
    start(batch);
    batch.wait();
    cpu_seconds = batch.cpu_seconds_;
  };
  arena_->arena.execute([&] {
    // A job that waits for a batch of its own is isolated: it takes no job of the outer batch, so waits do not nest
    // deeper. Whoever waits for the outermost batch helps with everything.
    if (jobs_under_way > 0)
      tbb::this_task_arena::isolate(whole_batch);
    else
      whole_batch();
  });
  return cpu_seconds;
}

Workers::Batch::Batch(int threads) : threads_(threads), group_(std::make_unique<Group>()) {}
Workers::Batch::~Batch() = default;

void Workers::Batch::post(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    if (draining_ == threads_) return;
    ++draining_;
  }
  // The token crosses uninstrumented code; what it leads to is read under the mutex.
  struct Token {
    Batch* batch;
    __attribute__((no_sanitize("thread"))) void operator()() const { batch->drain(); }
  };
  pass_hand_over();
  group_->tasks.run(Token{this});
}

void Workers::Batch::drain() {
  pass_hand_over();
  const double started = thread_cpu_seconds();
  for (;;) {
    Job job;
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.empty()) {
        --draining_;
        cpu_seconds_ += thread_cpu_seconds() - started;
        return;
      }
      job = jobs_.front();
      jobs_.pop_front();
    }
    ++jobs_under_way;
    job.run(job.what, job.with);
    --jobs_under_way;
  }
}

void Workers::Batch::wait() {
  group_->tasks.wait();
  const std::lock_guard lock(mutex_);  // the last drain() was done before this
}

std::string thread_library_version() {
  return TBB_VERSION_STRING;
}

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace sotto
