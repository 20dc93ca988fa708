#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads what Google Benchmark wrote (--benchmark_out) and holds it against the bars. Exit code 1 if one is missed."""
import json
import statistics
import sys

runs = [b for b in json.load(open(sys.argv[1]))["benchmarks"] if b["run_type"] == "iteration"]


def figures(name, counter):
    found = [b[counter] for b in runs if b["name"].startswith(name)]
    if not found:
        sys.exit(f"no benchmark called {name}")
    return found


bars = [
    ("1.2 kB messages a second, one core, 10 agents of degree 4 (millions)",
     statistics.median(figures("messages_one_core", "items_per_second")) / 1e6, ">=", 2.0),
    ("a million agents of degree 4, 3 rounds: peak memory (GB)", max(figures("million_agents", "peak_GB")), "<=", 6.0),
    ("docword, 10^6 x 10^4, 10^7 entries: loaded at (MB/s)", statistics.median(figures("load_docword/1", "MB_per_second")), ">=", 100.0),
    ("the same: peak memory over its sparse size", max(figures("load_docword/1", "memory_over_sparse")), "<=", 3.0),
    ("the same in no order: loaded at (MB/s)", statistics.median(figures("load_docword/0", "MB_per_second")), ">=", 100.0),
    ("the same in no order: peak memory over its sparse size", max(figures("load_docword/0", "memory_over_sparse")), "<=", 3.0),
    ("messages timed a second, 1000 agents of degree 4, full and half duplex (millions)",
     statistics.median(figures("replayed_messages", "items_per_second")) / 1e6, ">=", 1.0),
    ("1000 agents, 200 rounds, two threads (seconds)", max(figures("thousand_agents", "seconds")), "<=", 60.0),
    ("a secure sum of 10^4 numbers by 5 parties, edge-masks: processor time over what cannot be done without",
     statistics.median(figures("secure_sum/shares:0", "over_floor")), "<=", 2.0),
    ("the same, shares", statistics.median(figures("secure_sum/shares:1", "over_floor")), "<=", 2.0),
    ("20 trials: two threads against one (median of 7)", statistics.median(figures("twenty_trials", "speedup")), ">=", 1.8),
]
missed = 0
for what, value, sense, bar in bars:
    good = value >= bar if sense == ">=" else value <= bar
    missed += not good
    print(f"{'ok    ' if good else 'MISSED'}  {what}: {value:.3g}, bar {sense} {bar:g}")
sys.exit(1 if missed else 0)
