"""Every head at every checkpoint, and two null models: alignment, prediction, margin, by certified SVMs.

The quantities are those of `attnsvm inspect` (attnsvm/inspect/measures.py), computed so that every answer of the solver
is kept. A head is compared with a random head of the same singular values, and with its selections permuted among the
inputs.
"""

import numpy as np

from attnsvm import geometry
from attnsvm.inspect.layers import as_inputs, selections
from attnsvm.inspect.nulls import permuted, random_head
from attnsvm.inspect.solving import Problem
from attnsvm.svm.methods.choice import INTERIOR, WORKING_SET
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch

KEPT = ()  # of an answer, in addition to its proof: what is compared with a head is worked out here
# Few of the tokens that lose support the solution: in the nuclear norm it pays to look for them first.
METHODS = {"fro": None, "nuc": INTERIOR + WORKING_SET}
STREAM = 15025  # of the null models
KINDS = ("own", "random", "permuted")
NUMBERS = ("place_predicted", *(f"{name}_{kind}" for name in ("alignment", "predicted", "margin") for kind in KINDS))


def svm(problems, trained, settings):
    """Per norm: the answers of every kind, and numbers (R, steps, layers, heads) by name; NaN: nothing proved."""
    shape = trained["W"].shape[:4]
    solved = {norm: {kind: [] for kind in KINDS} for norm in METHODS}
    numbers = {norm: {name: np.full(shape, np.nan) for name in NUMBERS} for norm in solved}
    for place in np.ndindex(*shape[:3]):
        run, step, _ = place
        inputs = as_inputs(trained["tokens"][place], trained["queries"][place])
        fit, held = (inputs.take(rows) for rows in np.split(np.arange(len(inputs)), [settings["fitted"]]))
        bench = Problem(fit)
        for head in range(shape[3]):
            W = trained["W"][*place, head]
            rng = np.random.default_rng([STREAM, problems.seeds[run], *place[1:], head])
            for norm in norms_at(step, shape[1]):
                for name, value in beside_nulls(bench, held, W, norm, rng, solved[norm]).items():
                    numbers[norm][name][*place, head] = value
    return {
        norm: {kind: as_arrays(found) for kind, found in kinds.items()} | numbers[norm]
        for norm, kinds in solved.items()
    }


def norms_at(step, steps):
    """The nuclear norm takes longer: at the first and the last checkpoint only."""
    return ("fro", "nuc") if step in (0, steps - 1) else ("fro",)


def beside_nulls(bench, held, W, norm, rng, kept):
    """One head's numbers in one norm, by name; its answers are added to `kept`."""
    fit = bench.inputs
    selected, own = selections(fit, W), selections(held, W)
    heads = {"own": W, "random": random_head(W, rng), "permuted": W}
    counts = np.array([len(tokens) for tokens in fit.tokens])
    chosen = {"own": selected, "random": selections(fit, heads["random"]), "permuted": permuted(selected, counts, rng)}
    found = {"place_predicted": float(np.mean(own == np.bincount(selected).argmax()))}
    for kind in KINDS:
        c = bench.constraints(chosen[kind])
        answer = solve_batch([c], norm, method=METHODS[norm])[0].lifted(bench.P, bench.Q)
        kept[kind].append(answer)
        if answer.solved:
            head, size = heads[kind], geometry.get(norm).value
            theirs = selections(held, head)
            found[f"alignment_{kind}"] = bench.cosines(head, [answer.W])[0]
            found[f"predicted_{kind}"] = float(np.mean(selections(held, answer.W) == theirs))
            # The largest margin of a matrix of norm one is 1/‖W_mm‖.
            least = float(c.apply(bench.lower(head)).min())
            found[f"margin_{kind}"] = least / float(size(head)) * float(size(answer.W))
    return found
