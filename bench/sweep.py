#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sweep.py SOTTO: what a sweep costs besides its points, held against its bars."""
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sotto = os.path.abspath(sys.argv[1])
root = pathlib.Path(__file__).resolve().parent.parent
failures = []

TINY = """
name = "tiny"
[topology]
generator = "path"
agents = 2
[data]
synthetic = { samples = 4, features = 2, rank = 1 }
[algorithm]
rank = 1
outer_iterations = 2
stop = "never"
[sweep]
seed = { from = 1, to = 10000, steps = 10000 }
"""

EQUAL = """
name = "equal"
trials = 4
[topology]
agents = 10
[data]
held_out = 200
[algorithm]
outer_iterations = 101
stop = "never"
[output]
metrics_every = 5
[sweep]
seed = { from = 1, to = 40, steps = 40 }
"""


def bar(name, value, bound, unit, at_least=False):
    good = value >= bound if at_least else value <= bound
    print(f"{'ok  ' if good else 'FAIL'} {name}: {value:.3g} {unit} (bar: {'at least' if at_least else 'at most'} {bound:g})")
    if not good:
        failures.append(name)


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def files_alone(work, attempt):
    """Milliseconds for nine small files in a folder of their own, as a point has: what the file system takes."""
    started = time.monotonic()
    for k in range(2000):
        folder = work / f"files{attempt}" / str(k)
        os.makedirs(folder)
        for name in range(9):
            with open(folder / str(name), "w") as file:
                file.write("x" * 500)
    return 1e3 * (time.monotonic() - started) / 2000


def tiny_points(work, attempt):
    """10,000 points, one at a time: time besides the runs themselves, and memory early and late."""
    scenario = work / "tiny.toml"
    scenario.write_text(TINY)
    out = work / f"tiny{attempt}"
    started = time.monotonic()
    process = subprocess.Popen([sotto, "sweep", scenario, "--quiet", "--jobs", "1", "--out", out])
    memory = {}
    while process.poll() is None:
        try:
            done = len(os.listdir(out / "points"))
            memory[done] = resident(process.pid)
        except (FileNotFoundError, ProcessLookupError, IndexError):
            pass
        time.sleep(0.05)
    seconds = time.monotonic() - started
    assert process.returncode == 0
    runs = sum(float(row["wall_seconds"]) for row in csv.DictReader(open(out / "timings.csv")))
    early = max(v for done, v in memory.items() if 1000 <= done <= 3000)
    late = max(v for done, v in memory.items() if 8000 <= done < 10000)  # before the files over all points
    return 1e3 * (seconds - runs) / 10000, (late - early) / 1e6, late / 1e6


def seconds_of(scenario, out, jobs):
    started = time.monotonic()
    subprocess.run([sotto, "sweep", scenario, "--quiet", "--jobs", str(jobs), "--out", out], check=True)
    return time.monotonic() - started


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    # ext4 creates files slowly for half a minute after many were deleted: then once more
    for attempt in range(3):
        overhead, growth, most = tiny_points(work, attempt)
        print(f"     attempt {attempt + 1}: {overhead:.2f} ms a point besides its run; files alone, written by a script: {files_alone(work, attempt):.2f} ms")
        if overhead <= 1:
            break
        time.sleep(40)
    bar("overhead of a point, 10,000 tiny ones", overhead, 1, "ms")
    bar("memory gained between the 3,000th and the 10,000th point", growth, 2, "MB")
    print(f"     memory at the end: {most:.0f} MB")
    scenario = work / "equal.toml"
    scenario.write_text(EQUAL)
    ratios = []
    for k in range(5):
        one = seconds_of(scenario, work / f"one{k}", 1)
        ratios.append(one / seconds_of(scenario, work / f"two{k}", 2))
    if os.cpu_count() >= 2:
        bar("--jobs 2 against --jobs 1, median of 5", statistics.median(ratios), 1.8, "times as fast", at_least=True)
    for name in ("sweep-quantization", "sweep-key-size"):
        bar(name, seconds_of(root / "scenarios" / (name + ".toml"), work / name, os.cpu_count()), 600, "s")
    names = subprocess.run(["diff", "-rq", "-x", "timings.csv", work / "one0", work / "two0"], capture_output=True, text=True)
    bar("files that differ between them", len(names.stdout.splitlines()), 0, "files")
sys.exit(f"below the bar: {', '.join(failures)}" if failures else 0)
