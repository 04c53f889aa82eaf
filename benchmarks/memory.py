"""Every norm at d up to 200 with 2 GB of memory: what it takes, or the sentence that refuses it.

    OMP_NUM_THREADS=1 python benchmarks/memory.py [--norms fro nuc] [--cells 16x200]

Each solve is a process with RLIMIT_DATA at 2 GB, ended after a minute; `peak` is its resident memory. Planted problems
as in peers.py.
"""

import argparse
import resource
import subprocess
import sys
import time

from peers import NORMS, planted

LIMIT, SECONDS = 2 * 10**9, 60
CELLS = ((4, 5, 64), (4, 5, 200), (160, 2, 64), (160, 2, 200), (50, 21, 64), (50, 21, 200), (100, 32, 64))


def one(norm, n, T, d):
    from attnsvm.svm import separation, solve

    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    c, before = separation(*planted(n, T, d)), time.process_time()
    try:
        answer = solve(c, norm)
        said = f"{answer.status}, {answer.method}, gap {answer.gap:.0e}, {time.process_time() - before:.1f} s"
    except MemoryError as error:
        said = str(error)
    print(f"{said}, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--norms", nargs="+", default=NORMS)
    parser.add_argument("--cells", nargs="+", help="as constraints x d")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        one(asked.one[0], *map(int, asked.one[1:]))
    for norm in [] if asked.one else asked.norms:
        for size in CELLS:
            cell = f"{size[0] * (size[1] - 1)}x{size[2]}"
            if asked.cells is None or cell in asked.cells:
                command = [sys.executable, __file__, "--one", norm, *map(str, size)]
                try:
                    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
                    said = (run.stdout or run.stderr).strip().splitlines()[-1]
                except subprocess.TimeoutExpired:
                    said = f"not within {SECONDS} s"
                print(f"{norm:9} {cell:10} {said}", flush=True)
