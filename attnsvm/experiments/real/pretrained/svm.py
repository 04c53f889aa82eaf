"""Certified solutions of what each head selects, of what random heads select, and of permuted selections.

The fitted sentences grow, the held-out ones stay; the random heads of a head (same singular values) are the same ones
throughout. In the Frobenius norm a last fit leaves the delimiters out of what can be selected. For the trained runs,
both solutions of what each selects.
"""

from dataclasses import replace

import numpy as np

from attnsvm import geometry
from attnsvm.analysis.selection import selected_tokens
from attnsvm.analysis.trees import stacked
from attnsvm.experiments.real.pretrained.inputs import inputs, of_a_layer
from attnsvm.inspect.layers import selections
from attnsvm.inspect.measures import rule
from attnsvm.inspect.nulls import permuted, random_head
from attnsvm.inspect.solving import Problem
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof_of

NORMS = ("fro", "nuc")
HEAD_STREAM, SPLIT_STREAM = 3, 2


def svm(problems, trained, settings):
    if not of_a_layer(problems):
        chosen = {name: selected_tokens(run["probabilities"]) for name, run in trained.items()}
        return {
            name: {norm: certified(problems, selected, norm) for norm in NORMS} for name, selected in chosen.items()
        }
    return stacked([_layer(problems, s, settings) for s in range(len(problems))])


def _layer(problems, s, settings):
    """{fit: {kind: {quantity: (H,) or (H, draws)}}}, and what each head selects."""
    whole, number = inputs(problems, s), int(problems.seeds[s])
    order = np.random.default_rng([settings["seed"], SPLIT_STREAM]).permutation(len(whole))
    away = round(settings["held_out"] * len(whole))
    held, fitted = whole.take(np.sort(order[:away])), order[away:]
    fits = {f"fro_{n}": (Problem(whole.take(np.sort(fitted[:n]))), "fro") for n in settings["inputs"]}
    fits["nuc"] = Problem(whole.take(np.sort(fitted[: settings["nuclear_inputs"]]))), "nuc"
    most = fits[f"fro_{max(settings['inputs'])}"][0]
    fits["plain"] = Problem(_plain(most.inputs)), "fro"
    aligned = {"nuc", f"fro_{max(settings['inputs'])}"}
    found = []
    for h, W in enumerate(problems.head[s]):
        rng = np.random.default_rng([settings["seed"], HEAD_STREAM, number, h])
        heads = [random_head(W, rng) for _ in range(settings["draws"])]
        one = {
            name: _beside_nulls(problem, norm, W, heads, held, rng, name in aligned)
            for name, (problem, norm) in fits.items()
        }
        found.append(one | {"selects": _selects(most.inputs, held, W)})
    sizes = {name: np.array(len(problem.inputs)) for name, (problem, _) in fits.items()}
    return stacked(found) | {"inputs": sizes, "layer": np.array(number)}


def _plain(whole):
    """The inputs without delimiters to choose from, where two tokens or more are left."""
    some = whole.take(np.flatnonzero([(~marks).sum() >= 2 for marks in whole.delimiters]))
    return replace(some, tokens=[X[~marks] for X, marks in zip(some.tokens, some.delimiters, strict=True)])


def _beside_nulls(problem, norm, W, heads, held, rng, aligned):
    kept, selected = problem.inputs, selections(problem.inputs, W)
    counts = np.array([len(X) for X in kept.tokens])
    random = [_answer(problem, norm, R, selections(kept, R), held, aligned) for R in heads]
    shuffled = [_answer(problem, norm, W, permuted(selected, counts, rng), held, aligned) for _ in heads]
    own = _answer(problem, norm, W, selected, held, aligned)
    return {"head": own, "random": stacked(random), "permuted": stacked(shuffled)}


def _answer(problem, norm, W, selected, held, aligned):
    """The certified solution that separates the selected tokens, against W: margin, cosine, held-out prediction."""
    solution = problem.certified(selected, norm)
    row = proof_of(solution)
    known = solution.solved
    right = np.mean(selections(held, solution.W) == selections(held, W)) if known else np.nan
    row["margin"] = 1 / float(geometry.get(norm).value(solution.W)) if known else np.nan
    row["alignment"] = problem.cosines(W, [solution.W])[0] if known and aligned else np.nan
    return row | {"predicted": float(right)}


def _selects(fit, held, W):
    """How often the head selects a delimiter, and how good a guess is, and the best rule that reads no token."""
    selected, own = selections(fit, W), selections(held, W)
    counts = np.array([len(X) for X in held.tokens])
    ends = np.array([marks[a] for marks, a in zip(fit.delimiters, selected, strict=True)])
    best = rule(fit, selected, held, own)["rule_predicted"]
    return {"delimiter": float(ends.mean()), "rule": best, "chance": float((1 / counts).mean())}
