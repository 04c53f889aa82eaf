"""Every norm beside the quickest other methods for it, on the same problems, in turns.

    OMP_NUM_THREADS=1 python benchmarks/peers.py [--norms fro nuc] [--cells 16x8 240x16] [--csv table.csv] [--limit 60]

A cell is a norm, a number of constraints and d, with a planted W. Milliseconds of CPU time of one thread, the least of
several rounds in which every way has its turn. `solve`: from tokens to W and multipliers; `proof`: all of
`solve(separation(...))`, checks of the arrays and the checker included; `batch`: the same for one of twenty problems of
this shape that are solved together. The others get their own data, formed outside their time, in coordinates of the
spans where the norm allows it, and prove nothing.
`gap` is that of their W, scaled to margin one, as the checker proves it by our multipliers; a way whose gap is above
1e-7 is no peer. Each way runs in a process of its own, which is ended after `--limit` seconds; what took longer in a
problem with no more constraints and no larger d is not begun. A package that is not installed is left out.
"""

import argparse
import csv
import importlib.util
import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from quadratic_programs import PACKAGES
from scipy.optimize import linprog, minimize

from attnsvm import geometry
from attnsvm.geometry import fro
from attnsvm.svm import separation, solve, solve_batch
from attnsvm.svm.checker import check
from attnsvm.svm.methods.choice import INTERIOR, least_frobenius, least_other, least_together, named
from attnsvm.svm.reductions import Reduced, outer

NORMS = ("fro", "nuc", "spectral", "l1", "linf", "l1.75", "l5", "rowmax", "rowsum", "hybrid")
CELLS = (  # n, T, d
    *((4, 5, 8), (4, 5, 20), (4, 5, 64), (4, 5, 200), (5, 7, 8), (5, 7, 20), (10, 11, 10), (10, 11, 64), (12, 21, 16)),
    *((10, 17, 64), (30, 11, 16), (20, 39, 20), (50, 21, 32), (30, 59, 24), (100, 32, 64), (200, 64, 64)),
    *((500, 61, 64), (50, 21, 200)),
)
HEAD = ("norm", "constraints × d²", "solve", "proof", "batch", "gap", "quickest other", *("ratio",) * 3, "all others")
ROUNDS, ENOUGH, LONG = 5, 0.05, 1.0  # rounds, seconds of each; one round of what takes long
PEER = 1e-7  # gap up to which another method counts
NUMBERS = 6e7  # of the matrix of constraints, beyond which nobody gets it
ACCURACY = 1e-12  # asked for where it can be said
TOGETHER, BATCHED = 20, 300  # problems of a batch, and constraints up to which one is timed


def planted(n, T, d, seed=0):
    """Unit Gaussian tokens and queries, selected by a Gaussian W, so that a separator exists."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    logits = np.einsum("ntd,de,ne->nt", tokens, rng.normal(size=(d, d)), queries, optimize=True)
    return tokens, queries, logits.argmax(1)


def unproved(c, norm):
    """(W, multipliers) as the methods leave them."""
    measure, quiet = geometry.get(norm), lambda line: None
    problem, method = Reduced(c), named(measure, len(c), None)
    if measure is fro.NORM:
        return least_frobenius(problem, method, quiet)[0]
    W = least_frobenius(problem, named(fro.NORM, len(c), None), quiet)[0]
    found = least_together([(problem, W, method)])[0] if method == INTERIOR else None
    return least_other(problem, W, measure, method, quiet, found)[0]


# ---- the others: of the shape of W, the constraints G (m, d·e) and the norm they make a function without arguments


def quadratic(name: str):
    """A solver of quadratic programs."""
    return lambda shape, G, norm: partial(PACKAGES[name], G)


def linear_svc(shape, G, norm):
    """liblinear: constraints alternately as they are and mirrored, hinge with C = 1e6."""
    from sklearn.svm import LinearSVC

    sign = np.where(np.arange(len(G)) % 2, 1, -1)
    features = G * sign[:, None]

    def run():
        machine = LinearSVC(C=1e6, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**6)
        return machine.fit(features, sign).coef_

    return run


def lbfgs(shape, G, norm):
    """L-BFGS-B of SciPy on the dual, min ½‖Gᵀλ‖_q² − Σλ over λ ≥ 0."""
    q = 2.0 if norm == "fro" else geometry.get(norm).q

    def primal(y):
        g = y @ G
        size = max(float((np.abs(g / np.abs(g).max()) ** q).sum() ** (1 / q) * np.abs(g).max()), 1e-300)
        return size, size * np.sign(g) * (np.abs(g) / size) ** (q - 1)

    def dual(y):
        size, W = primal(y)
        return size**2 / 2 - y.sum(), G @ W - 1

    start = np.full(len(G), len(G) / primal(np.ones(len(G)))[0] ** 2)
    settings = {"maxiter": 10_000, "maxfun": 20_000, "maxcor": 30, "ftol": 0.0, "gtol": 1e-12}
    bounds = [(0.0, None)] * len(G)
    return lambda: primal(minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=settings).x)[1]


class Program:
    """min cost·x subject to h − F x in a cone, W being `read` of x; of the nuclear norm its dual, and W a multiplier.

    The cone: `positive` numbers, `second` order cones of these sizes, and one of `square` × `square` matrices.
    """

    def __init__(self, shape, G, norm):
        (d, e), N, self.second, self.square, self.P = shape, G.shape[1], [], 0, None
        eye, one = sp.eye_array(N), sp.coo_array(np.ones((N, 1)))
        margins, self.dual, self.rows = -sp.csr_array(G), norm == "nuc", d
        self.read = lambda x: x[:N]
        parts, h = [], [-np.ones(len(G))]
        if norm == "fro":
            self.cost, self.P = np.zeros(N), sp.eye_array(N, format="csc")
            parts = [margins]
        elif norm == "nuc":
            self.cost, parts, h = -np.ones(len(G)), [-sp.eye_array(len(G))], [np.zeros(len(G))]
            self.square, k = d + e, d + e
            blocks = np.zeros((len(G), k, k))
            blocks[:, :d, d:] = G.reshape(-1, d, e)
            blocks[:, d:, :d] = blocks[:, :d, d:].swapaxes(1, 2)
            self.matrix, self.constant = sp.csr_array(blocks.reshape(len(G), -1).T), np.eye(k).ravel()
        elif norm == "l1":
            self.cost = np.repeat([0.0, 1.0], N)
            parts = [sp.hstack([margins, sp.coo_array(G.shape)]), sp.hstack([eye, -eye]), sp.hstack([-eye, -eye])]
            h += [np.zeros(2 * N)]
        elif norm == "linf":
            self.cost = np.append(np.zeros(N), 1.0)
            parts = [sp.hstack([margins, sp.coo_array((len(G), 1))]), sp.hstack([eye, -one]), sp.hstack([-eye, -one])]
            h += [np.zeros(2 * N)]
        elif norm in ("rowmax", "rowsum"):
            count = 1 if norm == "rowmax" else d
            self.cost = np.append(np.zeros(N), np.ones(count))
            first = sp.hstack([margins, sp.coo_array((len(G), count))])
            which = np.arange(d) * (e + 1)
            rows = sp.coo_array((-np.ones(d), (which, N + np.arange(d) % count)), (d * (e + 1), N + count))
            entry = (np.arange(N) // e) * (e + 1) + 1 + np.arange(N) % e
            rows += sp.coo_array((-np.ones(N), (entry, np.arange(N))), (d * (e + 1), N + count))
            parts, h, self.second = [first, rows], [*h, np.zeros(d * (e + 1))], [e + 1] * d
        else:  # spectral, hybrid
            width = e if norm == "spectral" else e - 1
            self.cost, k = np.append(np.zeros(N), 1.0), d + width
            parts = [sp.hstack([margins, sp.coo_array((len(G), 1))])]
            if norm == "hybrid":
                last = eye.tocsr()[np.arange(d) * e + width]
                parts += [sp.hstack([last, -one.tocsr()[:d]]), sp.hstack([-last, -one.tocsr()[:d]])]
                h += [np.zeros(2 * d)]
            a, b = np.divmod(np.arange(d * width), width)
            places = [a * k + d + b, (d + b) * k + a, np.arange(k) * (k + 1)]
            columns = [a * e + b, a * e + b, np.full(k, N)]
            numbers = -np.ones(2 * d * width + k)
            self.square = k
            self.matrix = sp.csr_array((numbers, (np.concatenate(places), np.concatenate(columns))), (k * k, N + 1))
            self.constant = np.zeros(k * k)
        self.F, self.h = sp.vstack(parts, format="csc"), np.concatenate(h)
        self.positive = len(self.h) - sum(self.second)

    def corner(self, Z):
        """W from the multiplier Z of the semidefinite constraint of the dual of the nuclear norm."""
        return 2 * Z[: self.rows, self.rows :]


def clarabel(shape, G, norm):
    """CLARABEL on its own data."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    if norm.startswith("l") and norm not in ("l1", "linf"):
        return _clarabel_powers(clarabel, settings, G, float(norm[1:]))
    program = Program(shape, G, norm)
    cones: list[Any] = [clarabel.NonnegativeConeT(program.positive)]
    cones += [clarabel.SecondOrderConeT(size) for size in program.second]
    F, h, k = program.F, program.h, program.square
    if k:
        second, first = np.tril_indices(k)  # the upper triangle, column by column
        root = np.where(first == second, 1.0, np.sqrt(2.0))
        F = sp.vstack([F, sp.diags_array(root) @ program.matrix[first * k + second]], format="csc")
        h = np.concatenate([h, root * program.constant[first * k + second]])
        cones.append(clarabel.PSDTriangleConeT(k))
    F, h = sp.csc_matrix(F), np.asarray(h)
    P = sp.csc_matrix((len(program.cost),) * 2 if program.P is None else program.P)

    def run():
        found = clarabel.DefaultSolver(P, program.cost, F, h, cones, settings).solve()
        if not program.dual:
            return program.read(np.array(found.x))
        Z = np.zeros((k, k))
        Z[first, second] = Z[second, first] = np.array(found.z)[program.positive :] / root
        return program.corner(Z)

    return run


def _clarabel_powers(clarabel, settings, G, p):
    """min t with Σ r_i = t and |w_i| ≤ r_i^(1/p) t^(1 − 1/p)."""
    m, N = G.shape
    triples = np.zeros((3, N, 2 * N + 1))
    triples[0, :, N : 2 * N] = triples[2, :, :N] = -np.eye(N)
    triples[1, :, -1] = -1.0
    total = np.concatenate([np.zeros(N), np.ones(N), [-1.0]])[None]
    F = sp.vstack(
        [total, sp.hstack([-sp.csr_array(G), sp.coo_array((m, N + 1))]), triples.swapaxes(0, 1).reshape(3 * N, -1)]
    )
    h = np.concatenate([[0.0], -np.ones(m), np.zeros(3 * N)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(m), *[clarabel.PowerConeT(1 / p)] * N]
    cost, F = np.append(np.zeros(2 * N), 1.0), sp.csc_matrix(F)
    P = sp.csc_matrix((2 * N + 1, 2 * N + 1))
    return lambda: np.array(clarabel.DefaultSolver(P, cost, F, h, cones, settings).solve().x)[:N]


def cvxopt(shape, G, norm):
    """The interior point of cvxopt, in Python and C."""
    from cvxopt import matrix, solvers, spmatrix

    program = Program(shape, G, norm)
    F, h, k = program.F, program.h, program.square
    if k:
        F, h = sp.vstack([F, program.matrix]), np.concatenate([h, program.constant])
    F = F.tocoo()
    F = spmatrix(F.data.tolist(), F.row.tolist(), F.col.tolist(), F.shape)
    options = {"show_progress": False} | dict.fromkeys(("abstol", "reltol", "feastol"), 1e-9)
    dims = {"l": program.positive, "q": program.second, "s": [k] if k else []}
    cost, h = matrix(program.cost), matrix(h)
    P = None if program.P is None else spmatrix(1.0, range(G.shape[1]), range(G.shape[1]))

    def run():
        found = solvers.coneqp(P, cost, F, h, dims, options=options) if P is not None else None
        found = found or solvers.conelp(cost, F, h, dims, options=options)
        if program.dual:
            return program.corner(np.array(found["z"])[program.positive :].reshape(k, k))
        return program.read(np.array(found["x"]).ravel())

    return run


def highs(method):
    def prepare(shape, G, norm):
        """HiGHS as SciPy has it."""
        N = G.shape[1]
        if norm == "l1":  # W = u − v
            cost, F, h, free = np.ones(2 * N), np.hstack([-G, G]), -np.ones(len(G)), (0, None)
            return lambda: np.subtract(*np.split(linprog(cost, F, h, bounds=free, method=method).x, 2))
        program = Program(shape, G, norm)
        free = [(None, None)] * len(program.cost)
        return lambda: linprog(program.cost, program.F, program.h, bounds=free, method=method).x[:N]

    return prepare


SMOOTH, CONES = ("fro", "l1.75", "l5"), ("fro", "nuc", "spectral", "l1", "linf", "rowmax", "rowsum", "hybrid")
PEERS: dict[str, tuple[str, tuple[str, ...], Callable]] = {  # package, norms, what makes it
    "daqp": ("daqp", ("fro",), quadratic("daqp")),
    "quadprog": ("quadprog", ("fro",), quadratic("quadprog")),
    "piqp": ("piqp", ("fro",), quadratic("piqp")),
    "LinearSVC": ("sklearn", ("fro",), linear_svc),
    "L-BFGS-B": ("scipy", SMOOTH, lbfgs),
    "clarabel": ("clarabel", NORMS, clarabel),
    "cvxopt": ("cvxopt", CONES, cvxopt),
    "HiGHS simplex": ("scipy", ("l1", "linf"), highs("highs-ds")),
    "HiGHS ipm": ("scipy", ("l1", "linf"), highs("highs-ipm")),
}


# ---- turns


class Worker:
    """A way in a process of its own; `ask` is None once it took too long, or failed."""

    def __init__(self, prepare: Callable, limit: float):
        self.limit, context = limit, multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(prepare, other), daemon=True)
        self.process.start()
        other.close()
        self.failed = ""

    def ask(self, what: str):
        if self.failed:
            return None
        self.pipe.send(what)
        try:
            kind, answer = self.pipe.recv() if self.pipe.poll(self.limit) else ("failed", "slow")
        except EOFError:
            kind, answer = "failed", "died"
        if kind == "failed":
            self.failed = answer
            self.end()
            return None
        return answer

    def end(self):
        self.process.kill()
        self.process.join()


def _work(prepare, pipe):
    warnings.simplefilter("ignore")
    run = None
    while True:
        what = pipe.recv()
        try:
            if run is None:
                run = prepare()
            start = time.process_time()
            if what == "answer":
                answer: Any = run()
            else:
                count = 0
                while time.process_time() - start < ENOUGH:
                    run()
                    count += 1
                answer = (time.process_time() - start) / count * 1e3
            spent = time.process_time() - start
            pipe.send(("done", (answer, spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
        except Exception as error:
            pipe.send(("failed", f"{type(error).__name__}: {error}"[:90]))


def _warm(norm):
    """Import and compile: in the process that needs it, since no process with threads may be copied."""
    for size in ((5, 7, 8), (20, 11, 6), (30, 31, 8)):
        solve(separation(*planted(*size)), norm)


def compared(n, T, d, norm, limit, slow):
    """One row of the table; `slow`: the ways that took too long, and where; more are added."""
    given = planted(n, T, d)
    c = separation(*given)
    many = [planted(n, T, d, seed) for seed in range(TOGETHER)] if len(c) <= BATCHED else []
    ways: dict[str, Callable] = {
        "solve": lambda: _warm(norm) or (lambda: unproved(separation(*given), norm)),
        "proof": lambda: _warm(norm) or (lambda: solve(separation(*given), norm)),
    }
    if many:
        ways["batch"] = lambda: _warm(norm) or (lambda: solve_batch([separation(*one) for one in many], norm))
    measure = geometry.get(norm)
    problem = Reduced(c, measure.unitarily_invariant, measure.right_invariant)
    shape = problem.shape
    if len(c) * shape[0] * shape[1] <= NUMBERS:
        G = outer(problem.left, problem.right)
        for name, (package, norms, prepare) in PEERS.items():
            if norm in norms and importlib.util.find_spec(package):
                ways[name] = lambda prepare=prepare: prepare(shape, G, norm)
    known = {name for name, size in slow if size[0] <= len(c) and size[1] <= d}
    workers = {name: Worker(way, limit) for name, way in ways.items() if name not in known}
    answers, least, spent = {}, {}, {}
    for name, worker in workers.items():
        if (answer := worker.ask("answer")) is not None:
            answers[name], spent[name] = answer[0], answer[1]
            least[name] = answer[1] * 1e3
    for _ in range(ROUNDS):
        for name, worker in workers.items():
            if name in spent and spent[name] < LONG and (answer := worker.ask("time")) is not None:
                least[name] = min(least[name], answer[0])
    row = {"norm": norm, "constraints": len(c), "d": d, "failed": {}}
    for name, worker in workers.items():
        if worker.failed:
            row["failed"][name] = worker.failed
            if worker.failed == "slow":
                slow.append((name, (len(c), d)))
        worker.end()
    if "batch" in least:
        least["batch"] /= TOGETHER
    row |= {name: least.get(name) for name in ("solve", "proof", "batch")}
    best = answers.get("proof")
    row["status"], row["method"] = (str(best.status), best.method) if best else ("", "")
    row["gap"] = best.gap if best else np.nan
    row["others"] = {
        name: (least[name], _gap(c, norm, problem, W, best)) for name, W in answers.items() if name in PEERS and best
    }
    peers = {name: took for name, (took, gap) in row["others"].items() if gap <= PEER}
    row["quickest"] = min(peers, key=peers.get) if peers else ""
    row["least"] = peers.get(row["quickest"])
    return row


def _gap(c, norm, problem, w, best):
    with suppress(Exception), np.errstate(all="ignore"):
        w = np.asarray(w, dtype=float)
        W = problem.lift(w.reshape(problem.shape))
        claim = SimpleNamespace(status="solved", W=W / c.apply(W).min(), dual=best.dual)
        return check(c.factors, c.bound, c.equality, norm, geometry.get(norm).tolerance, claim).gap
    return np.inf


def _ms(number):
    return "–" if number is None else f"{number:.{max(0, 2 - int(np.floor(np.log10(number) + 1)))}f}"


def _ratio(one, other):
    return "–" if one is None or other is None else f"{one / other:.2f}"


def shown(row):
    others = ", ".join(
        f"{name} {_ms(took)} ({gap:.0e})" for name, (took, gap) in sorted(row["others"].items(), key=lambda o: o[1])
    )
    failed = ", ".join(f"{name}: {why}" for name, why in row["failed"].items())
    cells = [row["norm"], f"{row['constraints']} × {row['d']}²", *(_ms(row[k]) for k in ("solve", "proof", "batch"))]
    cells.append(f"{row['gap']:.0e}" if row["status"] == "solved" else row["status"])
    cells.append(f"{row['quickest']} {_ms(row['least'])}")
    cells += [_ratio(row[k], row["least"]) for k in ("solve", "proof", "batch")]
    return f"| {' | '.join(cells)} | {others}{'; ' if failed else ''}{failed} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--norms", nargs="+", default=NORMS)
    parser.add_argument("--cells", nargs="+", help="as constraints x d")
    parser.add_argument("--csv", help="write the table to this file too")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a way may take")
    asked = parser.parse_args()
    rows = []
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for norm in asked.norms:
        slow: list[tuple[str, tuple[int, int]]] = []
        for n, T, d in CELLS:
            if asked.cells is None or f"{n * (T - 1)}x{d}" in asked.cells:
                rows.append(compared(n, T, d, norm, asked.limit, slow))
                print(shown(rows[-1]), flush=True)
    if asked.csv:
        with open(asked.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
