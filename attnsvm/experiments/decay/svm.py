"""The solutions in every norm for the tokens that each run ends on, with the least decay; the same are solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices
from attnsvm.experiments.decay.rules import NORMS
from attnsvm.svm.instances import certified


def selected(problems, W):
    """The tokens (S, ..., n) of largest logit, for weights W (S, ..., d, d)."""
    flat = W.reshape(len(W), -1, *W.shape[-2:])
    along = problems.queries[:, None] @ flat.swapaxes(2, 3)
    logits = (problems.tokens[:, None] @ along[..., None])[..., 0]
    return logits.argmax(-1).reshape(*W.shape[:-2], -1)


def svm(problems, trained, settings):
    ends = np.stack([selected(problems, run["weights"][:, -1]) for run in trained.values()])
    owner, tokens, place = different_choices(ends)
    return {
        "place": dict(zip(trained, place, strict=True)),
        "selected": tokens,
        "solutions": {norm: certified(problems[owner], tokens, norm) for norm in NORMS},
    }
