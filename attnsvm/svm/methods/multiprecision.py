"""Least Frobenius norm in 384 bits, from a guess of the active set: for what float64 cannot decide.

An active-set method on the dual, max bᵀy − ½‖Aᵀy‖² − ½δ‖y‖² over y ≥ 0, with a ridge δ = 2⁻²⁰⁰ that keeps every system
solvable. Rows that depend on each other show by a solution of size 1/δ, which is then a direction along which the dual
grows without end: a Farkas certificate. Only active rows, and rows whose margin float64 cannot tell from tight, are
ever formed. Nothing here is rigorous: the checker is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat, ctx

from attnsvm.svm.constraints import Constraints


@dataclass(frozen=True)
class Options:
    """The numbers that decide in this method; rows have length one.

    Attributes:
        bits: working precision.
        ridge: δ, as a power of two: far below the square of any margin that float64 data of ordinary size have.
        unbounded: size, relative to the bounds, from which a solution shows dependent rows, as a power of two.
        zero: relative size up to which a number counts as zero, as a power of two.
        unsure: margins, relative to ‖W‖, below which float64 does not tell whether a row is violated.
        rows: largest active set; its factor takes 0.3 s. Of inequalities, one more than unknowns at most.
        steps: largest number of changes of the active set; one of fewer than a hundred rows is changed oftener.
        large: sum of the multipliers of a combination of norm one from which their rounding matters: its square, times
            that of an ulp, is a gap.
        tries: roundings among which the best is chosen.
    """

    bits: int = 384
    ridge: int = -200
    unbounded: int = 110
    zero: int = -150
    unsure: float = 1e-13
    rows: int = 300
    steps: int = 400
    large: float = 1e9
    tries: int = 64


OPTIONS = Options()
Answer = tuple[np.ndarray, np.ndarray, bool]


def least_norm(c: Constraints, guess: np.ndarray, options: Options = OPTIONS) -> Answer | None:
    """(W, multipliers, True) or (NaN (d, e), Farkas certificate (m,), False); None if the active set is too large.

    The multipliers combine the constraints to a matrix of norm one.

    Args:
        guess: (m,) multipliers near the right ones, or only of a similar support.

    The support of the answer is independent, and that of a certificate minimal, unless the equalities alone exclude
    each other.
    """
    support = np.flatnonzero((guess != 0) | (c.equality & (c.lengths() > 0)))
    unknowns = c.shape[0] * c.shape[1]
    if not 0 < len(support) <= options.rows or np.count_nonzero(~c.equality[support]) > unknowns + 1:
        return None
    with ctx.workprec(options.bits):
        return _ActiveSet(c, options).solved(support, guess)


class _ActiveSet:
    """Rows S in 384 bits, each times a power of two that makes it about as long as one, with multipliers y.

    `left` (s, d), `right` (s, e) and the Gram matrix `gram` (s, s) are lists of rows.
    """

    def __init__(self, c: Constraints, options: Options):
        self.c, self.options = c, options
        self.lengths = c.lengths()
        self.power = -np.frexp(self.lengths)[1]
        self.zero, self.ridge, self.unbounded = (
            arb(2) ** power for power in (options.zero, options.ridge, options.unbounded)
        )
        self.rows: list[int] = []
        self.left: list[list[arb]] = []
        self.right: list[list[arb]] = []
        self.gram: list[list[arb]] = []
        self.y: list[arb] = []

    def solved(self, support: np.ndarray, guess: np.ndarray) -> Answer | None:
        start = np.ldexp(guess[support], -self.power[support])
        start = start / (np.abs(start).max() or 1.0)
        equal = self.c.equality[support]
        for some in (equal, ~equal):
            self.add(support[some], [arb(float(y)) for y in start[some]])
            while some is equal and (v := self.null_vector()) is not None:  # equalities that follow from others
                if abs(self.promise(v)) > self.zero * max(map(abs, self.bounds())):
                    self.leave(v if self.promise(v) > 0 else [-entry for entry in v])
                    return np.full(self.c.shape, np.nan), self.multipliers(), False
                self.drop([max(range(len(v)), key=lambda k: abs(v[k]))])
        for _ in range(max(self.options.steps, self.options.steps * 10**4 // len(support) ** 2)):
            goal = self.solution(self.bounds())
            leaving = [k for k in self.signed() if goal[k] <= 0]
            if leaving:
                self.walk(goal, leaving)
            elif max(map(abs, goal)) > self.unbounded * max(map(abs, self.bounds())):
                return self.certificate(goal)
            else:
                self.y = goal
                W = self.matrix()
                worst = self.most_violated(W)
                if worst is None:
                    self.make_independent()
                    return _floats(W), self.well_rounded(), True
                if len(self.rows) == self.options.rows:
                    return None
                self.add(np.array([worst]), [arb(0)])
        return None

    def add(self, numbers: np.ndarray, y: list[arb]) -> None:
        if len(numbers) == 0:
            return
        left, right = self.vectors(numbers)
        self.rows += numbers.tolist()
        self.left += left.tolist()
        self.right += right.tolist()
        self.y += y
        across = (arb_mat(self.left) * left.transpose(), arb_mat(self.right) * right.transpose())
        columns = [
            [a * b for a, b in zip(*rows, strict=True)] for rows in zip(*(x.tolist() for x in across), strict=True)
        ]
        for row, column in zip(self.gram, columns, strict=False):
            row += column
        known = len(self.gram)
        self.gram += [[columns[k][a] for k in range(known)] + columns[known + a] for a in range(len(numbers))]

    def drop(self, places: list[int]) -> None:
        parts: list[list] = [self.rows, self.left, self.right, self.y, self.gram, *self.gram]
        for part in parts:
            for place in sorted(places, reverse=True):
                del part[place]

    def vectors(self, numbers: np.ndarray) -> tuple[arb_mat, arb_mat]:
        """The two vectors of some rows, (s, d) and (s, e)."""
        f = self.c.factors.take(numbers)
        left = arb_mat(f.tokens[f.winner].tolist()) - arb_mat(f.tokens[f.loser].tolist())
        powers = [arb(2) ** int(power) for power in self.power[numbers]]
        rows = [[power * entry for entry in row] for power, row in zip(powers, left.tolist(), strict=True)]
        return arb_mat(rows), arb_mat(f.queries[f.query].tolist())

    def bounds(self) -> list[arb]:
        return [arb(float(self.c.bound[k])) * arb(2) ** int(self.power[k]) for k in self.rows]

    def signed(self) -> list[int]:
        """The places of the inequalities."""
        return [place for place, k in enumerate(self.rows) if not self.c.equality[k]]

    def solution(self, right_hand_side: list[arb]) -> list[arb]:
        """(G + δI)⁻¹ of it."""
        system = [[*row[:k], row[k] + self.ridge, *row[k + 1 :]] for k, row in enumerate(self.gram)]
        found = arb_mat(system).solve(arb_mat([[b] for b in right_hand_side]), algorithm="approx")
        return [entry.mid() for entry in found.entries()]

    def walk(self, goal: list[arb], leaving: list[int]) -> None:
        """From y towards the goal until a multiplier reaches zero, which leaves."""
        ratios = {k: (self.y[k] / (self.y[k] - goal[k])).mid() if self.y[k] > 0 else arb(0) for k in leaving}
        ratio = min(ratios.values())
        self.y = [(y + ratio * (end - y)).mid() for y, end in zip(self.y, goal, strict=True)]
        self.drop([k for k in leaving if ratios[k] == ratio])

    def matrix(self) -> arb_mat:
        """W = Σ_k y_k A_k, (d, e)."""
        weighted = [[y * entry for entry in row] for y, row in zip(self.y, self.left, strict=True)]
        return (arb_mat(weighted).transpose() * arb_mat(self.right)).mid()

    def most_violated(self, W: arb_mat) -> int | None:
        """The row that W violates most in units of its length, nearly; None where all are met."""
        near = _floats(W)
        size = np.linalg.norm(near)
        lack = (self.c.bound - self.c.apply(near)) / np.where(self.lengths > 0, self.lengths, np.inf)
        lack[self.rows] = -np.inf
        lack[self.c.equality] = -np.inf
        if lack.max() > self.options.unsure * size:
            return int(lack.argmax())
        unsure = np.flatnonzero(lack > -self.options.unsure * size)
        if len(unsure) == 0:
            return None
        left, right = self.vectors(unsure)
        products = (right * W.transpose()).tolist()
        lacks = []
        for k, row, product in zip(unsure, left.tolist(), products, strict=True):
            reached = sum((a * b for a, b in zip(row, product, strict=True)), arb(0))
            lacks.append((arb(float(self.c.bound[k])) * arb(2) ** int(self.power[k]) - reached).mid())
        worst = max(lacks)
        return int(unsure[lacks.index(worst)]) if worst > self.zero * arb(float(size)) else None

    def null_vector(self) -> list[arb] | None:
        """A combination of the rows that is zero, of size one; None if they are independent."""
        if not self.rows:
            return None
        random = np.random.default_rng(0).uniform(1.0, 2.0, len(self.rows))
        found = self.solution([arb(float(value)) for value in random])
        return _of_size_one(found) if max(map(abs, found)) > self.unbounded else None

    def make_independent(self) -> None:
        """Rows leave until the rest is independent; W stays what it is."""
        while (v := self.null_vector()) is not None:
            upward = any(v[k] > self.zero for k in self.signed())
            self.leave(self.shifted(self.y, v if upward else [-entry for entry in v]))

    def shifted(self, y: list[arb], v: list[arb]) -> list[arb]:
        """y less the multiple of v that takes the first multiplier of an inequality to zero.

        Where v has equalities alone, one of these leaves: it follows from the others.
        """
        signed = [k for k in self.signed() if v[k] > self.zero]
        out = min(signed, key=lambda k: y[k] / v[k]) if signed else max(range(len(v)), key=lambda k: abs(v[k]))
        ratio = y[out] / v[out]
        new = [(one - ratio * entry).mid() for one, entry in zip(y, v, strict=True)]
        new[out] = arb(0)
        return new

    def leave(self, y: list[arb]) -> None:
        """y are the multipliers; rows whose multiplier is zero leave."""
        size, equality = max(map(abs, y)) * self.zero, self.c.equality
        self.y = y
        self.drop([k for k, one in enumerate(y) if one == 0 or (one <= size and not equality[self.rows[k]])])

    def promise(self, y: list[arb]) -> arb:
        """bᵀy."""
        return sum((b * one for b, one in zip(self.bounds(), y, strict=True)), arb(0)).mid()

    def certificate(self, y: list[arb]) -> Answer | None:
        """The direction y, on a minimal support."""
        self.leave(_of_size_one(y))
        while (v := self.null_vector()) is not None:
            at = max(range(len(v)), key=lambda k: abs(v[k]))
            along = self.y[at] / v[at]
            apart = [(y - along * entry).mid() for y, entry in zip(self.y, v, strict=True)]
            if max(map(abs, apart)) <= self.zero:  # no other null vector
                return np.full(self.c.shape, np.nan), self.multipliers(), False
            shorter = []
            for direction in (apart, [-entry for entry in apart]):
                if any(direction[k] > self.zero for k in self.signed()):
                    shorter.append(self.shifted(self.y, direction))
                else:  # the opposite direction is itself non-negative on the inequalities
                    opposite = [-entry for entry in direction]
                    shorter += [self.shifted(opposite, self.y), self.shifted(self.y, opposite)]
            self.leave(max(map(_of_size_one, shorter), key=self.promise))
        return None

    def multipliers(self) -> np.ndarray:
        """(m,) of the constraints as they are, not scaled."""
        dual = np.zeros(len(self.c))
        dual[self.rows] = [float(y) for y in self.y]
        return np.ldexp(dual, self.power)

    def well_rounded(self) -> np.ndarray:
        """`multipliers`, such that Σ_k y_k A_k has norm one, but for a few ulps.

        Where multipliers are so large that their own rounding moves Σ_k y_k A_k visibly, the ulps are chosen for which
        it moves least.
        """
        size = self.promise(self.y).sqrt()  # bᵀy = ‖W‖²
        if size > 0:
            self.y = [(y / size).mid() for y in self.y]
        if sum(abs(float(y)) for y in self.y) < self.options.large:
            return self.multipliers()
        exact, best, least = self.y, self.multipliers(), np.inf
        left, right = (np.array([[float(entry) for entry in row] for row in part]) for part in (self.left, self.right))
        for ulps in range(self.options.tries):
            factor = 1 + arb(ulps) * arb(2) ** -50
            self.y = [(y * factor).mid() for y in exact]
            lost = np.array([float(y - arb(float(y))) for y in self.y])
            moved = float(np.linalg.norm((left * lost[:, None]).T @ right))
            if moved < least:
                best, least = self.multipliers(), moved
        return best


def _of_size_one(y: list[arb]) -> list[arb]:
    size = max(map(abs, y))
    return [(entry / size).mid() for entry in y]


def _floats(W: arb_mat) -> np.ndarray:
    return np.array([float(entry) for entry in W.entries()]).reshape(W.nrows(), W.ncols())
