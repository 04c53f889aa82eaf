"""The examples of the explorer: states of the page, with numbers drawn as the experiments draw them."""

import numpy as np

from attnsvm.data.draws import draw
from attnsvm.experiments.paper.hyperplanes.problems import one_token_apart
from attnsvm.experiments.paper.trajectories.problems import two_clouds
from attnsvm.svm.constraints import separation
from attnsvm.svm.solver import solve
from attnsvm.training.start import factored_weights

ZERO = [0.0] * 4
RATE = 0.1


def presets() -> list[dict]:
    """Every example: name, title, hint and state (tokens [i][t], queries [i], labels [i], head, start, ...)."""
    clouds, apart = drawn(two_clouds, T=3, seed=1), drawn(one_token_apart, T=5, seed=3)
    return [
        example(
            "trajectories",
            "Trajectories",
            "The paper's first planar figure: two inputs of three tokens, W from zero.",
            clouds,
        ),
        example(
            "hyperplanes",
            "Hyperplanes",
            "The paper's second planar figure: each dotted line separates the selected token from the others.",
            apart,
        ),
        example(
            "factors",
            "Keys and queries",
            "The same tokens with W = K Qᵀ: descent on the factors goes to the solution of least nuclear norm.",
            apart,
            train="KQ",
        ),
        example(
            "trap",
            "A local optimum",
            "Descent starts near tokens that are not the best: no support token beats them, so it stays there.",
            TRAP | {"start": SMALL_K | {"W": near(TRAP, (1, 1))}},
        ),
        example(
            "sign",
            "Sign descent",
            "Every entry moves by its sign: descent goes to the margin in another norm, not to the dashed one.",
            RULES,
            rule="linf",
        ),
    ]


def example(name: str, title: str, hint: str, problem: dict, train: str = "W", rule: str = "fro") -> dict:
    """One example; the problem brings tokens, queries, labels, head, and what of its start is not zero."""
    start = dict.fromkeys(("W", "K", "Q"), ZERO) | problem.get("start", {})
    state = {key: problem[key] for key in ("tokens", "queries", "labels", "head")}
    state |= {"train": train, "rule": rule, "rate": RATE, "step": 0, "start": start}
    return {"name": name, "title": title, "hint": hint, "state": state}


def drawn(draw_some, T: int, seed: int) -> dict:
    """An instance of a planar experiment, with its K at the start: 0.1·N(0, 1), and Q = 0."""
    problems = draw(draw_some, [seed], n=2, T=T, d=2)
    K, _ = factored_weights(np.array([seed]), 2, "zero")
    return {
        "tokens": problems.tokens[0].tolist(),
        "queries": problems.queries[0].tolist(),
        "labels": problems.labels[0].astype(int).tolist(),
        "head": problems.head[0].tolist(),
        "start": {"K": K[0].ravel().tolist()},
    }


def angles(*degrees: float) -> list[list[float]]:
    """Unit vectors, to four digits."""
    return [[round(float(f(np.radians(angle))), 4) for f in (np.cos, np.sin)] for angle in degrees]


def near(problem: dict, selected: tuple[int, ...]) -> list[float]:
    """A W at 15° from the certified solution that separates the `selected` tokens, its smallest margin 6."""
    constraints = separation(*(np.array(problem[key]) for key in ("tokens", "queries")), np.array(selected))
    solution = solve(constraints)
    if not solution.solved:
        raise ValueError(f"selected: no certified solution for {selected} ({solution.status})")
    unit = solution.W / np.linalg.norm(solution.W)
    W = np.cos(np.pi / 12) * unit + np.sin(np.pi / 12) * unit @ [[0, -1], [1, 0]]
    return (6 * W / constraints.apply(W).min()).round(4).ravel().tolist()


SMALL_K = {"K": [0.31, -0.07, -0.09, 0.01]}
TRAP = {
    "tokens": [[[-0.41, 0.77], [0.98, 0.09], [0.51, -0.29]], [[-0.62, 0.31], [-0.86, 0.02], [0.63, -0.63]]],
    "queries": angles(260, 80),
    "labels": [1, 1],
    "head": angles(255)[0],
}
RULES = {
    "tokens": [[[0.06, 0.92], [-0.25, 0.13], [0.02, 0.3]], [[0.31, -0.36], [-0.96, 0.19], [0.77, 0.36]]],
    "queries": angles(350, 45),
    "labels": [1, 1],
    "head": angles(90)[0],
    "start": SMALL_K,
}
