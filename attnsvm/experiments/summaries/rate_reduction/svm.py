"""What every head selects after training, its certified solution, and the same for random heads of its spectrum."""

import numpy as np

from attnsvm.experiments.summaries.rate_reduction.layers import CRATE, LAYERS, scoring
from attnsvm.inspect.layers import as_inputs, selections
from attnsvm.inspect.nulls import random_head
from attnsvm.inspect.solving import Problem
from attnsvm.svm.solution import as_arrays, proof

NULL_STREAM = 51410


def svm(problems, trained, settings):
    """Per layer and kind of head: answers, and alignment, held-out prediction and W, (S, H, draws) each.

    Kinds: "own"; "random", with uniform singular vectors; for `crate` also "symmetric", with the same ones on both
    sides, as the heads of that layer have.
    """
    half, fitted = problems.tokens.shape[1] // 2, settings["fitted"]
    found = {}
    for number, kind in enumerate(LAYERS):
        W = scoring(kind, {name: x[:, -1] for name, x in trained["layers"][kind].items()})
        kinds = ("own", "random", *(["symmetric"] if kind == CRATE else []))
        parts = {name: {"answers": [], "alignment": [], "predicted": [], "W": []} for name in kinds}
        for s, seed in enumerate(problems.seeds.tolist()):
            unseen = as_inputs(problems.tokens[s, half:], problems.queries[s, half:])
            problem = Problem(unseen.take(range(fitted)))
            held = unseen.take(range(fitted, len(unseen)))
            for h in range(W.shape[1]):
                draw = np.random.default_rng([NULL_STREAM, number, seed, h])
                for name, heads in _heads(W[s, h], kinds, settings["draws"], draw).items():
                    _measure(parts[name], problem, held, heads)
        found[kind] = {name: _arrays(part, W.shape[:2]) for name, part in parts.items()}
        del found[kind]["own"]["heads"]  # they are those of the training
    return found


def _heads(W, kinds, draws, rng) -> dict[str, list]:
    heads = {"own": [W], "random": [random_head(W, rng) for _ in range(draws)]}
    if "symmetric" in kinds:
        heads["symmetric"] = [symmetric_head(W, rng) for _ in range(draws)]
    return heads


def symmetric_head(W, rng) -> np.ndarray:
    """A positive semidefinite matrix (d, d) with the singular values of W and uniform eigenvectors."""
    left, sigma, _ = np.linalg.svd(random_head(W, rng))
    return (left * sigma) @ left.T


def _measure(part, problem, held, heads) -> None:
    for A in heads:
        answer = problem.certified(selections(problem.inputs, A), "fro")
        part["answers"].append(answer)
        part["alignment"] += problem.cosines(A, [answer.W]) if answer.solved else [np.nan]
        right = selections(held, answer.W) == selections(held, A) if answer.solved else np.nan
        part["predicted"].append(np.mean(right))
        part["W"].append(A)


def _arrays(part, shape) -> dict:
    """Answers without their matrices and multipliers, which are not used later and would take much space."""
    kept = proof(as_arrays(part["answers"]))
    values = {name: np.array(part[name]).reshape(*shape, -1) for name in ("alignment", "predicted")}
    return {"proof": kept, **values, "heads": np.stack(part["W"]).reshape(*shape, -1, *part["W"][0].shape)}
