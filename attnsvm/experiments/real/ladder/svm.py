"""Certified solutions of what every layer selects, and of what random heads of the same singular values select.

The alignment is the cosine of W with the solution, on the span of the constraint matrices; it needs both, and so it is
computed here. Null heads act on the same tokens: in a layer with embeddings, on the learned ones.
"""

import numpy as np

from attnsvm.experiments.real.ladder.rungs import DECAYING, RUNGS, WHEN
from attnsvm.inspect.layers import as_inputs, selections
from attnsvm.inspect.nulls import random_head
from attnsvm.inspect.solving import Problem
from attnsvm.svm.methods.choice import INTERIOR, WORKING_SET
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch

STREAM = 15022  # of the null heads
# Few of the tokens that lose support the solution: in the nuclear norm it pays to look for them first.
METHODS = {"fro": None, "nuc": INTERIOR + WORKING_SET}
NORMS = tuple(METHODS)


def svm(problems, trained, settings):
    solved = {"rungs": {}, "decays": {}}
    for name in RUNGS:
        runs = trained["rungs"][name]
        # Before training the Frobenius norm is enough: a control of the null heads.
        norms_at = {"start": ("fro",), "end": NORMS}
        solved["rungs"][name] = {
            when: answers(problems, runs[when], norms_at[when], settings["nulls"]) for when in WHEN
        }
    for name, rung in DECAYING.items():
        runs = trained["decays"][name]["end"]
        solved["decays"][name] = answers(problems, runs, (rung.norm,), settings["nulls"])
    return solved


def answers(problems, runs, norms, nulls):
    """Per norm: the solutions of all runs and of their null heads, and both alignments, NaN where unproved."""
    S, n = len(problems), runs["selected"].shape[1]
    found = {norm: {"own": [], "null": [], "alignment": [], "null_alignment": []} for norm in norms}
    for r, W in enumerate(runs["W"]):
        s = r % S
        tokens, queries = problems.tokens[s, :n], problems.queries[s, :n]
        if "E" in runs:
            tokens, queries = tokens @ runs["E"][r], queries @ runs["F"][r]
        inputs = as_inputs(tokens, queries)
        problem, heads, rng = Problem(inputs), [W], np.random.default_rng([STREAM, problems.seeds[s]])
        heads += [random_head(W, rng) for _ in range(nulls)]
        chosen = [runs["selected"][r], *(selections(inputs, head) for head in heads[1:])]
        batch = [problem.constraints(one) for one in chosen]
        for norm, kept in found.items():
            solutions = [
                answer.lifted(problem.P, problem.Q) for answer in solve_batch(batch, norm, method=METHODS[norm])
            ]
            cosines = [alignment(problem, head, one) for head, one in zip(heads, solutions, strict=True)]
            kept["own"].append(solutions[0])
            kept["null"] += solutions[1:]
            kept["alignment"].append(cosines[0])
            kept["null_alignment"].append(cosines[1:])
    return {
        norm: {name: as_arrays(kept[name]) for name in ("own", "null")}
        | {name: np.array(kept[name]) for name in ("alignment", "null_alignment")}
        for norm, kept in found.items()
    }


def alignment(problem, head, solution):
    """The cosine with the solution; NaN where there is none."""
    return problem.cosines(head, [solution.W])[0] if solution.solved else float("nan")
