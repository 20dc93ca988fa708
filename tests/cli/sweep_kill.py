# SPDX-License-Identifier: MIT
"""sweep_kill.py SOTTO KILLS: SIGKILL at random moments, --resume, and in the end the same bytes as an undisturbed sweep.

SOTTO_FULL: 200 kills, whatever is asked for (make reproduce).
"""
import filecmp
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sotto, kills = os.path.abspath(sys.argv[1]), 200 if "SOTTO_FULL" in os.environ else int(sys.argv[2])
seed = int(os.environ.get("SOTTO_KILL_SEED", time.time_ns() % 10**9))
print(f"SOTTO_KILL_SEED={seed}")
random.seed(seed)

SCENARIO = """
name = "killed"
trials = 2
[topology]
agents = 6
average_degree = 3
[data]
synthetic = { samples = 60, features = 12, rank = 3 }
held_out = 20
[algorithm]
rank = 3
outer_iterations = 61
stop = "never"
[output]
transcript = true
metrics_every = 5
[sweep]
"output.checkpoint_every" = [0, 7]
"exchange.quantization" = { from = 10, to = 100000, steps = 5, scale = "log" }
"exchange.scheme" = ["plain", "paillier"]
"exchange.key_bits" = [64, 256]
zip = ["exchange.scheme", "exchange.key_bits"]
[[method]]
name = "centralized"
set = { "algorithm.name" = "centralized" }
"""


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def check_same(folder, expected):
    if files(folder) != files(expected):
        sys.exit(f"other files than undisturbed: {set(files(folder)) ^ set(files(expected))}")
    for name in files(expected):
        if os.path.basename(name) != "timings.csv" and not filecmp.cmp(folder / name, expected / name, shallow=False):
            sys.exit(f"{name} differs from the undisturbed one")


def check_whole(folder):
    """What has a final name is complete, recorded or not."""
    for point in (folder / "points").glob("*"):
        if point.suffix != ".partial":
            check_same(point, expected / "points" / point.name)


def check_state(folder):
    """What is recorded as done is there, whole."""
    state = folder / "state.sqlite"
    if not state.exists():
        return 0
    database = sqlite3.connect(state)
    if database.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        sys.exit("state.sqlite is damaged")
    if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return 0
    done = database.execute("SELECT hash FROM points WHERE state = 'done'").fetchall()
    database.close()
    for (point,) in done:
        for name in files(expected / "points" / point):
            its = folder / "points" / point / name
            if not its.exists() or its.stat().st_size == 0:
                sys.exit(f"recorded as done, but not there: {its}")
    return len(done)


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    scenario = work / "s.toml"
    scenario.write_text(SCENARIO)
    command = [sotto, "sweep", str(scenario), "--quiet", "--jobs", "2", "--out"]
    expected = work / "undisturbed"
    started = time.monotonic()
    if subprocess.run(command + [str(expected)]).returncode != 0:
        sys.exit("the undisturbed sweep failed")
    whole = time.monotonic() - started

    killed = finished = most_done = 0
    folder = work / "killed-0"
    while killed < kills:
        process = subprocess.Popen(command + [str(folder), "--resume"], stderr=subprocess.PIPE)
        time.sleep(random.uniform(0 if killed else 0.3 * whole, 0.6 * whole))  # the first when something is done
        process.send_signal(signal.SIGKILL)
        errors = process.stderr.read().decode()
        code = process.wait()
        if code == -signal.SIGKILL:
            killed += 1
            check_whole(folder)
            most_done = max(most_done, check_state(folder))
        elif code != 0:
            sys.exit(f"exit code {code}: {errors}")
        if code == 0 or random.random() < 0.1:
            subprocess.run(command + [str(folder), "--resume"], check=True)
            check_same(folder, expected)
            finished += 1
            shutil.rmtree(folder)
            folder = work / f"killed-{finished}"
    if folder.exists() or finished == 0:
        subprocess.run(command + [str(folder), "--resume"], check=True)
        check_same(folder, expected)
        finished += 1
    print(f"{killed} kills of sweeps of {whole:.1f} s, {finished} completed to the same bytes, up to {most_done} points kept")
    if most_done == 0:
        sys.exit("no kill ever came after a recorded point: nothing was tested")
