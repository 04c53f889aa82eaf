"""Train the instances with a label −1, and keep the logs of those whose final softmax is decided.

A seed is rejected by name: no label is −1; a final softmax entry lies in (1e-6, 1e-3], so that it is undecided whether
its token is selected; or no entry is ≤ 1e-6, so that nothing is left out.
"""

import numpy as np

from attnsvm.analysis.selection import SELECTED_ABOVE
from attnsvm.training.descent import train
from attnsvm.training.heads.relu import ReluHead
from attnsvm.training.runs import how_to_train

UNSELECTED = 1e-6  # softmax probability up to which a token counts as left out, as published
BATCH = 4096  # instances whose logs are held before the rejected ones are dropped


def descent(problems, settings, progress):
    progress.expect(len(problems))
    how = how_to_train(settings) | {"every": settings["log_every"], "progress": progress}
    outcome = np.full(len(problems), "no label is -1", dtype="U40")
    trainable = np.flatnonzero((problems.labels < 0).any(1))
    progress(len(problems) - len(trainable))
    kept = []
    for start in range(0, max(len(trainable), 1), BATCH):
        index = trainable[start : start + BATCH]
        log = train(problems[index], ReluHead, "W", **how)
        outcome[index] = decision(log.probabilities)
        good = outcome[index] == "decided"
        kept.append((index[good], log[good]))
    return {
        "outcome": outcome,
        "kept": np.concatenate([index for index, _ in kept]),
        "steps": kept[0][1].steps,
        "weights": np.concatenate([log.weights for _, log in kept]),
        "probabilities": np.concatenate([log.probabilities for _, log in kept]),
    }


def decision(probabilities: np.ndarray) -> np.ndarray:
    """The verdict on final softmax probabilities (S, n, T): "decided", or why the instance is rejected."""
    undecided = ((probabilities > UNSELECTED) & (probabilities <= SELECTED_ABOVE)).any((1, 2))
    complete = (probabilities > UNSELECTED).all((1, 2))
    return np.select([undecided, complete], ["undecided softmax entry", "no token left out"], "decided")
