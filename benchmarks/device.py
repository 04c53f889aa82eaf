"""Descent on a GPU against the engines of the processor: the weights, and the ratio of the times, in float64.

    bash benchmarks/device.sh                                on the first GPU, a minute or two
    bash benchmarks/device.sh --device cpu:0 --divisor 50    the same code in torch on the processor, small batches

Batches as `local_convergence` draws and trains them, published steps. Times are those of `train` by the clock, start
weights and transfers included, after a first call of one step. On the processor: with one thread, as a job has by
default, and with one per core.
"""

import argparse
import os
import sys
import time

import numba
import numpy as np
import torch

from attnsvm.data.draws import draw, gaussian
from attnsvm.pipeline.running.arithmetic import lacking_device
from attnsvm.training import LinearHead, published, threads, train

# (n, T, d), instances, steps
CASES = {
    "local_convergence at the paper's scale": ((6, 8, 10), 100, 2000),
    "a hundred times the instances": ((6, 8, 10), 10_000, 1000),
    "large instances": ((32, 64, 64), 128, 100),
}
EARLY, AGREES = 50, 1e-10  # rounding errors have not grown yet after so many steps


def timed(*arguments, **how):
    """The log of `train`, and the seconds that it took."""
    start = time.perf_counter()
    log = train(*arguments, **how)
    return log, time.perf_counter() - start


def differences(ours, theirs) -> np.ndarray:
    """(S, L): the largest difference of the weights, over the largest weight."""
    return np.abs(ours.weights - theirs.weights).max((2, 3)) / np.abs(ours.weights).max((2, 3))


def compared(shape, instances: int, steps: int, kind: str, device: str) -> bool:
    """Print a line about one batch; whether the weights agree."""
    problems = draw(gaussian, range(instances), *shape)
    # Counted back from the last step: the second logged one is `EARLY`.
    how = {"every": np.unique([0, min(EARLY, steps), steps])}
    arguments = problems, LinearHead, kind, published(0.1)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for place in ("cpu", device):  # loops are compiled, the device is made ready
        train(problems[:1], LinearHead, kind, published(0.1), 1, 1, device=place)
    threads.allow(1)
    _, before = timed(*arguments, 1, 1, device=device)
    theirs, there = timed(*arguments, steps, **how, device=device)
    _, alone = timed(*arguments, steps, **how)
    threads.allow(cores)
    ours, together = timed(*arguments, steps, **how)
    apart = differences(ours, theirs)
    agree = bool(apart[:, 1].max() < AGREES)
    print(
        f"  {kind}: {device} {there:.2f} s ({before:.2f} s with a single step); one thread {alone:.2f} s, "
        f"ratio {alone / there:.2f}; {cores} threads {together:.2f} s, ratio {together / there:.2f}; weights apart by "
        f"{apart[:, 1].max():.1e} after {min(EARLY, steps)} steps{'' if agree else ', TOO MUCH'}; after {steps} by "
        f"{apart[:, -1].max():.1e}, in the median {np.median(apart[:, -1]):.1e}, {(apart[:, -1] > AGREES).sum()} of "
        f"{instances} by more than {AGREES:g}"
    )
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, or cpu:0 for torch on the processor")
    parser.add_argument("--divisor", type=int, default=1, help="divides instances and steps")
    parser.add_argument("--cases", type=int, default=len(CASES), help="so many of the sizes, from the first on")
    given = parser.parse_args()
    if lacking := "" if given.device.startswith("cpu") else lacking_device(given.device):
        print(lacking, file=sys.stderr)
        return 1
    name = given.device if given.device.startswith("cpu") else torch.cuda.get_device_name(given.device)
    print(f"{name}; torch {torch.__version__}, numba {numba.__version__}, numpy {np.__version__}")
    agree = []
    for title, (shape, instances, steps) in list(CASES.items())[: given.cases]:
        n, T, d = shape
        instances, steps = max(1, instances // given.divisor), max(1, steps // given.divisor)
        print(f"{title}: n={n} T={T} d={d}, {instances} instances, {steps} steps")
        agree += [compared(shape, instances, steps, kind, given.device) for kind in ("W", "KQ")]
    print("the weights agree" if all(agree) else f"the weights differ after {EARLY} steps by more than {AGREES:g}")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
