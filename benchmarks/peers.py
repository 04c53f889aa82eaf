"""One solve in the Frobenius norm beside solvers of quadratic programs, in turn in one run.

    python benchmarks/peers.py

Milliseconds of CPU time, least of several rounds: set OMP_NUM_THREADS=1. `solve`: the method alone, from tokens to
W and multipliers; `with proof`: all of `solve(separation(...))`, checks of the arrays and the checker included;
`checker`: its part. The others (benchopt/solvers/quadratic.py) get the dense matrix of the constraints, which is formed
outside their time, and prove nothing. `gap` is that of their W, as the checker proves it by our multipliers.
"""

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from attnsvm.geometry import fro
from attnsvm.svm import separation, solve
from attnsvm.svm.checker import check
from attnsvm.svm.methods.choice import least_frobenius
from attnsvm.svm.reductions import Reduced, outer

sys.path.insert(0, str(Path(__file__).parent / "benchopt" / "solvers"))
from quadratic import PACKAGES

SIZES = ((5, 7, 8), (30, 11, 16))
ROUNDS, ENOUGH = 9, 0.05  # rounds, and seconds of each


def planted(n, T, d, seed=0):
    """Unit Gaussian tokens and queries, selected by a Gaussian W, so that a separator exists."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    logits = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, d)), queries, optimize=True)
    return tokens, queries, logits.argmax(1)


def milliseconds(function):
    count, before = 0, time.process_time()
    while time.process_time() - before < ENOUGH:
        function()
        count += 1
    return (time.process_time() - before) / count * 1e3


def compare(n, T, d):
    given = planted(n, T, d)
    c = separation(*given)
    best = solve(c)
    arguments = c.factors, c.bound, c.equality, "fro", fro.NORM.tolerance
    rows = outer(c.left, c.right)
    ways = {
        "solve": lambda: least_frobenius(Reduced(separation(*given)), best.method, lambda line: None),
        "with proof": lambda: solve(separation(*given)),
        "checker": lambda: check(*arguments, best),
    } | {name: lambda peer=peer: peer(rows) for name, peer in PACKAGES.items()}
    least = dict.fromkeys(ways, np.inf)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            least[name] = min(least[name], milliseconds(way))
    print(f"{len(c)} constraints, d = {d}: {best.method}, gap {best.gap:.0e}")
    for name, took in least.items():
        gap = f"  gap {_gap(arguments, c, PACKAGES[name](rows), best):.0e}" if name in PACKAGES else ""
        print(f"  {name:10} {took:8.3f} ms{gap}")


def _gap(arguments, c, w, best):
    W = w.reshape(c.shape)
    claim = SimpleNamespace(status="solved", W=W / c.apply(W).min(), dual=best.dual)
    return check(*arguments, claim).gap


if __name__ == "__main__":
    for size in SIZES:
        compare(*size)
