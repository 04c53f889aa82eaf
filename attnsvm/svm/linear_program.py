"""Answers as linear programs in rationals, with what proves them, for checkers of others (`vipr`, `lean`).

Every refutation has this form, whatever the norm, and so do optima in the norms l1 and linf. The numbers are exact:
those of the problem, W projected on the equalities and scaled by its least margin, the multipliers scaled by their dual
norm.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpz, fmpz_mat

from attnsvm.svm import certificate
from attnsvm.svm.rational import Integers, Products
from attnsvm.system.errors import require
from attnsvm.system.writing import replacing

NORMS = ("l1", "linf")  # whose optima are those of linear programs
LARGEST = 2**24  # numbers in a certificate
ONE = fmpq(1)


class Row(NamedTuple):
    """A constraint: Σ `entries`[place] x_place is `bound` at least, or where `equal` is bound."""

    name: str
    equal: bool
    bound: fmpq
    entries: dict[int, fmpq]


class Proof(NamedTuple):
    """A linear program and what proves its answer.

    Attributes:
        names: of the variables, the entries of W first, row by row.
        size, rows: how many constraints there are, and an iterator of them.
        weights: {row: multiplier}. They combine the rows to 0 ≥ `low`, or to objective ≥ `low`.
        low: above zero where the constraints exclude one another.
        objective: {variable: coefficient}, to be least; nothing in a refutation.
        point: {variable: value} that keeps the constraints, of the objective `high`; None in a refutation.
    """

    names: list[str]
    size: int
    rows: Callable[[], Iterator[Row]]
    weights: dict[int, fmpq]
    low: fmpq
    objective: dict[int, fmpq]
    point: dict[int, fmpq] | None = None
    high: fmpq | None = None


def export(
    path: str | os.PathLike,
    out: str | os.PathLike,
    lines: Callable[[Proof], Iterator[str]],
    problem: str | os.PathLike | None = None,
) -> str:
    """Write the answer of a file as a certificate for another checker; what it says in one line.

    Args:
        path: an answer, which is verified first, and `problem`, as in `certificate.verify`.
        out: the certificate.
        lines: of the certificate, `vipr.lines` or `lean.lines`.

    Raises:
        UserError, ValueError: the answer does not hold, or it is of no linear program; one sentence says why.
    """
    certificate.verify(path, problem)
    given = certificate.load(path)
    status, norm = str(given["status"]), str(given["norm"])
    linear = status == "infeasible" or (status == "solved" and norm in NORMS)
    require(
        linear, f"{path}: {status} in the norm {norm} is no linear program: refutations and optima in l1 and linf are"
    )
    named = Path(path).parent / Path(str(given["problem"])).name if problem is None else Path(problem)
    kept = not (Path(out).exists() and Path(out).samefile(named))
    require(kept, f"{out}: would overwrite the tokens of {path}; choose another place")
    program = Program(*certificate.matrices(certificate.read(named)))
    require(program.size() <= LARGEST, f"{path}: its certificate would hold {program.size():.0e} numbers")
    if status == "infeasible":
        proof = program.refutation([fmpz(text) for text in given["farkas"].tolist()])
        says = "no W separates the tokens"
    else:
        W = given["W"] if "W" in given else given["W_left"] @ given["W_right"].T
        proof = program.optimum(norm, W, given["dual"])
        assert proof.high is not None
        ends = [certificate.written(int(e.p), int(e.q), 12, up) for e, up in ((proof.low, False), (proof.high, True))]
        says = f"the least norm {norm} is between {' and '.join(ends)}"
    with replacing(out, checksum=False) as temporary, open(temporary, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in lines(proof))
    return f"{out}: {says}"


class Program:
    """The linear program of a problem: the entries of W are its first variables, row by row.

    Args:
        matrices, bound, equality: as `certificate.matrices` returns them. Each constraint is written times a power of
            two that makes its coefficients integers.
    """

    def __init__(self, matrices, bound: np.ndarray, equality: np.ndarray):
        self.products, self.bound, self.equality = Products(matrices), bound, equality
        self.shape = matrices[0].shape[1], matrices[1].shape[1]
        self.count = self.shape[0] * self.shape[1]
        self.unit = fmpq(2) ** -self.products.exponent  # of the integers of A_k
        self.bounds = [fmpq(int(b)) * self.unit for b in bound]
        self.names = [f"W_{a}_{b}" for a in range(self.shape[0]) for b in range(self.shape[1])]

    def size(self) -> int:
        return len(self.bound) * self.count

    def refutation(self, weights: list[fmpz]) -> Proof:
        """That the constraints exclude one another, by integers (m,)."""
        promised = sum((weight * bound for weight, bound in zip(weights, self.bounds, strict=True)), fmpq(0))
        used = {k: fmpq(weight) for k, weight in enumerate(weights) if weight}
        return Proof(self.names, len(self.bound), self._rows, used, promised, {})

    def optimum(self, norm: str, W: np.ndarray, dual: np.ndarray) -> Proof:
        """That the least norm is between two numbers."""
        w, weights = self._feasible(W), [fmpq(int(weight)) for weight in Integers(dual).values]
        rows = np.flatnonzero(dual)
        M = [fmpq(int(x)) for x in self.products.combined(rows, Integers(dual).values[rows]).ravel()]
        sizes, N = [abs(x) for x in M], self.count
        scale = (max(sizes) if norm == "l1" else sum(sizes, fmpq(0))) or ONE  # zero where nothing is asked
        weights, M, sizes = ([x / scale for x in column] for column in (weights, M, sizes))
        # t_a ≥ ±W_a, one t for all entries in the norm linf. The halves of these rows, weighted so that W cancels
        # against Σ λ_k A_k, add up to Σ t_a ≥ Σ λ_k b_k.
        slack = sizes if norm == "linf" and any(sizes) else [ONE] + [ONE * (norm == "l1")] * (N - 1)
        halves = {len(self.bound) + a: (slack[a] + M[a]) / 2 for a in range(N)}
        halves |= {len(self.bound) + N + a: (slack[a] - M[a]) / 2 for a in range(N)}
        extra = [N + a if norm == "l1" else N for a in range(N)]
        more = [
            Row(f"{name}{a}", False, fmpq(0), {a: sign * ONE, extra[a]: ONE})
            for name, sign in (("p", -1), ("n", 1))
            for a in range(N)
        ]
        low = sum((weight * bound for weight, bound in zip(weights, self.bounds, strict=True)), fmpq(0))
        high = sum(map(abs, w), fmpq(0)) if norm == "l1" else max(map(abs, w))
        point = dict(enumerate(w)) | (dict(enumerate(map(abs, w), N)) if norm == "l1" else {N: high})
        names = [*self.names, *(f"t_{a}" for a in range(len(set(extra))))]
        used = {k: weight for k, weight in (dict(enumerate(weights)) | halves).items() if weight}
        return Proof(
            names,
            len(self.bound) + len(more),
            lambda: itertools.chain(self._rows(), more),
            used,
            low,
            dict.fromkeys(extra, ONE),
            {place: number for place, number in point.items() if number},
            high,
        )

    def _rows(self) -> Iterator[Row]:
        """The constraints of the problem."""
        for k, (left, query) in enumerate(zip(self.products.left, self.products.query, strict=True)):
            row = np.outer(left, self.products.queries[query]).ravel()
            yield Row(
                f"A{k}", bool(self.equality[k]), self.bounds[k], {a: fmpq(int(x)) for a, x in enumerate(row) if x}
            )

    def _feasible(self, W: np.ndarray) -> list[fmpq]:
        """W projected on the equalities and scaled so that its least margin is one, exactly."""
        whole, rows = Integers(W), np.flatnonzero(self.equality)
        w, scale = whole.values.astype(object), 1
        if len(rows):
            left, right = self.products.left[rows], self.products.queries[self.products.query[rows]]
            reached = self._reached(w)[rows]
            system = np.concatenate([(left @ left.T) * (right @ right.T), -reached[:, None]], axis=1)
            solved, below, rank = fmpz_mat(system.tolist()).rref()
            reduced, scale = [[int(x) for x in row] for row in solved.tolist()[: int(rank)]], int(below)
            pivots = [next(column for column, x in enumerate(row) if x) for row in reduced]
            weights = np.array([row[-1] for row in reduced], dtype=object)
            w = scale * w + self.products.combined(rows[pivots], weights)
        reached, sign = self._reached(w)[~self.equality], 1 if scale > 0 else -1
        least = min((sign * x for x in reached), default=0)
        require(least > 0 or not w.any(), "W does not separate the tokens")
        return [fmpq(int(sign * x)) * self.unit / int(least or 1) for x in w.ravel()]

    def _reached(self, w: np.ndarray) -> np.ndarray:
        """⟨A_k, w⟩ for integers w (d, e), in integers."""
        return (self.products.left * (self.products.queries @ w.T)[self.products.query]).sum(1)
