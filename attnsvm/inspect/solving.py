"""Certified solutions for the inputs of one layer, and what of a head's W the constraints can see."""

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from attnsvm.errors import require
from attnsvm.inspect.layers import Inputs
from attnsvm.svm import Constraints, Solution, Status, memory, methods, ragged, solve
from attnsvm.svm.checker import check
from attnsvm.svm.solver import tolerance

TIGHT = 1e-6  # relative distance to margin one up to which a token is on the margin
MET = 5e-10  # a violation that the checker lets pass
AT_LEAST = 20  # constraints added to a working set at a time
ROUNDS = 50
RIDGE = 1e-10  # relative to constraints of length one: repeated tokens make their Gram matrix singular


def constraints(inputs: Inputs, selected: np.ndarray) -> Constraints:
    """One per input and token that it does not select; neighbours have the same input."""
    return ragged(zip(inputs.tokens, inputs.queries, selected.tolist(), strict=True))


def certified(c: Constraints, norm: str) -> Solution:
    """`solve`, and in the nuclear norm on those constraints alone that turn out to be tight.

    A layer has far more tokens than support tokens, and so many dimensions that the solver's own working set is all of
    them. What is optimal on some constraints and meets the rest is optimal; the checker judges it on all.
    """
    first = solve(c, "fro")
    if norm == "fro" or not first.solved:
        return first
    inside = c.apply(first.W) < 1 + TIGHT
    for _ in range(ROUNDS):
        rows = np.flatnonzero(inside)
        part = solve(c[rows], norm, method=methods.INTERIOR)
        if not part.solved:
            break
        margins = c.apply(part.W)
        missing = np.flatnonzero((margins < 1 - MET) & ~inside)
        if len(missing) == 0:
            claim = replace(part, dual=_spread(part.dual, rows, len(c)))
            reason = check(c.factors, c.bound, c.equality, norm, tolerance(norm), claim)
            if not reason:
                return claim
            break
        inside[missing[np.argsort(margins[missing])][: max(AT_LEAST, len(rows) // 2)]] = True
    return replace(first, status=Status.UNCERTIFIED, rank=0, rejected="no working set was proved", gap=np.inf)


def _spread(dual, rows, size):
    whole = np.zeros(size)
    whole[rows] = dual
    return whole


class Span:
    """The span of the constraint matrices of some inputs, whatever they select: what the SVM can see of a W."""

    def __init__(self, inputs: Inputs):
        self.all = constraints(inputs, np.zeros(len(inputs), dtype=int))
        size = len(self.all)
        need, free = 2 * 8.0 * size**2, memory.available()
        sentence = f"{size} constraints need {need / 1e9:.1f} GB to be compared, {free / 1e9:.1f} GB are free: "
        require(need < free, sentence + "inspect fewer inputs or shorter texts")
        self.scale = 1 / np.maximum(self.all.lengths(), np.finfo(float).tiny)
        factors = self.all.factors
        left = factors.left() * self.scale[:, None]
        gram = (left @ left.T) * (factors.queries @ factors.queries.T)[np.ix_(factors.query, factors.query)]
        gram[np.diag_indices(size)] += RIDGE
        self.factor = cho_factor(gram, overwrite_a=True)

    def cosines(self, W: np.ndarray, others: list[np.ndarray]) -> list[float]:
        """The cosine of W with each of the others, all projected onto the span; NaN where either part is zero."""
        seen = np.column_stack([self.all.apply(A) * self.scale for A in (W, *others)])
        products = seen.T @ cho_solve(self.factor, seen)
        size = np.sqrt(np.maximum(np.diag(products), 0.0))
        return [
            float(products[0, k] / (size[0] * size[k])) if size[0] > 0 and size[k] > 0 else float("nan")
            for k in range(1, len(products))
        ]
