#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""golden.py SOTTO PROJECT [--update] [--only NAME]: every shipped scenario, made small, and the scenarios of cases/ give
the same files as before, with one thread and with two. expected/ has the SHA-256 of every file, and final.csv or sweep.csv
to read; --update writes them anew.

Left out: measured time, manifests, what names the scenario's hash, the SEAL in use. A scenario whose data or whose SEAL is
not on this machine is skipped."""
import argparse
import difflib
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

# Shipped scenarios: what makes them small.
SHIPPED = {
    "normed-secsum-table3": ["algorithm.outer_iterations=3", "sweep.topology.agents=[2, 4]",
                             "sweep.data.synthetic.features=[50, 300]"],
    "pdnmf-initializations": ["trials=1", "algorithm.outer_iterations=2", "algorithm.local_iterations=2",
                              "sweep.topology.agents=[3]", "sweep.algorithm.rank=[3, 5]"],
    "pdnmf-ratings": ["trials=2", "data.synthetic.samples=300", "data.synthetic.features=60",
                      "algorithm.local_iterations=8", "algorithm.outer_iterations=8", "output.metrics_every=4"],
    "pdnmf-topics": ["trials=1", "algorithm.rank=5", "algorithm.local_iterations=3", "algorithm.outer_iterations=3"],
    "pdsvd-lra": ["trials=1", "algorithm.rank=4", "algorithm.outer_iterations=4", "output.metrics_every=2"],
    "pdsvd-pcr": ["trials=2", "algorithm.outer_iterations=10"],
    "deepca-geometric": ["trials=1", "algorithm.outer_iterations=8"],
    "deepca-kos": ["trials=1", "algorithm.outer_iterations=3"],
    "ppdnmf-bfv": ["trials=1", "topology.agents=5", "data.synthetic.samples=100", "algorithm.outer_iterations=3",
                   "output.metrics_every=1"],
    "ppdnmf-experiment1": ["trials=2", "algorithm.outer_iterations=16", "output.metrics_every=5"],
    "ppdnmf-faces": ["algorithm.rank=9", "algorithm.outer_iterations=4", "output.metrics_every=2"],
    "ppdnmf-faces-bfv": ["algorithm.rank=4", "algorithm.outer_iterations=2"],
    "ppdnmf-faces-paillier": ["algorithm.rank=6", "algorithm.outer_iterations=3", "exchange.key_bits=512"],
    "ppdnmf-faces-published": ["algorithm.rank=6", "algorithm.outer_iterations=3", "algorithm.inner_iterations=4"],
    "ppdnmf-paillier": ["trials=2", "algorithm.outer_iterations=12", "exchange.key_bits=512"],
    "ppdnmf-published-128": ["algorithm.outer_iterations=3", "algorithm.inner_iterations=4", "output.metrics_every=1"],
    "ppdnmf-synthetic": ["trials=2", "algorithm.outer_iterations=31"],
    "ppdnmf-thousand": ["topology.agents=200", "data.synthetic.samples=4000", "algorithm.outer_iterations=11",
                        "output.metrics_every=5"],
    "scheme-comparison": ["topology.agents=4", "data.synthetic.samples=80", "algorithm.outer_iterations=3",
                          "exchange.key_bits=512", "output.metrics_every=2"],
    "sweep-key-size": ["algorithm.outer_iterations=4", "sweep.exchange.key_bits=[128, 512]"],
    "sweep-quantization": ["trials=2", "algorithm.outer_iterations=21"],
    "sweep-quantization-keysize": ["trials=1", "algorithm.outer_iterations=11", "sweep.exchange.key_bits=[256, 512]"],
}

# Methods of shipped scenarios have numbers of their own: no more than these.
MOST = {"outer_iterations": 6, "inner_iterations": 4}

# Runs that are timed again: case, and the settings of each time.
RETIMED = {
    "algorithms": [["link.latency_ms=50"], ["link.duplex=half", "link.bandwidth_mbit=0.5", "link.loss=0.1"]],
    "pd-svd": [["link.latency_ms=1", "cost.flop=1e-7"]],
    "topology-file": [["cost.speed.slow=[2]", "cost.speed.factor=0.1"]],
}

IGNORED = {"manifest.json", "timings.csv", "state.sqlite"}
THREADS = [1, 2]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto", type=pathlib.Path)
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", metavar="NAME")
    arguments = parser.parse_args()
    arguments.sotto = arguments.sotto.resolve()
    arguments.project = arguments.project.resolve()
    return arguments


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


class Golden:
    def __init__(self, sotto, project, work):
        self.sotto = sotto
        self.work = work
        self.expected = project / "tests/golden/expected"
        self.data = pathlib.Path(os.environ.get("SOTTO_DATA") or project / "../shared/data").resolve()
        self.environment = {**os.environ, "SOTTO_DATA": str(self.data), "SOTTO_KEYS": str(work / "keys")}
        # Copied, so that no path of this machine is in what the program says.
        shutil.copytree(project / "scenarios", work / "scenarios")
        shutil.copytree(project / "tests/golden/cases", work / "cases")
        for file in (work / "scenarios").glob("*.toml"):
            file.write_text(re.sub(r'("algorithm\.(\w+)" = )(\d+)', fewer, file.read_text()))
        self.cases = {f.stem: f.relative_to(work) for folder in ("scenarios", "cases")
                      for f in sorted((work / folder).glob("*.toml"))}
        self.has_seal = not re.search(r"SEAL +not compiled in; (?!node-seal)", self.output("info")[1])

    def output(self, *arguments):
        done = subprocess.run([self.sotto, *arguments], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def check_needs(self, name):
        """What a scenario needs and this machine does not have is a reason to skip it."""
        text = (self.work / self.cases[name]).read_text()
        for file in re.findall(r'^file = "([^"]*)"', text, re.MULTILINE):
            if not (self.work / self.cases[name].parent / file).exists() and not (self.data / file).exists():
                raise Skipped(f"there is no {file}")
        if re.search(r'"(bfv|bfv-fast|ckks)"', text) and not self.has_seal:
            raise Skipped("there is no SEAL")

    def run(self, name, threads):
        """All that a case writes and says: contents by name."""
        scenario = self.cases[name]
        if scenario.parts[0] == "scenarios" and name not in SHIPPED:
            raise Failed("the table in golden.py does not say how to make this scenario small")
        settings = [a for s in SHIPPED.get(name, []) for a in ("--set", s)]
        is_sweep = re.search(r"^\[sweep\]", (self.work / scenario).read_text(), re.MULTILINE) is not None
        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)
        command = ["sweep", "--jobs", str(threads)] if is_sweep else ["run"]
        files = {"stdout.txt": self.said([*command, scenario, *settings, "--threads", str(threads), "--out", name])}
        files["compare.csv"] = self.said(["compare", "--csv", name])
        if not is_sweep:
            files["resolved.toml"] = self.said(["validate", "--resolved", scenario, *settings])
            files["topology.txt"] = self.said(["topo", scenario, *settings])
        files.update(self.collect(out))
        for k, again in enumerate(RETIMED.get(name, [])):
            folder = f"{name}-retimed-{k}"
            shutil.rmtree(self.work / folder, ignore_errors=True)
            self.said(["retime", name, *(a for s in again for a in ("--set", s)), "--out", folder])
            files.update({f"retimed-{k}/{file}": data for file, data in self.collect(self.work / folder).items()})
        for file, data in files.items():
            for path in (self.work, self.data):
                if os.fsencode(path) in data:
                    raise Failed(f"{file} names a folder of this machine")
        return files

    def said(self, arguments):
        code, out, err = self.output(*map(str, arguments))
        if code not in (0, 4):  # 4: a sweep in which points failed
            raise Failed(f"exit code {code} of sotto {' '.join(map(str, arguments))}: {err.strip()}")
        return (out + (f"exit code {code}\n" if code else "")).encode()

    @staticmethod
    def collect(folder):
        """The files of an output folder, without what may differ."""
        hashes = {}  # of scenarios: what they are called instead
        if (folder / "manifest.json").exists():
            hashes[json.loads((folder / "manifest.json").read_text())["scenario_hash"]] = "scenario"
        else:
            for point in json.loads((folder / "summary.json").read_text())["results"]:
                if point.get("hash"):
                    hashes[point["hash"]] = f"{point['point']:03}"

        def without_hashes(data):
            for digest, instead in hashes.items():
                data = data.replace(digest.encode(), instead.encode())
            return data

        files = {}
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            if path.name in IGNORED or path.name.startswith("."):
                continue
            data = path.read_bytes()
            if path.name == "events.bin":
                data = portable_events(data)
            elif path.suffix != ".png":
                data = re.sub(rb'\s*"computed by [^"]*",?', b"", without_hashes(data))
            if any(digest.encode() in data for digest in hashes):
                raise Failed(f"{path.relative_to(folder)} holds the hash of its scenario")
            files[without_hashes(str(path.relative_to(folder)).encode()).decode()] = data
        return files

    def check(self, name, update):
        """Raises Failed with what differs."""
        self.check_needs(name)
        runs = [self.run(name, threads) for threads in THREADS]
        sums = [{file: hashlib.sha256(data).hexdigest() for file, data in files.items()} for files in runs]
        if sums[0] != sums[1]:
            raise Failed(f"one thread and two differ in {', '.join(differing(sums[0], sums[1]))}")
        table = "sweep.csv" if "sweep.csv" in runs[0] else "final.csv"
        sums_file = self.expected / f"{name}.sha256"
        table_file = self.expected / f"{name}.{table}"
        if update:
            sums_file.write_text("".join(f"{digest}  {file}\n" for file, digest in sorted(sums[0].items())))
            table_file.write_bytes(runs[0][table])
            return
        if not sums_file.exists():
            raise Failed("nothing is expected yet: --update writes it")
        expected = {file: digest for digest, file in
                    (line.split("  ", 1) for line in sums_file.read_text().splitlines())}
        if expected != sums[0]:
            old = table_file.read_text().splitlines() if table_file.exists() else []
            raise Failed(f"these differ: {', '.join(differing(expected, sums[0]))}\n"
                         + difference(old, runs[0][table].decode().splitlines()))


def fewer(setting):
    text, key, value = setting.groups()
    return text + str(min(int(value), MOST.get(key, int(value))))


def portable_events(data):
    """events.bin (core/experiment/recording.h) without the scenario's hash; unpacked, where the SEAL in use is named."""
    def block(at):
        length, = struct.unpack_from("<Q", data, at)
        return data[at + 8:at + 8 + length], at + 8 + length

    version, at = block(0)
    _, at = block(at)
    rest = at
    count, = struct.unpack_from("<Q", data, at)
    at += 8
    unpacked = []
    for _ in range(count):
        packed, at = block(at)
        unpacked.append(zlib.decompress(packed[8:]))
    if any(b"computed by " in u for u in unpacked):
        return version + b"".join(without_engine(u) for u in unpacked)
    return version + data[rest:]


def without_engine(recorded):
    while (at := recorded.find(b"computed by ")) >= 0:
        length, = struct.unpack_from("<Q", recorded, at - 8)
        recorded = recorded[:at - 8] + recorded[at + length:]
    return recorded


def differing(before, now):
    return [file for file in sorted({*before, *now}) if before.get(file) != now.get(file)]


def difference(old, new, shown=12):
    """A few of the cells that differ, by line and column."""
    names = old[0].split(",") if old else []
    if not old or len(old) != len(new) or old[0] != new[0]:
        lines = list(difflib.unified_diff(old, new, "expected", "now", lineterm="", n=0))
        return "\n".join("    " + line[:200] for line in lines[:shown])
    cells = [f"    line {k + 1}, {name}: {a} is {b} now" for k, (line, other) in enumerate(zip(old, new))
             for name, a, b in zip(names, line.split(","), other.split(",")) if a != b]
    more = [f"    and {len(cells) - shown} more"] if len(cells) > shown else []
    return "\n".join(cells[:shown] + more)


def main():
    arguments = parse_arguments()
    passed, failed, skipped = 0, 0, 0
    with tempfile.TemporaryDirectory() as work:
        golden = Golden(arguments.sotto, arguments.project, pathlib.Path(work).resolve())
        golden.expected.mkdir(exist_ok=True)
        names = [n for n in golden.cases if arguments.only in (None, n)]
        if not names:
            sys.exit(f"there is no {arguments.only}: {', '.join(golden.cases)}")
        gone = {f for f in golden.expected.iterdir() if f.name.split(".")[0] not in golden.cases}
        for file in sorted(gone):
            if arguments.update:
                file.unlink()
            else:
                print(f"FAILED: {file.name} is expected of a scenario that is not there")
                failed += 1
        for name in names:
            started = time.monotonic()
            try:
                golden.check(name, arguments.update)
                print(f"{'written' if arguments.update else 'ok'}: {name} ({time.monotonic() - started:.1f} s)", flush=True)
                passed += 1
            except Skipped as why:
                print(f"skipped: {name} ({why})", flush=True)
                skipped += 1
            except Failed as why:
                print(f"FAILED: {name}: {why}", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


main()
