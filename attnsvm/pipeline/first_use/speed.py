"""How many times slower the compiled loops of descent are here than on the processor of profiles/times.json.

`make check` runs it where the package is installed: `python -m attnsvm.pipeline.first_use.speed`. It takes a second,
and ten more where the loops are not compiled yet.
"""

import statistics
import time

from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, exact, train
from attnsvm.training.lanes.arithmetic import LANES

STEPS = 500
FOR = 0.5  # seconds of processor time a loop
# Microseconds of processor time of a step of one instance, n = 6, T = 8, d = 10, where the times were taken: an Intel
# processor with AVX-512, 2.3 GHz; the least of ten runs of this file.
THERE = {"W": 1.15, "KQ": 1.78}


def main() -> None:
    here = {kind: microseconds(kind) for kind in THERE}
    print(f"{statistics.mean(here[kind] / THERE[kind] for kind in THERE):.2f}")


def microseconds(kind: str) -> float:
    """The time of one step of one instance: the least over runs of `FOR` seconds together."""
    problems = draw(gaussian, range(LANES), 6, 8, 10)
    train(problems, LinearHead, kind, exact(0.1), 1, 1)  # compiles
    least, spent = float("inf"), 0.0
    while spent < FOR:
        start = time.process_time()
        train(problems, LinearHead, kind, exact(0.1), STEPS, STEPS)
        taken = time.process_time() - start
        least, spent = min(least, taken), spent + taken
    return least / STEPS / LANES * 1e6


if __name__ == "__main__":
    main()
