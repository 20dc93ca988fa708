# SPDX-License-Identifier: MIT
"""sweep_figures.py SOTTO PROJECT: what the shipped sweeps must show."""
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

sotto, project = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
failures = 0


def check(good, what):
    global failures
    failures += not good
    print("ok    " if good else "FAILED", what, flush=True)


def sweep(name, out, *more):
    scenario = project / "scenarios" / (name + ".toml")
    subprocess.run([sotto, "sweep", scenario, "--quiet", "--out", out, *more], check=True)
    with open(out / "sweep.csv", newline="") as file:
        return list(csv.DictReader(file))


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    # Gap over the resolution: within a factor of two of the note's figures. The small ones are of single slow trials, so
    # there two standard errors of the mean are allowed as well.
    rows = [r for r in sweep("sweep-quantization", work / "quantization") if r["method"] == "corrected"]
    means = {}
    for resolution, expected in {10: 5.8, 100: 0.85, 1000: 0.02, 10000: 0.02}.items():
        gaps = [float(r["gap_percent"]) for r in rows if float(r["exchange.quantization"]) == resolution]
        mean, error = statistics.mean(gaps), statistics.stdev(gaps) / len(gaps) ** 0.5
        means[resolution] = mean
        slack = 2 * error if expected < 0.1 else 0
        check(len(gaps) == 20 and expected / 2 - slack <= mean <= 2 * expected + slack,
              f"N_max {resolution}: gap {mean:.3f} +- {error:.3f} %, expected {expected}")
    check(means[10] > means[100] > means[1000] >= means[10000], "the gap falls with the resolution")

    # Key sizes: every metric is the same to the last digit, cost grows.
    rows = sweep("sweep-key-size", work / "keys", "--set", "sweep.exchange.key_bits=[128, 512, 1024]")
    check(len(rows) == 9 and len({r["nmse_mean_x"] for r in rows}) == 1, "all keys give the same factors")
    for kind in ("standard", "djn", "subgroup"):
        cost = [float(r["sim_seconds"]) for r in rows if r["exchange.keys"] == kind]
        check(cost == sorted(cost) and cost[0] < cost[-1], f"{kind}: longer keys take longer: {cost}")
    rows = [r for r in sweep("sweep-quantization-keysize", work / "crossed") if r["method"] == "corrected"]
    check(len(rows) == 27, "resolution and key size crossed")
    for trial in ("0", "1", "2"):
        for resolution in {r["exchange.quantization"] for r in rows}:
            same = {r["objective"] for r in rows if (r["trial"], r["exchange.quantization"]) == (trial, resolution)}
            check(len(same) == 1, f"trial {trial}, N_max {resolution}: the same for all key sizes")
    listed = subprocess.run([sotto, "sweep", project / "scenarios/sweep-key-size.toml", "--dry-run"], capture_output=True, text=True)
    check(listed.returncode == 0 and "21 points, 0 of them invalid" in listed.stdout, "all key sizes are valid")
sys.exit(failures > 0)
