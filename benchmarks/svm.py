"""Speed of the certified SVM solves, as ratios against the plain way in the same run; and how cost grows.

    python benchmarks/svm.py            the ratios
    python benchmarks/svm.py --growth   the growth curves, into docs/svm_growth.png

The plain way is one cvxpy problem an instance, constraints added in a Python loop, default solver. Single-threaded: set
OMP_NUM_THREADS=1.
"""

import argparse
import statistics
import time

import cvxpy
import numpy as np

from attnsvm.draws import draw, gaussian
from attnsvm.selection import optimal_tokens
from attnsvm.svm import separation, solve, solve_batch
from attnsvm.svm.published import published_gap


def instances(n, T, d, count):
    problems = draw(gaussian, range(count), n, T, d)
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    return [separation(*one) for one in zip(problems.tokens, problems.queries, optimal, strict=True)]


def plain(constraints, norm):
    W = cvxpy.Variable((constraints.left.shape[1], constraints.right.shape[1]))
    rows = [
        left.reshape(1, -1) @ W @ right.reshape(-1, 1) >= 1
        for left, right in zip(constraints.left, constraints.right, strict=True)
    ]
    cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(W, norm)), rows).solve()
    return W.value


def seconds(function, *arguments):
    start = time.perf_counter()
    answer = function(*arguments)
    return time.perf_counter() - start, answer


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


SIZES = {
    "fro": [(10, 11, 16), (20, 16, 24), (40, 26, 32), (50, 51, 48), (100, 51, 64)],
    "nuc": [(5, 5, 10), (10, 6, 20), (15, 8, 30), (20, 11, 40), (25, 13, 60)],
}


def growth(path):
    from matplotlib.ticker import NullFormatter

    from attnsvm.plots.style import COLOUR, MARKERS, NAME, canvas, save

    with canvas({"width": 4.0, "font_size": 8}, height=0.75) as figure:
        axes = figure.subplots()
        for marker, (norm, sizes) in zip(MARKERS, SIZES.items(), strict=False):
            counts, times = [], []
            for n, T, d in sizes:
                batch = instances(n, T, d, 3)
                times.append(statistics.median(seconds(solve, c, norm)[0] for c in batch))
                counts.append(n * (T - 1))
                print(f"{norm}  n(T-1)={counts[-1]} d={d}: {times[-1]:.3f} s", flush=True)
            exponent = np.polyfit(np.log(counts), np.log(times), 1)[0]
            print(f"{norm}  fitted exponent {exponent:.2f}")
            axes.loglog(
                counts, times, marker=marker, color=COLOUR[norm], label=f"{NAME[norm]}, exponent {exponent:.1f}"
            )
        axes.set(
            xlabel="constraints $n(T - 1)$, with $d$ growing alongside", ylabel="median seconds a solve, one thread"
        )
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend(loc="upper left")
    save(figure, path, dpi=200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", action="store_true", help="measure how cost grows, instead of the ratios")
    if parser.parse_args().growth:
        growth("docs/svm_growth")
    else:
        compare(6, 8, 10, "fro")
        compare(15, 5, 20, "nuc")
        rank_figure()
