"""Exact arithmetic as the oracle of the judge: rationals and balls of FLINT, and nothing of the code that is judged.

The float64 arrays of a problem are rationals. `Exact` bounds the least norm from multipliers and from a W, decides
whether a small problem can be separated (a simplex method), and finds its exact Frobenius solution. `contradictions`
holds what the judge says against all of these.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from attnsvm.svm.checker import check

PRECISION = 200  # bits of a ball
DUAL = {"fro": "fro", "nuc": "spectral", "spectral": "nuc", "l1": "linf", "linf": "l1"}
DUAL |= {"rowmax": "rowsum", "rowsum": "rowmax", "hybrid": "hybrid dual"}
INFINITE = arb("inf")


def rational(array: np.ndarray) -> fmpq_mat:
    """The numbers of an array (p, q), as they are."""
    return fmpq_mat(*array.shape, [fmpq(*float(x).as_integer_ratio()) for x in array.ravel()])


def ball(value) -> arb:
    value = fmpq(value)
    return arb(value.p) / arb(value.q)


def root(value) -> arb:
    return ball(value).sqrt()


def square(A: fmpq_mat) -> fmpq:
    return sum((x * x for x in A.entries()), fmpq(0))


def rows_of(A: fmpq_mat) -> list[list[fmpq]]:
    return A.tolist()


def singular(A: fmpq_mat) -> list[arb]:
    """Balls that hold the singular values, the largest first: those of U S Vᵀ from a rounded decomposition, whose
    rest and whose lack of orthogonality are exact."""
    entries = A.entries()
    largest = max((abs(x) for x in entries), default=fmpq(0))
    k = min(A.nrows(), A.ncols())
    if largest == 0:
        return [arb(0)] * k
    unit = fmpq(2) ** (int(largest.p).bit_length() - int(largest.q).bit_length())
    rounded = np.array([float(ball(x / unit)) for x in entries]).reshape(A.nrows(), A.ncols())
    U, s, V = np.linalg.svd(rounded, full_matrices=False)
    U, V, S = rational(U), rational(V), rational(np.diag(s))
    rest = root(square(A * fmpq(1, 1) / unit - U * S * V))
    one = rational(np.eye(k))
    defects = [root(square(B - one)) for B in (U.transpose() * U, V * V.transpose())]
    most, least = (math.prod(((1 + sign * off).sqrt() for off in defects), start=arb(1)) for sign in (1, -1))
    low = [least * arb(x) - rest for x in s.tolist()]
    high = [most * arb(x) + rest for x in s.tolist()]
    return [ball(unit) * max(a, arb(0)).union(b) for a, b in zip(low, high, strict=True)]


def norm_of(A: fmpq_mat, name: str) -> arb:
    """A ball that holds the norm."""
    sizes = [abs(x) for x in A.entries()]
    if name == "fro":
        return root(square(A))
    if name in ("spectral", "nuc"):
        values = singular(A)
        return values[0] if name == "spectral" else sum(values, arb(0))
    if name in ("l1", "linf"):
        return ball(sum(sizes, fmpq(0)) if name == "l1" else max(sizes))
    if name in ("rowmax", "rowsum"):
        squares = [sum((x * x for x in row), fmpq(0)) for row in rows_of(A)]
        return root(max(squares)) if name == "rowmax" else sum(map(root, squares), arb(0))
    if name in ("hybrid", "hybrid dual"):
        rows, last = rows_of(A), sizes[A.ncols() - 1 :: A.ncols()]
        values = singular(fmpq_mat([row[:-1] for row in rows])) if A.ncols() > 1 else [arb(0)]
        if name == "hybrid":
            return values[0].max(ball(max(last)))
        return sum(values, arb(0)) + ball(sum(last, fmpq(0)))
    p = name if isinstance(name, arb) else arb(float(name[1:]))
    return sum((ball(x) ** p for x in sizes if x), arb(0)) ** (1 / p) if any(sizes) else arb(0)


def dual_norm_of(A: fmpq_mat, name: str) -> arb:
    if name in DUAL:
        return norm_of(A, DUAL[name])
    p = arb(float(name[1:]))
    return norm_of(A, p / (p - 1))


class Exact:
    """A problem as rationals; the arguments of `check`."""

    def __init__(self, matrices, bound, equality):
        tokens, queries, winner, loser, self.query = matrices
        X = rows_of(rational(tokens))
        self.left = [[a - b for a, b in zip(X[w], X[t], strict=True)] for w, t in zip(winner, loser, strict=True)]
        self.queries = rational(queries)
        self.right = rows_of(self.queries)
        self.bound = [fmpq(*float(b).as_integer_ratio()) for b in bound]
        self.equality = [bool(one) for one in equality]
        self.shape = tokens.shape[1], queries.shape[1]

    def margins(self, W: fmpq_mat) -> list[fmpq]:
        on = rows_of(self.queries * W.transpose())
        return [
            sum((a * b for a, b in zip(left, on[q], strict=True) if a), fmpq(0))
            for left, q in zip(self.left, self.query, strict=True)
        ]

    def combination(self, weights: list[fmpq]) -> fmpq_mat:
        used = [k for k, weight in enumerate(weights) if weight]
        if not used:
            return fmpq_mat(*self.shape)
        left = fmpq_mat([[weights[k] * a for a in self.left[k]] for k in used])
        return left.transpose() * fmpq_mat([self.right[self.query[k]] for k in used])

    def row(self, k: int) -> list[fmpq]:
        """A_k, flat."""
        return [a * b for a in self.left[k] for b in self.right[self.query[k]]]

    def meets(self, W: fmpq_mat) -> bool:
        return all(
            r == b if equal else r >= b for r, b, equal in zip(self.margins(W), self.bound, self.equality, strict=True)
        )

    def promised(self, weights: list[fmpq]) -> fmpq:
        return sum((b * w for b, w in zip(self.bound, weights, strict=True)), fmpq(0))

    def low(self, weights: list[fmpq], norm: str) -> arb:
        """What the multipliers prove: no W has a smaller norm. Infinite: there is no W."""
        if any(w < 0 and not equal for w, equal in zip(weights, self.equality, strict=True)):
            return arb(0)
        promised, M = self.promised(weights), self.combination(weights)
        if promised <= 0:
            return arb(0)
        return ball(promised) / dual_norm_of(M, norm) if any(M.entries()) else INFINITE

    def mended(self, W: fmpq_mat, weights: list[fmpq]) -> fmpq_mat | None:
        """A matrix near W that meets all constraints exactly; None if none was found."""
        asks = [k for k, b in enumerate(self.bound) if b > 0 and not self.equality[k]]
        held = {k for k, equal in enumerate(self.equality) if equal}
        for some in (set(), held, held | {k for k, w in enumerate(weights) if w}):
            for _ in range(5):
                there = self._onto(W, sorted(some))
                if there is None:
                    break
                reached = self.margins(there)
                least = min((reached[k] / self.bound[k] for k in asks), default=fmpq(1))
                for scale in (1 / least if least > 0 else fmpq(1), fmpq(1)):
                    if self.meets(there * scale):
                        return there * scale
                lacking = {k for k, (r, b) in enumerate(zip(reached, self.bound, strict=True)) if r < b}
                if lacking <= some:
                    break
                some = some | lacking
        return None

    def _onto(self, W: fmpq_mat, some: list[int]) -> fmpq_mat | None:
        """The nearest matrix that meets some rows with equality."""
        if not some:
            return W
        reached, rows = self.margins(W), [self.row(k) for k in some]
        A = fmpq_mat(rows)
        together = (A * A.transpose()).tolist()
        system = fmpq_mat([[*g, self.bound[k] - reached[k]] for g, k in zip(together, some, strict=True)])
        reduced, rank = system.rref()
        reduced = reduced.tolist()[:rank]
        pivots = [next(j for j, x in enumerate(row) if x) for row in reduced]
        if pivots and pivots[-1] == len(some):
            return None
        weights = [fmpq(0)] * len(self.bound)
        for row, j in zip(reduced, pivots, strict=True):
            weights[some[j]] = row[-1]
        return W + self.combination(weights)

    def refutation(self, weights: list[fmpq]) -> list[fmpq] | None:
        """Weights near the given ones that combine the constraints to exactly zero and promise a positive bound.

        weight_k (1 + u_k) with the least u, over the rows of the largest weights; None if none was found.
        """
        size = [abs(float(ball(w))) * math.sqrt(float(ball(self._square(k)))) for k, w in enumerate(weights)]
        nothing = [w if self._square(k) == 0 else fmpq(0) for k, w in enumerate(weights)]
        if self.refuted_by(nothing):
            return nothing
        for cut in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
            used = [k for k, s in enumerate(size) if s > cut * max(size, default=0.0)]
            if not used:
                return None
            B = fmpq_mat([[weights[k] * x for x in self.row(k)] for k in used])
            rest = fmpq_mat([[fmpq(1)] * len(used)]) * B
            gram = (B.transpose() * B).tolist()
            system = fmpq_mat([[*g, -r] for g, r in zip(gram, rest.entries(), strict=True)])
            reduced, rank = system.rref()
            x = [fmpq(0)] * B.ncols()
            for row in reduced.tolist()[:rank]:
                j = next(j for j, value in enumerate(row) if value)
                x[j] = row[-1]
            change = (B * fmpq_mat([[value] for value in x])).entries()
            found = [fmpq(0)] * len(weights)
            for k, u in zip(used, change, strict=True):
                found[k] = weights[k] * (1 + u)
            if self.refuted_by(found):
                return found
        return None

    def _square(self, k: int) -> fmpq:
        return sum((a * a for a in self.left[k]), fmpq(0)) * sum((b * b for b in self.right[self.query[k]]), fmpq(0))

    def refuted_by(self, weights: list[fmpq]) -> bool:
        right = all(w >= 0 or equal for w, equal in zip(weights, self.equality, strict=True))
        return right and self.promised(weights) > 0 and not any(self.combination(weights).entries())

    def decided(self) -> tuple[list[fmpq] | None, fmpq_mat | None]:
        """(weights of a refutation, None), or (None, a W that meets all constraints): by the simplex method.

        Phase one for Σ λ_k (A_k, b_k) = (0, 1), λ ≥ 0, an equality being two inequalities; Bland's rule.
        """
        columns, signs = [], []
        for k, equal in enumerate(self.equality):
            for sign in (1, -1) if equal else (1,):
                columns.append([sign * x for x in (*self.row(k), self.bound[k])])
                signs.append((k, sign))
        size = self.shape[0] * self.shape[1] + 1
        table = [
            [column[i] for column in columns] + [fmpq(int(i == j)) for j in range(size)] + [fmpq(int(i == size - 1))]
            for i in range(size)
        ]
        cost = [-sum((row[j] for row in table), fmpq(0)) for j in range(len(columns))]
        cost += [fmpq(0)] * size + [fmpq(-1)]
        basis = [len(columns) + i for i in range(size)]
        while True:
            enters = next((j for j in range(len(columns)) if cost[j] < 0), None)
            if enters is None:
                break
            leaves = min((row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > 0)[2]
            pivot = table[leaves][enters]
            table[leaves] = [x / pivot for x in table[leaves]]
            for row in (*(row for i, row in enumerate(table) if i != leaves), cost):
                factor = row[enters]
                if factor:
                    row[:] = [x - factor * y if y else x for x, y in zip(row, table[leaves], strict=True)]
            basis[leaves] = enters
        if cost[-1] == 0:
            weights = [fmpq(0)] * len(self.bound)
            for i, j in enumerate(basis):
                if j < len(columns):
                    k, sign = signs[j]
                    weights[k] += sign * table[i][-1]
            assert self.refuted_by(weights)
            return weights, None
        prices = [1 - cost[len(columns) + i] for i in range(size)]
        d, e = self.shape
        W = fmpq_mat(d, e, [-y / prices[-1] for y in prices[:-1]])
        assert self.meets(W)
        return None, W

    def least_frobenius(self, first: list[int]) -> fmpq_mat | None:
        """The exact solution in the Frobenius norm, from its tight rows: `first`, else any; None of a large problem."""
        must = [k for k, equal in enumerate(self.equality) if equal]
        free = [k for k, equal in enumerate(self.equality) if not equal]
        small = 2 ** len(free) <= 512
        every = (some for size in range(len(free) + 1) for some in combinations(free, size)) if small else ()
        for some in ([k for k in first if not self.equality[k]], *every):
            rows = [*must, *some]
            W = self.tight(rows)
            if W is not None:
                return W
        return None

    def tight(self, rows: list[int]) -> fmpq_mat | None:
        """The combination of some rows that reaches their bounds, if it is the solution."""
        zero = fmpq_mat(*self.shape)
        if not rows:
            return zero if self.meets(zero) else None
        A = fmpq_mat([self.row(k) for k in rows])
        gram = (A * A.transpose()).tolist()
        system = fmpq_mat([[*g, self.bound[k]] for g, k in zip(gram, rows, strict=True)])
        reduced, rank = system.rref()
        weights = [fmpq(0)] * len(self.bound)
        for row in reduced.tolist()[:rank]:
            j = next(j for j, x in enumerate(row) if x)
            if j == len(rows):
                return None
            weights[rows[j]] = row[-1]
        if any(w < 0 and not equal for w, equal in zip(weights, self.equality, strict=True)):
            return None
        W = self.combination(weights)
        return W if self.meets(W) else None


@dataclass
class Truth:
    """What is known of a problem, exactly.

    Attributes:
        low, high: the least norm lies between them; low infinite: there is no W; high infinite: none is known.
        solution: of the Frobenius norm, where it is known.
    """

    low: arb
    high: arb
    solution: fmpq_mat | None = None


def weights_of(dual: np.ndarray) -> list[fmpq]:
    return [fmpq(*float(x).as_integer_ratio()) for x in dual]


def matrix_of(claim) -> fmpq_mat | None:
    factors = getattr(claim, "factors", None)
    if factors is not None:
        return rational(factors[0]) * rational(factors[1]).transpose() if all(map(_finite, factors)) else None
    return rational(claim.W) if claim.W is not None and _finite(claim.W) else None


def _finite(array) -> bool:
    return bool(np.isfinite(array).all())


def truth_of(problem: Exact, norm: str, claims, decide: bool) -> Truth:
    """From answers to the problem, which nobody needs to trust; `decide`: and from the simplex method."""
    truth = Truth(arb(0), INFINITE)
    for claim in claims:
        if not _finite(claim.dual):
            continue
        weights, W = weights_of(claim.dual), matrix_of(claim)
        truth.low = max(truth.low, problem.low(weights, norm), key=lambda x: x.mid())
        there = None if W is None else problem.mended(W, weights)
        if there is not None:
            truth.high = min(truth.high, norm_of(there, norm), key=lambda x: x.mid())
        if norm == "fro" and truth.solution is None:
            truth.solution = problem.least_frobenius([k for k, w in enumerate(weights) if w])
    if decide and not truth.high < INFINITE and truth.low != INFINITE:
        weights, W = problem.decided()
        if W is None:
            truth.low = INFINITE
        else:
            truth.high = norm_of(W, norm)
    if truth.solution is not None:
        truth.low = truth.high = norm_of(truth.solution, norm)
    return truth


def exactly(action, *arguments):
    """What an action of this file gives with enough bits."""
    before, ctx.prec = ctx.prec, PRECISION
    try:
        return action(*arguments)
    finally:
        ctx.prec = before


def contradictions(matrices, bound, equality, norm: str, tol: float, claim, truth: Truth | None = None):
    """What the judge says of a claim, and the sentences of it that exact arithmetic contradicts or does not confirm.

    Args:
        truth: see `Truth`; None: what follows from the claim itself.
    """
    verdict = check(matrices, bound, equality, norm, tol, claim)
    problem = Exact(matrices, bound, equality)
    return verdict, exactly(lambda: list(_contradictions(problem, norm, tol, claim, verdict, truth)))


def hold(answers) -> Counter:
    """Judges answers again, and asks the oracle: how many had which (norm, status, arithmetic).

    Args:
        answers: (matrices, bound, equality, norm, tol, claim) of each, as `check` takes them: of a build, or made up.

    Raises:
        AssertionError: exact arithmetic contradicts a verdict, or does not confirm it.
    """
    counts = Counter()
    for matrices, bound, equality, norm, tol, claim in answers:
        verdict, wrong = contradictions(matrices, bound, equality, norm, tol, claim)
        assert wrong == [], (norm, verdict, wrong)
        counts[norm, verdict.status, verdict.arithmetic] += 1
    return counts


def _contradictions(problem, norm, tol, claim, verdict, truth):
    if verdict.status == "uncertified" and not verdict.low > 0:
        return
    weights, W = weights_of(claim.dual), matrix_of(claim) if claim.status == "solved" else None
    if verdict.status == "infeasible":
        if truth is not None and truth.high < INFINITE:
            yield "infeasible, but there is a W"
        elif (truth is None or truth.low != INFINITE) and problem.refutation(weights) is None:
            yield "infeasible: not confirmed"
        return
    proved = problem.low(weights, norm)
    if arb(verdict.low) > proved:
        yield f"low {verdict.low!r} is more than the multipliers prove, {proved}"
    if truth is not None and arb(verdict.low) > truth.high:
        yield f"low {verdict.low!r} is above the least norm {truth.high}"
    if verdict.status == "remote" and verdict.high != math.inf:
        yield "remote, with a W"
    if verdict.status != "solved":
        return
    if not 0 <= verdict.gap <= tol:
        yield f"gap {verdict.gap!r}"
    if proved == INFINITE or (truth is not None and truth.low == INFINITE):
        yield "solved, but there is no W"
        return
    for lower in (proved, arb(0) if truth is None else truth.low):
        if arb(verdict.high) < lower:
            yield f"high {verdict.high!r} is below the least norm {lower}"
    there = problem.mended(W, weights)
    if there is None:
        if truth is None or not truth.high < INFINITE:
            yield "solved: no W near it was found that meets the constraints"
    elif len(set(problem.bound)) == 1 and problem.bound[0] > 0 and not any(problem.equality):
        size = norm_of(there, norm)  # W over its least margin
        if verdict.arithmetic == "floating" and arb(verdict.high) < size:
            yield f"high {verdict.high!r} is below the norm of the scaled solution, {size}"
    if norm == "fro":
        yield from _distances(problem, verdict, W, there, weights, truth)
    elif norm == "nuc" and verdict.rank_bound < min(problem.shape) and verdict.low > 0:
        values = singular(problem.combination(weights))
        rest = (arb(verdict.high) - arb(verdict.low)) / (1 - values[verdict.rank_bound] / values[0])
        if arb(verdict.rank_error) * arb(verdict.low) < rest:
            yield f"rank_error {verdict.rank_error!r} is less than {rest}"


def _distances(problem, verdict, W, there, weights, truth):
    """The Frobenius norm: where the solution is, and its ranks."""
    solution = None if truth is None else truth.solution
    if solution is None:
        if there is None:
            return
        solution, spare = there, (square(there) - 0, 0)
        # the solution is within this distance of `there`
        low = problem.low(weights, "fro")
        spread = root(square(there)) ** 2 - low**2
        spare = spread.sqrt() if spread > 0 else arb(0)
    else:
        spare = arb(0)
    distance = root(square(W - solution))
    if distance - spare > arb(verdict.radius):
        yield f"radius {verdict.radius!r}, but the solution is {distance} away"
    values = singular(solution)
    if sum(1 for x in values if not x < -spare and x + spare > 0) < verdict.rank_low:
        yield f"rank_low {verdict.rank_low}"
    if spare == 0 and solution.rank() < verdict.rank_low:
        yield f"rank_low {verdict.rank_low}, but the solution has rank {solution.rank()}"
    tail = sum((x**2 for x in values[verdict.rank_bound :]), arb(0)).sqrt()
    if tail - spare > arb(verdict.rank_error) * root(square(solution)):
        yield f"rank_error {verdict.rank_error!r}, but {tail} is left"
