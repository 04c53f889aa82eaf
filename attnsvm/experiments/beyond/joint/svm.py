"""The SVM of v on the tokens that W selects, and five SVMs of W that ask for different margins.

`even`: margin 1 for all inputs. `relaxed`: margin 1 for the support vectors of v's SVM, the same winner for the others.
`only`: margin 1 for the support vectors, no constraint for the others. `graded`: what equal slopes ask for. The slope
at input i falls like exp(−N_i − M_i), with N_i = Y_i vᵀx_iα and M_i the smallest margin of W there: with M that of the
support vectors, whose N is the least, the other inputs need max(0, 1 − (N_i − min N)/M) of it. `shuffled`, a control:
the margins of `graded`, each given to the next input.
"""

import numpy as np

from attnsvm.analysis.margins import smallest_margin
from attnsvm.analysis.selection import SUPPORT_TOLERANCE, selected_tokens
from attnsvm.svm.constraints import Constraints, separation
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch


def svm(problems, trained, settings):
    return {rate: _solved(problems, run) for rate, run in trained.items()}


def _solved(problems, run):
    selected = selected_tokens(run["probabilities"])
    others = (selected + 1) % problems.tokens.shape[2]
    vectors, control = (solve_batch(_head_problems(problems, chosen)) for chosen in (selected, others))
    support = np.array([answer.dual > SUPPORT_TOLERANCE * answer.dual.max() for answer in vectors])
    graded = asked(problems, run, selected, support, np.stack([answer.W[:, 0] for answer in vectors]))
    ones = np.ones(selected.shape)
    bounds = {"even": ones, "relaxed": ones * support, "graded": graded, "shuffled": np.roll(graded, 1, axis=1)}
    inputs = list(zip(problems.tokens, problems.queries, selected, strict=True))
    solved = {
        name: as_arrays(solve_batch([separation(*one, bound=b) for one, b in zip(inputs, bound, strict=True)]))
        for name, bound in bounds.items()
    }
    only = [separation(*(part[kept] for part in one)) for one, kept in zip(inputs, support, strict=True)]
    solved |= {"only": as_arrays(solve_batch(only)), "v": as_arrays(vectors), "v_other": as_arrays(control)}
    return solved | {"support": support, "asked": graded}


def _head_problems(problems, selected):
    """min ‖v‖ with Y_i vᵀx_iα ≥ 1, as constraints on a matrix of one column."""
    x = np.take_along_axis(problems.tokens, selected[..., None, None], 2)[:, :, 0] * problems.labels[..., None]
    n = x.shape[1]
    index = np.stack([np.arange(n), np.zeros(n, int), np.zeros(n, int)], axis=1)
    return [Constraints(left, np.ones((n, 1)), np.ones(n), np.zeros(n, bool), index) for left in x]


def asked(problems, run, selected, support, solution):
    """The margins of `graded`, (S, n): from v's certified direction, the norm of v, and one number of W, its M."""
    x = np.take_along_axis(problems.tokens, selected[..., None, None], 2)[:, :, 0]
    size = np.linalg.norm(run["v"], axis=1) / np.linalg.norm(solution, axis=1)
    N = problems.labels * (x @ solution[..., None])[..., 0] * size[:, None]
    each = [
        smallest_margin(problems.tokens[:, i : i + 1], problems.queries[:, i : i + 1], run["W"], selected[:, i : i + 1])
        for i in range(N.shape[1])
    ]
    M = np.where(support, np.stack(each, axis=1), np.inf).min(1)
    lead = N - N.min(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(support, 1.0, np.clip(1.0 - lead / np.maximum(M, 0.0)[:, None], 0.0, 1.0))
