// SPDX-License-Identifier: MIT
// Two agents of the real runtime write one variable without a lock, at the same time. Built with
// ThreadSanitizer, this must be reported; the suppressions for oneTBB must not hide it.
#include <atomic>
#include <cstdio>

#include "network/runtime/runtime.h"

using namespace sotto;

int main() {
  Workers workers(2);
  const Topology pair(2, {{0, 1}});
  long shared = 0;
  std::atomic<int> here{0};
  run_agents(workers, pair, [&](Agent& me) -> Task<void> {
    me.compute(Operation::flop, 1);
    here.fetch_add(1, std::memory_order_relaxed);
    // both are running, and a relaxed counter orders nothing
    for (long spins = 0; here.load(std::memory_order_relaxed) < 2 && spins < 2'000'000'000; ++spins) {
    }
    for (int k = 0; k < 1000; ++k) ++shared;
    co_return;
  });
  std::printf("%ld\n", shared);
}
