"""Certified solutions for the inputs of one layer, and the part of a head's W that their constraints determine."""

from collections import Counter
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from attnsvm.inspect import cycles
from attnsvm.inspect.layers import Inputs
from attnsvm.svm.audit_log import judged
from attnsvm.svm.constraints import Constraints, ragged
from attnsvm.svm.methods.choice import INTERIOR
from attnsvm.svm.solution import Solution, Status
from attnsvm.svm.solver import claimed, judge, norm_and_tolerance, solve
from attnsvm.system import machine
from attnsvm.system.errors import require

TIGHT = 1e-6  # relative distance to margin one up to which a token is on the margin
MET = 5e-10  # a violation that the checker lets pass
AT_LEAST = 20  # constraints added to a working set at a time
ROUNDS = 50
INDEPENDENT = 1e-12  # singular values, relative to the largest, from which on vectors span a dimension
RIDGE = 1e-10  # relative to constraints of length one: repeated tokens make their Gram matrix singular


class Problem:
    """The inputs of a layer, whatever they select.

    Everything is computed in orthonormal coordinates of the span of the token differences and of that of the queries,
    which all heads of the layer share: products and norms are those of the full matrices.
    """

    def __init__(self, inputs: Inputs):
        self.inputs = inputs
        self.P = _basis(np.concatenate([X - X[0] for X in inputs.tokens]))
        self.Q = _basis(inputs.queries)
        self.tokens = [X @ self.P for X in inputs.tokens]
        self.queries = inputs.queries @ self.Q

    def lower(self, W: np.ndarray) -> np.ndarray:
        """W (d, e) in coordinates: the same logit differences on these inputs."""
        return self.P.T @ W @ self.Q

    def constraints(self, selected: np.ndarray) -> Constraints:
        """One constraint per input and token that it does not select, in coordinates."""
        return ragged(zip(self.tokens, self.queries, selected.tolist(), strict=True))

    def seen_by(self, _: np.ndarray) -> "Problem":
        """The problem as a head sees it: itself."""
        return self

    def index(self, selected: np.ndarray) -> np.ndarray:
        """(m, 3): the input of every constraint, its selected token and the other one."""
        return self.constraints(selected).index

    def margins(self, W: np.ndarray, selected: np.ndarray) -> np.ndarray:
        """(m,) by how much each selected token wins."""
        return self.constraints(selected).apply(self.lower(W))

    def certified(self, selected: np.ndarray, norm: str, _: np.ndarray | None = None) -> Solution:
        """The solution with W (d, e); see `certified`. It counts as one answer, however many solves led to it."""
        c, before = self.constraints(selected), Counter(judged)
        solution = by_a_cycle(c, norm, *self._same) or certified(c, norm)
        judged.clear()
        judged.update(before + Counter([solution.status.value]))
        return solution.lifted(self.P, self.Q)

    @cached_property
    def _same(self):
        return cycles.equal(self.inputs.flat), cycles.equal(self.inputs.queries)

    @cached_property
    def _whatever(self):
        """Constraints of some selection, scaled to length one, and the factor of their Gram matrix."""
        c = self.constraints(np.zeros(len(self.inputs), dtype=int))
        need, free = 2 * 8.0 * len(c) ** 2, machine.memory()
        sentence = f"{len(c)} constraints need {need / 1e9:.1f} GB to be compared, {free / 1e9:.1f} GB are free: "
        require(need < free, sentence + "inspect fewer inputs or shorter texts")
        scale = 1 / np.maximum(c.lengths(), np.finfo(float).tiny)
        left, query = c.factors.left() * scale[:, None], c.factors.query
        gram = (left @ left.T) * (self.queries @ self.queries.T)[np.ix_(query, query)]
        gram[np.diag_indices(len(c))] += RIDGE
        return c, scale, cho_factor(gram, overwrite_a=True)

    def cosines(self, W: np.ndarray, others: list[np.ndarray]) -> list[float]:
        """The cosine of W (d, e) with each of the others, all projected onto the span of the constraint matrices.

        That span is the same for whatever the inputs select; NaN where a projection is zero.
        """
        c, scale, factor = self._whatever
        seen = np.column_stack([c.apply(self.lower(A)) * scale for A in (W, *others)])
        products = seen.T @ cho_solve(factor, seen)
        size = np.sqrt(np.maximum(np.diag(products), 0.0))
        return [
            float(products[0, k] / (size[0] * size[k])) if size[0] > 0 and size[k] > 0 else float("nan")
            for k in range(1, len(products))
        ]


def by_a_cycle(c: Constraints, norm: str, tokens: np.ndarray, queries: np.ndarray) -> Solution | None:
    """Infeasible by a cycle of equal tokens, if there is one and the checker agrees; see `cycles.contradiction`."""
    dual = cycles.contradiction(c.factors.query, c.factors.winner, c.factors.loser, tokens, queries)
    if dual is None:
        return None
    nothing = np.full(c.shape, np.nan)
    answer = judge(
        c, *norm_and_tolerance(norm, None), claimed(Status.INFEASIBLE, nothing, dual, "a cycle of equal tokens")
    )
    return answer if answer.status is Status.INFEASIBLE else None


def certified(c: Constraints, norm: str) -> Solution:
    """`solve`, and in the nuclear norm on those constraints alone that turn out to be tight.

    A layer has far more tokens than support tokens, and so many dimensions that the working set of the solver would
    hold all of them. An answer that is optimal on some constraints and meets the rest is optimal; the checker judges it
    on all constraints.
    """
    first = solve(c, "fro")
    if norm == "fro" or not first.solved:
        return first
    inside = c.apply(first.W) < 1 + TIGHT
    for _ in range(ROUNDS):
        rows = np.flatnonzero(inside)
        part = solve(c[rows], norm, method=INTERIOR)
        if not part.solved:
            break
        margins = c.apply(part.W)
        missing = np.flatnonzero((margins < 1 - MET) & ~inside)
        if len(missing) == 0:
            dual = np.zeros(len(c))
            dual[rows] = part.dual
            answer = judge(c, *norm_and_tolerance(norm, None), replace(part, dual=dual))
            if not answer.solved:
                break
            return answer
        inside[missing[np.argsort(margins[missing])][: max(AT_LEAST, len(rows) // 2)]] = True
    return replace(claimed(Status.UNCERTIFIED, first.W, first.dual, first.method), rejected="no working set was proved")


def _basis(vectors: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the rows."""
    _, sigma, rows = np.linalg.svd(vectors, full_matrices=False)
    return rows[sigma > INDEPENDENT * sigma[0]].T if sigma[0] > 0 else np.eye(vectors.shape[1])[:, :1]
