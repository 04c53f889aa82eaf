"""The solutions of the tokens selected, with their own distances and with these in reverse; and of a random choice."""

from dataclasses import replace

import numpy as np

from attnsvm.analysis.selection import selected_tokens
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof

RANDOM_STREAM = 20270  # keeps the random choices apart from the data drawn with the same seed


def svm(problems, trained, settings):
    selected = selected_tokens(trained["probabilities"])
    streams = (np.random.default_rng([RANDOM_STREAM, seed]) for seed in problems.seeds)
    drawn = [stream.integers(problems.tokens.shape[2], size=selected.shape[1]) for stream in streams]
    random = np.array(drawn, dtype=int).reshape(selected.shape)
    return {
        "own": certified(problems, selected, "fro"),
        "reversed": certified(replace(problems, tokens=elsewhere(problems)), selected, "fro"),
        "random": proof(certified(problems, random, "fro")),
    }


def elsewhere(problems):
    """The same contents with the features of the distances in reverse; x is the last part of a lifted token."""
    if len(problems) == 0:
        return problems.tokens
    d = int((problems.head != 0).sum(1).max())
    parts = problems.tokens.reshape(*problems.tokens.shape[:3], -1, d)
    content = parts[..., -1, :]
    features = (parts @ content[..., None])[..., 0] / (content**2).sum(-1, keepdims=True)
    return (features[:, :, ::-1, :, None] * content[..., None, :]).reshape(problems.tokens.shape)
