"""Train W on some inputs at a time, in an order drawn anew after each pass, by rules with and without memory."""

from dataclasses import dataclass, replace

import numpy as np

from attnsvm.experiments.literature.decay.descent import gradient
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.start import full_weights

ORDER_STREAM = 25102  # keeps the orders of inputs apart from the data drawn with the same seed
# A memory must forget the gradient faster than it falls, by the rate times the best margin a step: else it remembers
# the first directions alone (see the experiment adam). And it must reach over a pass.
FIRST, SECOND = 0.9, 0.95  # β of momentum and β1 of Adam, β2 of Adam


@dataclass(frozen=True)
class Rule:
    """A rule of descent.

    Attributes:
        norm: "fro": the step has this direction; "linf": its signs.
        memory: decay of the first moment, β1.
        adam: whether the first moment is divided by the root of a second one.
    """

    norm: str
    memory: float = 0.0
    adam: bool = False


RULES = {
    "normalised": Rule("fro"),
    "normalised, momentum": Rule("fro", memory=FIRST),
    "signs": Rule("linf"),
    "Signum": Rule("linf", memory=FIRST),
    "Adam": Rule("linf", memory=FIRST, adam=True),
}


def descent(problems, settings, progress):
    n = problems.tokens.shape[1]
    sizes = sorted({1, n})
    progress.expect(len(RULES) * len(sizes) * len(problems))
    kept, trained = logarithmic_steps(settings["steps"], settings["points"]), {}
    for name, usual in RULES.items():
        rule = replace(usual, memory=settings["memory"]) if usual.memory else usual
        rate = settings["learning_rate" if rule.norm == "fro" else "sign_rate"]
        for size in sizes:
            trained[f"{name}, {'one input' if size == 1 else 'all inputs'}"] = {
                "steps": kept,
                "weights": follow(problems, rule, rate, size, kept),
            }
            progress(len(problems))
    return trained


def orders(seeds: np.ndarray, n: int, passes: int) -> np.ndarray:
    """The inputs (S, passes·n) in the order in which they are used: each once a pass."""
    drawn = [np.random.default_rng([ORDER_STREAM, seed]).random((passes, n)).argsort(1).ravel() for seed in seeds]
    return np.array(drawn)


def follow(problems, rule: Rule, rate: float, size: int, kept: np.ndarray) -> np.ndarray:
    """W (S, K, d, d) at the steps kept, each on the next `size` inputs."""
    n, found = problems.tokens.shape[1], []
    (W,), moments = full_weights(problems.seeds, problems.tokens.shape[-1], "uniform"), None
    used = orders(problems.seeds.tolist(), n, -(-kept[-1] * size // n) + 1)
    every = np.arange(len(W))[:, None]
    for step in range(kept[-1] + 1):
        if step in kept:
            found.append(W)
        some = used[:, step * size : (step + 1) * size]
        batch = Batch(*(x[every, some] for x in (problems.tokens, problems.queries, problems.labels)), problems.head)
        direction, moments = step_of(rule, *gradient(batch, W), moments, step)
        W = W - rate * direction
    return np.stack(found, 1)


@dataclass(frozen=True)
class Batch:
    """Some inputs of each instance, as `Problems` has them."""

    tokens: np.ndarray
    queries: np.ndarray
    labels: np.ndarray
    head: np.ndarray


def step_of(rule: Rule, G: np.ndarray, log_factor: np.ndarray, moments: tuple | None, step: int):
    """The step (S, d, d) for the gradient exp(log_factor)·G, and the moments: first, second and the log of their unit.

    Moments stand in a unit of their own, so that neither they nor their ratio underflow.
    """
    if rule.memory == 0.0:
        return pointed(rule, G), None
    m, v, unit = (np.zeros(G.shape), np.zeros(G.shape), log_factor) if moments is None else moments
    slowest = 0.5 * np.log(SECOND) if rule.adam else np.log(rule.memory)
    now = np.maximum(unit + slowest, log_factor)
    fade, share = np.exp(unit - now), np.exp(log_factor - now) * G
    m = rule.memory * fade * m + (1.0 - rule.memory) * share
    if not rule.adam:
        return pointed(rule, m), (m, v, now)
    v = SECOND * fade**2 * v + (1.0 - SECOND) * share**2
    grown = np.sqrt(1.0 - SECOND ** (step + 1)) / (1.0 - rule.memory ** (step + 1))
    return grown * m / np.sqrt(np.where(v > 0.0, v, 1.0)), (m, v, now)


def pointed(rule: Rule, M: np.ndarray) -> np.ndarray:
    """The steepest direction, in the norm of the rule, of matrices (S, d, d)."""
    return np.sign(M) if rule.norm == "linf" else M / np.linalg.norm(M, axis=(1, 2), keepdims=True)
