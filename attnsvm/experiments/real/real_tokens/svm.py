"""The solutions of what each run selects, and solutions that it should not be near.

fro, nuc  of what the run selects
other     of the optimal tokens of another random head, in the norm of the parametrisation
random    of what random matrices with the singular values of the trained one select, in that norm
"""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.experiments.real.real_tokens.problems import other_heads
from attnsvm.geometry import BIAS_NORM
from attnsvm.inspect.nulls import random_head
from attnsvm.svm.instances import certified

KEPT = ("W", "rank")  # of an answer, in addition to its proof
NULL = 20317  # keeps the random matrices apart from what else is drawn with a seed


def svm(problems, trained, settings):
    other = optimal_tokens(problems.tokens, *other_heads(problems))
    solved = {}
    for place, (name, run) in enumerate(trained.items()):
        selected, norm = selected_tokens(run["probabilities"]), BIAS_NORM[name]
        solved[name] = {each: certified(problems, selected, each, ranks=True) for each in ("fro", "nuc")}
        solved[name]["other"] = certified(problems, other, norm, ranks=True)
        for k in range(settings["draws"]):
            heads = _random(run["weights"][:, -1], problems.seeds, place, k)
            logits = np.einsum("sntd,sde,sne->snt", problems.tokens, heads, problems.queries, optimize=True)
            answer = certified(problems, selected_tokens(logits), norm, ranks=True)
            solved[name][f"random{k}"] = answer | {"head": heads}
    return solved


def _random(weights, *path):
    """A random matrix per instance (S, d, d) with the singular values of its trained one."""
    seeds, *rest = path
    heads = [
        random_head(W, np.random.default_rng([NULL, seed, *rest]))
        for W, seed in zip(weights, seeds.tolist(), strict=True)
    ]
    return np.array(heads).reshape(weights.shape)
