"""How many times slower this machine is, as busy as it is now, than the one of preflight.py; a line of JSON.

`make check` and every long run of Snakemake start as many of it as there are cores:
`python -m attnsvm.pipeline.first_use.speed`. It takes a second, and ten more where the loops are not compiled yet.
"""

import json
import statistics
import time

from attnsvm.data.draws import draw, gaussian
from attnsvm.pipeline.first_use import preflight
from attnsvm.training import LinearHead, exact, train
from attnsvm.training.lanes import LANES

STEPS = 500
FOR = 0.5  # seconds a loop
# Microseconds of a step of one instance, n = 6, T = 8, d = 10, on the machine of preflight.py: the least of ten runs of
# earlier loops, 1.15 and 1.78, times what today's take of those on another processor with AVX-512.
THERE = {"W": 0.78, "KQ": 1.06}


def main() -> None:
    here = {kind: microseconds(kind) for kind in THERE}
    loops = statistics.mean(here[kind][0] / THERE[kind] for kind in THERE)
    begun = sum(beginning for _, beginning in here.values())
    print(json.dumps({"loops": loops, "plain": preflight.PYTHON_ROUNDS / preflight.rounds(), "begun": begun}))


def microseconds(kind: str) -> tuple[float, float]:
    """Of a step of one instance, the mean over `FOR` seconds; and the seconds until the loop began, compiled."""
    problems = draw(gaussian, range(LANES), 6, 8, 10)
    start = time.perf_counter()
    train(problems, LinearHead, kind, exact(0.1), 1, 1)  # compiles
    begun, steps, start = time.perf_counter() - start, 0, time.perf_counter()
    while time.perf_counter() - start < FOR:
        train(problems, LinearHead, kind, exact(0.1), STEPS, STEPS)
        steps += STEPS
    return (time.perf_counter() - start) / steps / LANES * 1e6, begun


if __name__ == "__main__":
    main()
