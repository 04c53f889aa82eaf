"""The max-margin v and p of hard attention: which tokens are best is decided among nine convex problems.

A signal token is the same for all inputs of a class, so v classifies by it the clean inputs of the class, or the
flipped ones, or none: nine options for two classes. In each, the inputs left need a margin at their noise token.
Signals and noise are orthogonal, so ‖v‖² is that of the noise problem plus 1/ρ² a served class: the problems are solved
once for every length ρ of the signal, and the least is the global minimum over all choices of tokens.
"""

import numpy as np

from attnsvm.experiments.literature.benign.layer import OPTIONS, SERVED, SIGNAL, parts, served
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.instances import answers
from attnsvm.svm.methods.choice import ACTIVE_SET


def svm(problems, trained, settings):
    """Certified answers, and which of them belong to an instance and a length of the signal.

    Returns:
        "noise", "attention": answers for v on noise tokens, and for p.
        "place": (S, 9) the row of "noise" of each option, −1 where no input is left.
        "option": (S, M) the best option at each length.
        "at": (S, 2, M) rows of "attention": of the best option, and of the signal of every clean input.
    """
    true, flipped, noise, length = parts(problems.tokens, problems.labels)
    lengths = length[:, None] * trained["multiples"]
    place, batch = np.full((len(problems), len(OPTIONS)), -1), []
    for i, label in enumerate(problems.labels):
        for o in range(len(OPTIONS)):
            left = ~served(o, true[i], flipped[i])
            if left.any():
                place[i, o] = len(batch)
                batch.append(at_least_one(label[left, None] * noise[i, left]))
    fitted = answers(batch, method=ACTIVE_SET)
    sizes = np.where(place < 0, 0.0, (fitted["W"][..., 0] ** 2).sum(1)[place])
    classes = np.array([[name != SERVED[2] for name in option] for option in OPTIONS]).sum(1)
    option = (sizes[:, :, None] + classes[:, None] / lengths[:, None] ** 2).argmin(1)
    at, batch = np.empty((len(problems), 2, lengths.shape[1]), dtype=int), []
    for i, k in np.ndindex(option.shape):
        for j, chosen in enumerate(dict.fromkeys((option[i, k], SIGNAL))):
            at[i, j:, k] = len(batch)
            batch.append(selecting(problems.tokens[i], lengths[i, k] / length[i], served(chosen, true[i], flipped[i])))
    return {
        "noise": fitted,
        "place": place,
        "option": option,
        "attention": answers(batch, method=ACTIVE_SET),
        "at": at,
    }


def at_least_one(rows: np.ndarray) -> Constraints:
    """⟨row, w⟩ ≥ 1 for rows (m, d), as constraints on a matrix of one column."""
    m = len(rows)
    index = np.stack([np.arange(m), np.zeros(m, dtype=int), np.ones(m, dtype=int)], 1)
    return Constraints(rows, np.ones((m, 1)), np.ones(m), np.zeros(m, dtype=bool), index)


def selecting(tokens: np.ndarray, scale: float, signal: np.ndarray) -> Constraints:
    """That p selects the signal token of the inputs in `signal` (n,), the noise token of the others."""
    sign = np.where(signal, 1.0, -1.0)[:, None]
    return at_least_one(sign * (scale * tokens[:, 0] - tokens[:, 1]))
