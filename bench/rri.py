#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rri.py RRI_TIME: RRI-NMF against scikit-learn's NMF (coordinate descent), on the data in $SOTTO_DATA.

Both start from the same NNDSVDa factors: the mean in place of zeros, because scikit-learn's and RRI-NMF's way from plain
NNDSVD leads to different local minima on Reuters. scikit-learn runs to its own tolerance; RRI-NMF until its objective is
as low. One thread each, only the fit is timed, medians of alternating runs. A fair comparison needs a fast BLAS under
scikit-learn (Debian: libopenblas0-pthread); the BLAS in use is printed.
"""
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

rri_time = sys.argv[1]
data = os.environ.get("SOTTO_DATA", "shared/data")
runs = 5
missed = []


def bar(what, value, limit):
    good = value <= limit
    print(f"{'ok    ' if good else 'MISSED'}  {what}: {value:.3g}, bar <= {limit:g}", flush=True)
    if not good:
        missed.append(what)


def blas():
    with open("/proc/self/maps") as maps:
        names = {line.split("/")[-1].strip() for line in maps}
    return sorted(name for name in names if name.startswith("lib") and "blas" in name)


def docword(path):
    with gzip.open(path, "rt") as file:
        shape = int(file.readline()), int(file.readline())
        entries = np.loadtxt(file, skiprows=1)
    where = entries[:, :2].astype(int) - 1
    return scipy.sparse.csr_matrix((entries[:, 2], (where[:, 0], where[:, 1])), shape)


def read(path):
    if path.endswith(".npy"):
        return np.load(path).astype(float)
    if "docword" in path:
        return docword(path)
    return scipy.sparse.csr_matrix(scipy.io.mmread(path), dtype=float)


def scikit_learn(X, W, T, rank):
    """Seconds, iterations and final objective."""
    model = NMF(rank, init="custom", solver="cd", max_iter=200, tol=1e-4)
    W, T = W.copy(), np.ascontiguousarray(T.T)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit_transform(X, W=W, H=T)
    return time.perf_counter() - begin, model.n_iter_, 0.5 * model.reconstruction_err_**2


class Rri:
    def __init__(self, path, rank, scale):
        self.process = subprocess.Popen([rri_time, path, str(rank), repr(scale)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]


def compare(name, file, rank, scale=1.0):
    path = os.path.join(data, file)
    if not os.path.exists(path):
        print(f"skipped: there is no {path}")
        return
    X = read(path) * scale
    samples, features = X.shape
    ours = Rri(path, rank, scale)
    with tempfile.NamedTemporaryFile() as start:
        ours.ask(f"start {start.name}")
        both = np.fromfile(start.name)
    W = both[: samples * rank].reshape(samples, rank)
    T = both[samples * rank:].reshape(features, rank)
    theirs, mine = [], []
    for _ in range(runs):
        theirs.append(scikit_learn(X, W, T, rank))
        mine.append(ours.ask(f"run {theirs[-1][2]!r}"))
    seconds, iterations, objective = (statistics.median(column) for column in zip(*theirs))
    our_seconds, sweeps, our_objective = (statistics.median(column) for column in zip(*mine))
    stored, peak = ours.ask("memory")
    ours.process.communicate()
    print(f"{name}, rank {rank}: scikit-learn {seconds:.3f} s, {iterations:g} iterations, objective {objective:.8g};"
          f" RRI-NMF {our_seconds:.3f} s, {sweeps:g} sweeps, objective {our_objective:.8g}")
    if our_objective > objective:
        missed.append(f"{name}: scikit-learn's objective was not reached")
    bar(f"{name}, rank {rank}: time of RRI-NMF / scikit-learn", our_seconds / seconds, 1)
    factors = 8 * rank * (samples + features)
    bar(f"{name}, rank {rank}: peak memory beyond data and start / (data + factors)", peak / (stored + factors), 3)


print("BLAS:", ", ".join(blas()))
compare("KOS", "docword.kos.txt.gz", 20)
compare("Reuters", "reuters21578_8293x18933_counts.mtx.gz", 20)
compare("Reuters", "reuters21578_8293x18933_counts.mtx.gz", 40)
compare("CBCL", "cbcl_train_faces_2429x361_u8.npy", 49, 1 / 255)
sys.exit(f"above the bar: {', '.join(missed)}" if missed else 0)
