#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sums.py SOTTO: normalized secure sums (Tsikhanovich et al. 2019, table 3), held against their bars."""
import json
import subprocess
import sys
import tempfile

sotto = sys.argv[1]
missed = 0

with tempfile.NamedTemporaryFile(suffix=".json") as file:
    subprocess.run([sotto, "bench", "sums", "--repetitions", "9", "--json", file.name, "--quiet"], check=True)
    rows = [r for r in json.load(open(file.name)) if r["protocol"] == "normed"]

paper = {(2, 100): 1.4, (2, 1000): 11.5, (2, 10000): 113.9, (3, 100): 2.1, (3, 1000): 17.4, (3, 10000): 168.1,
         (4, 100): 3.5, (4, 1000): 29.3, (4, 10000): 293.0, (5, 100): 4.6, (5, 1000): 40.3, (5, 10000): 403.9}
bars = {(5, 10000): 25, (2, 100): 3}
for r in rows:
    at = (r["parties"], r["d"])
    ms = 1e3 * r["online_seconds"]
    bar = bars.get(at)
    good = bar is None or ms <= bar
    missed += not good
    mark = "      " if bar is None else "ok    " if good else "MISSED"
    print(f"{mark}  {at[0]} parties, d = {at[1]}: {ms:.3g} ms online, {1e3 * r['offline_seconds']:.3g} ms by the dealer before it"
          f" (the paper: {paper[at]} s){'' if bar is None else f', bar <= {bar} ms'}")
sys.exit(1 if missed else 0)
