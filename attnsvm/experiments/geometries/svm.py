"""The max-margin solutions in every norm of what each run selects; where runs select the same, solved once."""

import numpy as np

from attnsvm.selection import selected_tokens
from attnsvm.svm import certified


def svm(problems, trained, settings):
    selected = np.stack([selected_tokens(run["probabilities"]) for run in trained.values()])  # (rules, S, n)
    owner, tokens, place = choices(selected)
    return {
        "place": {rule: place[r] for r, rule in enumerate(trained)},
        "selected": tokens,
        "owner": owner,
        "solutions": {norm: certified(problems[owner], tokens, norm) for norm in trained},
    }


def choices(selected: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different choices of tokens (U, n) of selections (rules, S, n), whose they are (U,), and where (rules, S)."""
    rules, S, _ = selected.shape
    instance = np.broadcast_to(np.arange(S)[:, None], (rules, S, 1))
    found, place = np.unique(
        np.concatenate([instance, selected], 2).reshape(rules * S, -1), axis=0, return_inverse=True
    )
    return found[:, 0], found[:, 1:], place.reshape(rules, S)
