"""Two layers that start near the solution of the stated problem, as the theorem's runs do."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.ends import stated
from attnsvm.experiments.beyond.layers.svm import answers, with_multipliers
from attnsvm.svm.law import constraints_below
from attnsvm.svm.solution import PROOF, proof
from attnsvm.training.start import draw_initial, normal

LENGTH = 1000.0  # R₀, ‖W‖ at the start but for the two terms below
OFF = 0.002  # length of a random matrix that is added, as a share of R₀


def planted(problems, run) -> tuple[np.ndarray, dict]:
    """R₀u + log(R₀)·(U, 0) + noise, (S, 2, 1, d, d), and the answers.

    u is the direction of both solutions for the winners after the last step of `run`, U has a margin of at least one in
    every row of the layer below. An instance without one of them starts from less.

    Returns:
        the weights; and "aim", the answers by layer, "everywhere", U.
    """
    stack = Stack(layers=2)
    ends = stated(problems, run, stack)
    aim = with_multipliers(problems, stack, ends)
    everywhere = answers(constraints_below(stack, ends, 1, np.ones(ends.counts[:, 0].shape)), "fro")
    for answer in (*aim.values(), everywhere):
        answer["W"] = np.nan_to_num(answer["W"])
    W = LENGTH * direction(aim)
    W[:, 0] += np.log(LENGTH) * everywhere["W"]
    noise = draw_initial("planted", problems.seeds, normal(W.shape[1:]))
    W += OFF * LENGTH * noise / _norm(noise)
    kept = {"1": (*PROOF, "W"), "2": (*PROOF, "W", "multipliers")}
    aim = {layer: {name: aim[layer][name] for name in names} for layer, names in kept.items()}
    return W[:, :, None], {"aim": aim, "everywhere": proof(everywhere)}


def direction(aim) -> np.ndarray:
    """u (S, 2, d, d), both solutions together at norm one; zero without them."""
    W = np.stack([aim[layer]["W"] for layer in ("1", "2")], axis=1)
    return W / np.maximum(_norm(W), np.finfo(float).tiny)


def _norm(W):
    return np.sqrt(np.square(W).sum((1, 2, 3), keepdims=True))
