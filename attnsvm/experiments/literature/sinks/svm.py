"""The least W that keeps every row on its tokens: the first one, or all tokens alike where there is a trigger."""

import numpy as np

from attnsvm.experiments.literature.sinks.layer import triggers
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.instances import answers
from attnsvm.svm.methods.choice import ACTIVE_SET


def svm(problems, trained, settings):
    """Answers by what they separate: "whole", all rows; "rest", those without a trigger alone. Published runs: none."""
    if len(problems) and problems.labels[0, 0] < 0:
        return {}
    both = {"whole": (False, True), "rest": (False,)}
    solved = {name: [constraints(x, kinds) for x in problems.tokens] for name, kinds in both.items()}
    return {name: answers(batch, method=ACTIVE_SET) for name, batch in solved.items()}


def constraints(x: np.ndarray, kinds: tuple[bool, ...]) -> Constraints:
    """For sequences (n, T, d) the rows i ≥ 1 whose being a trigger's is one of `kinds`, on the tokens t ≤ i.

    Without a trigger: ⟨x_0 − x_t, W x_i⟩ ≥ 1, t ≥ 1. With one: ⟨x_1 − x_0, W x_i⟩ ≥ 1, ⟨x_1 − x_t, W x_i⟩ = 0, t ≥ 2.
    """
    found, T = [], x.shape[1]
    for (s, i), trigger in np.ndenumerate(triggers(x)):
        if i and bool(trigger) in kinds:
            anchor = int(trigger)
            found += [(s * T + i, anchor, t) for t in range(i + 1) if t != anchor]
    index = np.array(found)
    (row, anchor, other), flat = index.T, x.reshape(-1, x.shape[2])
    first = row - row % T
    equality = (anchor == 1) & (other > 0)
    return Constraints(
        flat[first + anchor] - flat[first + other], flat[row], (~equality).astype(float), equality, index
    )
