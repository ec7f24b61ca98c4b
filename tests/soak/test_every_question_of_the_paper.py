"""190 million distinct questions, asked eagerly, in bounded memory; and Ctrl-C in the middle of them."""

import json
import subprocess
import sys

ASK_EVERYTHING = """
import json, resource, sys
import numpy as np, psutil
import commensurate as cm

rng = np.random.default_rng(0)
groups = {name: rng.random((13816, 10)) for name in "ab"}
alpha, beta = rng.random((2, 10))

def oracle(left, right, between):
    gaps = np.abs(alpha * left - beta * right)
    return np.cbrt(np.einsum("ij,ij,ij->i", gaps, gaps, gaps))

# compile and import everything first, so that only the fit's own memory is measured
small = {name: points[:50] for name, points in groups.items()}
warm = cm.NaiveSimilarity(epsilon=0.01, delta=0.1, samples="given").fit(small, oracle)
warm.predict(groups["a"][:9], groups["b"][:9])

before = psutil.Process().memory_info().rss
est = cm.NaiveSimilarity(epsilon=0.01, delta=0.001, samples="given").fit(groups, oracle)
peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
picked = rng.integers(13816, size=(2, 1000))
left, right = groups["a"][picked[0]], groups["b"][picked[1]]
off = float(np.abs(est.predict(left, right) - oracle(left, right, None)).max())
print(json.dumps({"questions": est.n_questions_, "extra": peak - before, "off": off, "dtype": str(est.tables_["a", "b"].values.dtype)}))
"""

INTERRUPT = """
import os, signal
import numpy as np
import commensurate as cm

# a shell starts what runs in the background with Ctrl-C ignored
signal.signal(signal.SIGINT, signal.default_int_handler)

rng = np.random.default_rng(0)
groups = {name: rng.random((3000, 4)) for name in "ab"}
asked = 0

def oracle(left, right, between):
    global asked
    asked += len(left)
    if interrupting and asked > 3_000_000:
        os.kill(os.getpid(), signal.SIGINT)
    return np.abs(left[:, 0] - right[:, 0])

interrupting = True
est = cm.NaiveSimilarity(epsilon=0.01, delta=0.001, samples="given")
try:
    est.fit(groups, oracle)
except KeyboardInterrupt:
    pass
kept = est.n_questions_
assert 2_000_000 < kept < 9_000_000, kept
interrupting = False
est.resume()
assert est.n_questions_ == 9_000_000
assert asked <= 9_000_000 + 2**16, "only the interrupted block may be asked again"
print("resumed")
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_190_million_distinct_questions_need_little_more_memory_than_their_answers():
    figures = json.loads(run(ASK_EVERYTHING))
    assert figures["questions"] == 13_816**2 == 190_881_856
    assert figures["dtype"] == "float32"
    assert figures["off"] < 1e-6
    assert figures["extra"] <= 1.3 * 4 * figures["questions"], figures


def test_ctrl_c_leaves_an_estimator_that_goes_on():
    assert run(INTERRUPT) == "resumed\n"
