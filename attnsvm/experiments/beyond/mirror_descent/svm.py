"""The max-margin solutions in the norms of all p of what each run selects; where runs select the same, solved once."""

import numpy as np

from attnsvm.analysis.selection import different_choices, selected_tokens
from attnsvm.svm.instances import certified


def svm(problems, trained, settings):
    names = [(kind, p) for kind, runs in trained.items() for p in runs]
    selected = np.stack([selected_tokens(trained[kind][p]["probabilities"]) for kind, p in names])
    owner, tokens, place = different_choices(selected)
    places = {kind: {} for kind in trained}
    for (kind, p), own in zip(names, place, strict=True):
        places[kind][p] = own
    solutions = {p: certified(problems[owner], tokens, norm(p)) for p in next(iter(trained.values()))}
    return {"place": places, "solutions": solutions}


def norm(p: str) -> str:
    """The norm of ℓp by its name; ℓ2 has a separate solver."""
    return "fro" if float(p) == 2 else f"l{float(p):g}"
