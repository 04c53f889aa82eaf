"""`attnsvm inspect` on one layer of rotary attention with random weights: seconds and memory per head.

python benchmarks/lifted.py                          the shape of a 7B model, 150 texts of up to 64 tokens
python benchmarks/lifted.py --width 512 --texts 400
python benchmarks/lifted.py --texts 1000 --alone     one max-margin problem, of what the first head selects

Tokens are Gaussian with directions of unequal size and a common part, as hidden states have them.
"""

import argparse
import resource
import time

import numpy as np

from attnsvm.inspect.layers import Inputs, Layer, selections
from attnsvm.inspect.lifted import Head, LiftedProblem
from attnsvm.inspect.measures import Bench, Plan, measure
from attnsvm.inspect.positions import Rotary

BASE = 1e4
SPREAD = 1.0  # of the logarithm of the sizes of directions


def layer(width: int, size: int, heads: int, texts: int, longest: int, rng: np.random.Generator) -> Layer:
    """Inputs of `texts` to fit and of half as many held out."""
    scale = np.exp(SPREAD * rng.normal(size=width))
    common = rng.normal(size=width) * scale
    counts = rng.integers(2, longest + 1, texts + texts // 2)
    tokens = [rng.normal(size=(T, width)) * scale + common for T in counts]
    place = [np.arange(T - 1.0, -1, -1) for T in counts]
    marks = [np.arange(T) == 0 for T in counts]
    queries, text = np.array([X[-1] for X in tokens]), np.arange(len(counts))
    inputs = Inputs(tokens, queries, [], marks, text, counts - 1, place)
    way = Rotary(BASE ** (-np.arange(size // 2) / (size // 2)), False)
    made = [Head(*(rng.normal(size=(2, size, width)) / np.linalg.norm(scale)), way) for _ in range(heads)]
    return Layer(0, inputs, dict(enumerate(made)), "exact", made)


def main():
    parser = argparse.ArgumentParser(
        description="Seconds per head of a layer of rotary attention, as a Markdown table."
    )
    for name, value in (("width", 4096), ("size", 128), ("heads", 3), ("texts", 150), ("longest", 64)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--alone", action="store_true", help="one max-margin problem, no null models")
    given = parser.parse_args()
    made = layer(given.width, given.size, given.heads, given.texts, given.longest, np.random.default_rng(0))
    print("| head | constraints | support | gap | seconds | CPU seconds | peak memory |")
    print("|---|---|---|---|---|---|---|")
    if given.alone:
        return timed("0, its solution alone", lambda: alone(made.inputs.take(range(given.texts)), made.heads[0]))
    bench = Bench(made, Plan(("fro",), inputs=given.texts, held_out=1 / 3, draws=1))
    for head in made.heads:
        timed(f"{head}{' with the kernels' if head == 0 else ''}", lambda head=head: of_a_head(bench, head))


def timed(name, work):
    clock, cpu = time.perf_counter(), time.process_time()
    constraints, support, gap = work()
    spent = f"{time.perf_counter() - clock:.1f} | {time.process_time() - cpu:.1f}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"| {name} | {constraints:,} | {support:,} | {gap:.0e} | {spent} | {peak:.1f} GB |", flush=True)


def of_a_head(bench, head):
    row, _ = measure(bench, head)
    return row["constraints_fro"], row["support_fro"], row["gap_fro"]


def alone(inputs, head):
    selected = selections(inputs, head)
    answer = LiftedProblem(inputs, head.way).certified(selected, "fro", head.logits(inputs))
    return len(answer.dual), int((answer.dual > 0).sum()), answer.gap


if __name__ == "__main__":
    main()
