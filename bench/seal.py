#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""seal.py SOTTO: SEAL against Paillier on messages of MIT-CBCL's size, held against its bars. One run measures both."""
import json
import statistics
import subprocess
import sys
import tempfile

sotto = sys.argv[1]
missed = []


def bar(what, value, limit):
    good = value >= limit
    print(f"{'ok    ' if good else 'MISSED'}  {what}: {value:.3g}, bar >= {limit:g}", flush=True)
    if not good:
        missed.append(what)


with tempfile.NamedTemporaryFile(suffix=".json") as file:
    # 361 x 49 entries; integers as ppdnmf-faces-bfv.toml has them
    subprocess.run([sotto, "bench", "crypto", "--quiet", "--entries", "17689", "--value-bits", "20", "--factor-bits", "17",
                    "--repetitions", "9", "--json", file.name], check=True)
    rows = json.load(open(file.name))


def per_entry(scheme, keys):
    found = [r["seconds_per_entry"] for r in rows if (r["scheme"], r["keys"], r["operation"]) == (scheme, keys, "exchange")]
    return found[0] if found else None


djn = per_entry("paillier", "djn")
print(f"        djn, 2048 bits: {1e6 * djn:.2f} us an entry")
for scheme in ("bfv", "bfv-fast", "ckks"):
    for engine, limit in (("node", 10), ("native", 50)):
        ours = per_entry(scheme, engine)
        if ours is None:
            print(f"skipped: {scheme}, {engine}: not on this machine")
            continue
        print(f"        {scheme}, {engine}: {1e6 * ours:.2f} us an entry")
        if scheme == "bfv":
            bar(f"{scheme}, {engine}: times cheaper than djn", djn / ours, limit)
sys.exit(f"below the bar: {', '.join(missed)}" if missed else 0)
