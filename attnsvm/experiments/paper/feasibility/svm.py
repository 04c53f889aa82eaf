"""A separator or a Farkas certificate for optimal, random and worst tokens, with either kind of query.

Feasibility is the same in every norm: the Frobenius solution decides it.
"""

import numpy as np

from attnsvm.analysis.selection import scores
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof

ATTENTIONS = ("cross", "self")
RANDOM_STREAM = 30816  # keeps the random tokens apart from the data drawn with the same seed


def svm(problems, trained, settings):
    chosen = choices(problems)
    return {
        attention: {alpha: proof(certified(problems, selected, "fro", attention)) for alpha, selected in chosen.items()}
        for attention in ATTENTIONS
    }


def choices(problems) -> dict[str, np.ndarray]:
    """The tokens to separate, (S, n) int each."""
    score = scores(problems.tokens, problems.head, problems.labels)
    T = score.shape[2]
    streams = (np.random.default_rng([RANDOM_STREAM, seed]) for seed in problems.seeds)
    drawn = [stream.integers(T, size=score.shape[1]) for stream in streams]
    return {
        "optimal": score.argmax(-1),
        "random": np.array(drawn, dtype=int).reshape(score.shape[:2]),
        "worst": score.argmin(-1),
    }
