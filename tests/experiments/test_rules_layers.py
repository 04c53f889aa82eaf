"""Two layers under every rule: what is counted, and the problem of the layer below by its definition."""

import numpy as np
import pytest

from attnsvm.experiments.beyond.layers.measures import MEASURED
from attnsvm.experiments.beyond.rules_layers import descent
from attnsvm.svm import join, solve
from attnsvm.svm.stacks import layer_constraints

SMALL = {"problems": {"n": 2, "T": 3, "d": 8, "first_seed": 3, "instances": 6}, "descent": {"steps": 400, "points": 4}}
NORMS = ("fro", "linf", "spectral")  # all: test_every_smoke_run.py
INSTEAD = {(descent, "NORMS"): NORMS}


def rows_below(p, log, s):
    """Of one instance: (input, position, winner, whether the row counts) of the layer below, by the law in words."""
    top = log["top"][s, 0, :, 0].argmax(-1)  # the position that the top selects, for each input
    below = log["below"][s, 0, 0].argmax(-1)
    return [(i, q, below[i, q], q == top[i]) for i in range(len(below)) for q in range(below.shape[1])]


def margins(X, W, winner, z):
    logits = X @ W @ z
    return np.delete(logits[winner] - logits, winner)


def test_every_instance_is_counted_for_every_rule(run):
    assert run.outcomes_per_instance() == len(NORMS)
    measured = run.outcomes[run.outcomes["outcome"].str.startswith(MEASURED)]["instances"].sum()
    shares = run.table[run.table["quantity"] == "share measured"]
    assert (shares["value"] * shares["instances"]).sum() == pytest.approx(measured)


def test_the_problem_of_the_layer_below_is_a_convex_one(run):
    """Its solution separates the rows that count by one and keeps the winner of the others: by the definition."""
    _, s, p, trained, _ = next(iter(run.each()))
    log = trained["fro"]
    X, chosen = log["tokens"][s, 0], log["below"][s, 0, 0].argmax(-1)
    rows = rows_below(p, log, s)
    bound = np.array([[float(counts) for i, _, _, counts in rows if i == k] for k in range(len(X))])
    W = solve(join([layer_constraints(X, chosen, bound)])).W
    for i, q, w, counts in rows:
        assert margins(X[i], W, w, X[i, q]).min() >= float(counts) - 1e-8
