"""The terms of the theorems of docs/theory.md for one instance of two layers, and what they say of the weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnsvm.analysis.composition import forward
from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.forces import multipliers
from attnsvm.experiments.beyond.layers.next_order import behind
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import train_stack

TWO = Stack(layers=2)
NEAR = 1e-6  # of a margin that is one or zero, relative


@dataclass
class Term:
    """A matrix of both layers and its multiplier in u.

    Attributes:
        input, row, token: i, j, t; a term of the top has no token.
        matrix: (2, d, d).
        multiplier: λ or ν.
        beta: ⟨x_t − x_w, u_2 z⟩ (level terms).
    """

    input: int
    row: int
    token: int | None
    matrix: np.ndarray
    multiplier: float
    beta: float = np.nan


class Instance:
    """Instance s of a batch, by what its rows end at and by the solutions and multipliers of both layers."""

    def __init__(self, problems, ends, solved, s):
        self.X, self.Z = problems.tokens[s], problems.queries[s]
        self.Y, self.v, self.one = problems.labels[s], problems.head[s], problems[s : s + 1]
        self.chosen, self.counts = ends.chosen[s, 0, 0], ends.counts[s, 0]
        self.composed, self.mixture = ends.rows.tokens[s, 1], ends.mixed[s, 0, 0]
        self.alpha = ends.rows.top[s, 0, :, 0].argmax(-1)
        W = np.stack([solved[layer]["W"][s] for layer in ("1", "2")])
        self.rho = 1 / np.linalg.norm(W)
        self.u = W * self.rho
        dual = multipliers(solved, ends.counts[:, 0].shape)
        self.below, self.top = dual.below[s] * self.rho, dual.top[s] * self.rho
        self.support, self.held, self.mixed = [], [], []
        for i, rows in enumerate(self.chosen):
            for j, w in enumerate(rows):
                self._row(i, j, w)
        self.behind = behind(problems, ends, solved, dual, s)  # None where H2, H3′ or H4 fails

    def score(self, i, x):
        return self.Y[i] * x @ self.v

    def pair(self, below=None, top=None):
        """Matrices of both layers, (2, d, d)."""
        nothing = np.zeros_like(self.u[0])
        return np.stack([nothing if below is None else below, nothing if top is None else top])

    def _row(self, i, j, w):
        X, z, alpha, u = self.X[i], self.Z[i], self.alpha[i], self.u
        others = [t for t in range(len(X)) if t != w]
        A = {t: np.outer(X[w] - X[t], X[j]) for t in others}
        if j == alpha:
            for t in others:
                if (A[t] * u[0]).sum() < self.rho * (1 + NEAR):
                    self.support.append(Term(i, j, t, self.pair(A[t]), self.below[i, j, t]))
            return
        B = np.outer(self.composed[i, alpha] - X[j] - X[w], z)
        margin, along = (B * u[1]).sum(), (X - X[w]) @ u[1] @ z
        if mixture := np.flatnonzero(self.mixture[i, j]).tolist():
            (t,) = mixture
            sign = np.sign(
                along[t]
            )  # w composes a token inside the margin above, t one outside; or the other way round
            self.mixed.append(Term(i, j, t, sign * self.pair(A[t]), sign * self.below[i, j, t], abs(along[t])))
            return
        if margin < self.rho * (1 + NEAR):
            self.support.append(Term(i, j, None, self.pair(top=B), self.top[i, j]))
        for t in others:
            if (A[t] * u[0]).sum() < NEAR * self.rho:
                self.held.append(Term(i, j, t, self.pair(A[t]), self.below[i, j, t], beta=along[t]))

    @property
    def terms(self):
        return [*self.support, *self.held, *self.mixed]

    @cached_property
    def matrices(self):
        """(terms, 2·d·d)."""
        return np.stack([term.matrix.ravel() for term in self.terms])

    @cached_property
    def multipliers(self):
        return np.array([term.multiplier for term in self.terms])

    def next_order(self):
        """V and ξ^∞, (2, d, d) each, of W = r u + (log r) V + ξ^∞ + ζ, as the audit finds them."""
        _, (_, V, finite) = self.behind
        return V.reshape(self.u.shape), finite.reshape(self.u.shape)

    def spanned(self, W):
        """The part of W (2, d, d) in the span of all terms."""
        return (np.linalg.pinv(self.matrices) @ (self.matrices @ W.ravel())).reshape(W.shape)

    def off(self, W):
        """P(W − r u) − (log r) V − ξ^∞, which the theorem sends to zero."""
        V, finite = self.next_order()
        r = (W * self.u).sum()
        return self.spanned(W) - r * self.u - np.log(r) * V - finite

    def rows(self, W):
        """At W (2, d, d): log p (n, T, T) of the rows below, log P (n, T) of the top, composed tokens (n, T, d)."""
        rows = forward(TWO, self.X[None], self.Z[None], W[None, :, None])
        return rows.below[0, 0, 0], rows.top[0, 0, :, 0], rows.tokens[0, 1]

    def psi(self, W):
        """−log of n(ℒ − ℒ_0) to first order, sums in logarithms: the largest exponents of both layers."""
        below, top, composed = self.rows(W)
        logs = []
        for i, alpha in enumerate(self.alpha):
            slope = np.log(1 / (1 + np.exp(self.score(i, self.composed[i, alpha]))))
            w = self.chosen[i, alpha]
            lost = self.score(i, composed[i, alpha] - composed[i]), self.score(i, self.X[i, w] - self.X[i])
            for size, log, winner in zip(lost, (top[i], below[i, alpha]), (alpha, w), strict=True):
                lower = (size > 0) & (np.arange(len(size)) != winner)
                logs.append(slope + np.log(size[lower]) + log[lower])
        return -np.logaddexp.reduce(np.concatenate(logs))

    def descend(self, W, steps, rate=0.1):
        """The weights after so many normalised steps."""
        start = (W[None, :, None],)
        return train_stack(self.one, TWO, LinearHead, exact(rate), steps, steps, start=start).weights[0, -1, :, 0]


def far(W, u):
    """1 − ⟨u, W/‖W‖⟩."""
    return 1 - (W * u).sum() / np.linalg.norm(W)
