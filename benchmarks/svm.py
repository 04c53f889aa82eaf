"""Speed of the certified SVM solves: ratios in one run, and how cost grows with the number of constraints.

    python benchmarks/svm.py             small problems in batches, as the figures have them
    python benchmarks/svm.py --sizes     Frobenius norm, 300 to 3,100 constraints, beside three other ways
    python benchmarks/svm.py --large     12,600 to 10⁶ constraints, each in a process of its own, with peak memory
    python benchmarks/svm.py --nuclear   nuclear norm, 600 to 63,000 constraints
    python benchmarks/svm.py --others    the other norms: what a minute reaches
    python benchmarks/svm.py --threads   seconds by the clock with one BLAS thread and with two
    python benchmarks/svm.py --growth    the growth curves, into docs/svm_growth.png

The other ways: scikit-learn's LinearSVC (hinge, C = 1e6, no intercept, the constraints alternately as they are and
mirrored into the second class), cvxpy's default solver on the constraints as one matrix, and what this package did
before (the active set, which is what it still does on small problems). Seconds are CPU seconds of the process, least of
several runs: set OMP_NUM_THREADS=1, and other work on the machine counts little (but for --threads).
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import cvxpy
import numpy as np

from attnsvm import geometry
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.data.draws import draw, gaussian
from attnsvm.svm import separation, solve, solve_batch
from attnsvm.svm.checker import check
from attnsvm.svm.methods.choice import ACTIVE_SET, CONIC, INTERIOR
from attnsvm.svm.published import published_gap


def instances(n, T, d, count):
    problems = draw(gaussian, range(count), n, T, d)
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return [separation(*one) for one in zip(problems.tokens, problems.queries, optimal, strict=True)]


def planted(n, T, d, labels="planted", seed=0):
    """Unit Gaussian tokens and queries; selected by a Gaussian W, so that a separator exists, or at random."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.normal(size=(n, T, d)), rng.normal(size=(n, d))
    for one in tokens:
        one /= np.linalg.norm(one, axis=-1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    logits = np.matmul(tokens, (queries @ rng.normal(size=(d, d)).T)[:, :, None])[..., 0]
    return tokens, queries, logits.argmax(1) if labels == "planted" else rng.integers(0, T, n)


def plain(constraints, norm):
    """As the notebooks do: one constraint object each."""
    W = cvxpy.Variable(constraints.shape)
    rows = [
        left.reshape(1, -1) @ W @ right.reshape(-1, 1) >= 1
        for left, right in zip(constraints.left, constraints.right, strict=True)
    ]
    cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(W, norm)), rows).solve()
    return W.value


def features(constraints):
    return (constraints.left[:, :, None] * constraints.right[:, None, :]).reshape(len(constraints), -1)


def vectorised(constraints, norm):
    """cvxpy's default solver, the constraints as one matrix."""
    W = cvxpy.Variable(constraints.shape)
    objective = cvxpy.Minimize(cvxpy.norm(W, norm) if norm == "nuc" else cvxpy.sum_squares(W))
    problem = cvxpy.Problem(objective, [features(constraints) @ cvxpy.vec(W, order="C") >= 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve()
    return W.value


def linear_svc(constraints):
    from sklearn.svm import LinearSVC

    sign = np.where(np.arange(len(constraints)) % 2, 1, -1)
    machine = LinearSVC(C=1e6, loss="hinge", fit_intercept=False, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(features(constraints) * sign[:, None], sign)
    return machine.coef_.reshape(constraints.shape)


def seconds(function, *arguments, clock=time.process_time, **named):
    start = clock()
    answer = function(*arguments, **named)
    return clock() - start, answer


def least(function, *arguments, repetitions=5, enough=3.0, **named):
    """The least time of several runs, of one where a run takes long."""
    best = np.inf
    for _ in range(repetitions):
        taken, answer = seconds(function, *arguments, **named)
        best = min(best, taken)
        if taken > enough:
            break
    return best, answer


def compare(n, T, d, norm, count=20):
    """Medians over instances of the plain way and of single solves, and over repetitions of one batch."""
    batch = instances(n, T, d, count + 1)
    plain(batch[0], norm), solve_batch(batch[:2], norm)  # warm up
    batch = batch[1:]
    theirs = [seconds(plain, constraints, norm) for constraints in batch]
    ours = [seconds(solve, constraints, norm) for constraints in batch]
    each = statistics.median(seconds(solve_batch, batch, norm)[0] / count for _ in range(5))
    proofs = zip(batch, theirs, ours, strict=True)
    their_gaps = [abs(published_gap(c, norm, W, s.dual, s.solved)) for c, (_, W), (_, s) in proofs]
    our_gaps = [max(solution.gap, np.finfo(float).eps) for _, solution in ours]
    slow, fast = (statistics.median(taken for taken, _ in times) for times in (theirs, ours))
    print(
        f"{norm} n={n} T={T} d={d}: plain {slow * 1e3:.1f} ms, solve {fast * 1e3:.2f} ms, batched {each * 1e3:.2f} ms; "
        f"ratio {slow / fast:.0f}, batched {slow / each:.0f}; "
        f"median gap {statistics.median(their_gaps):.0e} against {statistics.median(our_gaps):.0e}"
    )


def rank_figure():
    """All nuclear solves of the svm_rank figure, one thread."""
    total, count, worst = 0.0, 0, 0.0
    for n, T in ((5, 5), (10, 5), (15, 5), (5, 10), (5, 15)):
        for d in (1, 2, 3, 4, 5, 10, 15, 20):
            time_taken, solutions = seconds(solve_batch, instances(n, T, d, 100), "nuc")
            total, count = total + time_taken, count + len(solutions)
            worst = max([worst, *(s.gap for s in solutions if s.solved)])
            assert all(s.status != "uncertified" for s in solutions)
    print(
        f"svm_rank: {count} nuclear problems in {total:.1f} s on one thread, none uncertified, largest gap {worst:.0e}"
    )


MEDIUM = [(20, 16, 24), (30, 21, 24), (50, 21, 32), (50, 32, 32), (100, 32, 64)]
LARGE = [(200, 64, 64), (1000, 64, 64), (1600, 64, 64), (8000, 128, 64), (1000, 64, 384)]
NUCLEAR = [(30, 21, 10), (100, 51, 10), (200, 64, 64), (1000, 64, 64)]
OTHERS = {  # growing, the last about what a minute reaches
    "spectral": [(50, 32, 16), (100, 32, 24), (200, 64, 32)],
    "l1": [(50, 32, 32), (200, 64, 32), (200, 64, 64)],
    "linf": [(50, 32, 32), (200, 64, 32), (200, 64, 64)],
    "l1.75": [(50, 32, 32), (200, 64, 32), (200, 64, 64)],
}
CVXPY_LIMIT = 2000  # constraints beyond which it takes minutes
SLOWEST = 120.0  # CPU seconds that one of the other ways is expected to take at most


def sizes():
    """Every way on one problem of each size, with the gap of what it found against our multipliers."""
    solve(separation(*planted(30, 11, 8)))  # compile
    for n, T, d in MEDIUM:
        c = separation(*planted(n, T, d))
        ours, answer = least(solve, c)
        line = [f"solve {ours * 1e3:.1f} ms gap {answer.gap:.0e}"]
        for name, function, arguments in (
            ("LinearSVC", linear_svc, (c,)),
            ("cvxpy", vectorised, (c, "fro")),
            ("active set", lambda c: solve(c, method=ACTIVE_SET).W, (c,)),
        ):
            if name == "cvxpy" and len(c) > CVXPY_LIMIT:
                continue
            taken, W = least(function, *arguments)
            gap = published_gap(c, "fro", W, answer.dual, answer.solved)
            line.append(f"{name} {taken * 1e3:.1f} ms gap {gap:.0e}, ratio {taken / ours:.1f}")
        print(f"{len(c)} constraints, d={d}: " + "; ".join(line), flush=True)


def one(n, T, d, norm, labels):
    """One problem in this process: what it took, as a dictionary."""
    solve(separation(*planted(30, 11, 8)), norm)  # compile
    arrays = planted(n, T, d, labels)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading, _ = least(lambda: float(arrays[0].sum()), repetitions=3)
    build, c = seconds(separation, *arrays)
    start = time.perf_counter()
    taken, s = seconds(solve, c, norm)
    wall = time.perf_counter() - start
    checking, verdict = seconds(check, c.factors, c.bound, c.equality, norm, geometry.get(norm).tolerance, s)
    assert verdict.status == s.status, verdict.reason
    return {
        "constraints": len(c),
        "d": d,
        "norm": norm,
        "labels": labels,
        "status": s.status.value,
        "method": s.method,
        "solve": taken,
        "wall": wall,
        "separation": build,
        "check": checking,
        "reading": reading,
        "gap": s.gap,
        "arithmetic": s.arithmetic,
        "rank": s.rank,
        "rank_bound": s.rank_bound,
        "data_MB": before / 1024,
        "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def apart(*problem, **environment):
    """`one` in a process of its own."""
    command = [sys.executable, __file__, "--one", *map(str, problem)]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    return json.loads(run.stdout) if run.returncode == 0 else {"problem": problem, "failed": run.stderr[-300:]}


def show(row):
    if "failed" in row:
        print(row, flush=True)
        return
    proof = f"gap {row['gap']:.0e}" if row["status"] == "solved" else f"proved in {row['arithmetic']} arithmetic"
    rank = f", rank {row['rank']} ≤ {row['rank_bound']}" if row["norm"] == "nuc" else ""
    print(
        f"{row['norm']} {row['constraints']} constraints, d={row['d']}, {row['labels']}: {row['status']}, {proof}{rank}"
    )
    print(
        f"    solve {row['solve']:.2f} s ({row['method']}), separation {row['separation']:.2f} s, "
        f"check {row['check']:.3f} s, reading once {row['reading']:.3f} s; "
        f"peak {row['peak_MB']:.0f} MB, {row['data_MB']:.0f} MB of it before",
        flush=True,
    )


def large():
    for n, T, d in LARGE:
        show(apart(n, T, d, "fro", "planted"))
    show(apart(1000, 64, 64, "fro", "random"))
    c = separation(*planted(*LARGE[0]))
    taken, W = seconds(linear_svc, c)
    answer = solve(c)
    gap = published_gap(c, "fro", W, answer.dual, answer.solved)
    print(f"LinearSVC on {len(c)} constraints, d={c.shape[0]}: {taken:.2f} s, gap {gap:.0e}")


def nuclear():
    for n, T, d in NUCLEAR:
        show(apart(n, T, d, "nuc", "planted"))
    for n, T, d in NUCLEAR[:2]:
        c = separation(*planted(n, T, d))
        answer = solve(c, "nuc")
        taken, W = seconds(vectorised, c, "nuc")
        gap = published_gap(c, "nuc", W, answer.dual, answer.solved)
        print(f"cvxpy, nuclear, {len(c)} constraints, d={d}: {taken:.2f} s, gap {gap:.0e}", flush=True)
    c = separation(*planted(*NUCLEAR[0]))
    print(f"interior point on all of {len(c)}: {seconds(solve, c, 'nuc', method=INTERIOR)[0]:.2f} s", flush=True)


def threads():
    """One BLAS thread and two, in turn, three times each: the least of each."""
    for n, T, d, norm in [(200, 64, 64, "fro"), (1000, 64, 64, "fro"), (1000, 64, 384, "fro"), (200, 64, 64, "nuc")]:
        rows = [apart(n, T, d, norm, "planted", OMP_NUM_THREADS=count) for _ in range(3) for count in ("1", "2")]
        if failed := [row for row in rows if "failed" in row]:
            show(failed[0])
            continue
        alone, both = (min(row["wall"] for row in rows[first::2]) for first in (0, 1))
        print(
            f"{norm} {n * (T - 1)} constraints, d={d}: {alone:.2f} s with one BLAS thread, {both:.2f} s with two, "
            f"ratio {alone / both:.2f}",
            flush=True,
        )


def others():
    for norm, problems in OTHERS.items():
        for n, T, d in problems:
            row = apart(n, T, d, norm, "planted")
            show(row)
            if "failed" not in row and row["solve"] > SLOWEST:
                break
        c = separation(*planted(*problems[0]))
        taken, s = seconds(solve, c, norm, method=CONIC)
        print(f"{norm}, conic on all of {len(c)}: {taken:.2f} s, {s.status.value}, gap {s.gap:.0e}", flush=True)


GROWTH = {
    "fro": [*MEDIUM, *LARGE[:3]],
    "nuc": [(5, 5, 10), (10, 6, 20), (15, 8, 30), (20, 11, 40), (50, 21, 64), NUCLEAR[2]],
}


def growth(path):
    from attnsvm.plots.style import COLOUR, GREY, MARKERS, NAME, canvas, rendered

    curves, reading = {}, {}
    for norm, problems in GROWTH.items():
        rows = [apart(n, T, d, norm, "planted") for n, T, d in problems]
        for row in rows:
            show(row)
            reading[row["constraints"]] = row["reading"]
        curves[norm] = [(row["constraints"], row["solve"]) for row in rows]
    with canvas({"width": 4.0, "font_size": 8}, height=0.75) as figure:
        axes = figure.subplots()
        for marker, (norm, points) in zip(MARKERS, curves.items(), strict=False):
            counts, times = np.array(points).T
            exponent = np.polyfit(np.log(counts), np.log(times), 1)[0]
            print(f"{norm}  fitted exponent {exponent:.2f}")
            label = f"{NAME[norm]}, exponent {exponent:.1f}"
            axes.loglog(counts, times, marker=marker, color=COLOUR[norm], label=label)
        counts, times = np.array(sorted(reading.items())).T
        axes.loglog(counts, times, color=GREY, linestyle="--", label="reading the tokens once")
        axes.set(xlabel="constraints $n(T - 1)$", ylabel="CPU seconds a solve, one thread")
        axes.legend(loc="upper left")
        Path(path).write_bytes(rendered(figure, "png", dpi=200))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, meaning in (
        ("sizes", "Frobenius norm against three other ways"),
        ("large", "Frobenius norm, large"),
        ("nuclear", "nuclear norm"),
        ("others", "the other norms"),
        ("threads", "one BLAS thread and two"),
        ("growth", "measure how cost grows"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=meaning)
    parser.add_argument("--one", nargs=5, metavar=("N", "T", "D", "NORM", "LABELS"), help="one problem, as JSON")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(*map(int, asked.one[:3]), *asked.one[3:])))
    elif asked.growth:
        growth("docs/svm_growth.png")
    elif chosen := [f for f in (sizes, large, nuclear, others, threads) if getattr(asked, f.__name__)]:
        for function in chosen:
            function()
    else:
        compare(6, 8, 10, "fro")
        compare(15, 5, 20, "nuc")
        rank_figure()
