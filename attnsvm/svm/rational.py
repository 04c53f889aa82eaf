"""The products of constraints in exact arithmetic: float64 numbers are integers times powers of two.

Used where bounds of rounding do not decide. Systems of equations are solved by FLINT.
"""

import math

import numpy as np

from attnsvm.svm.enclosures import UNIT, Matrix, frobenius, rounding

LARGEST = 2**22  # products of integers that one answer may cost
MOST = 250  # rows of a system
DETERMINANT = 2**16  # its rows times the binary digits of products: a system takes three seconds at most
CUTS = (0.0, 1e-12, 1e-9, 1e-6, 1e-3)  # multipliers below, relative to the largest, are left out, one after the other
HEAVY = 1e-6  # multipliers above, relative to the largest, belong to rows that are held at their bounds
PRIME = 2**61 - 1
AT_ONCE = 64  # rows of long integers held at a time
ROUNDS = 4  # projections, each on the rows that the one before violates too


def affordable(matrices, W: np.ndarray, dual: np.ndarray, equality: np.ndarray) -> bool:
    """Whether the exact products of a problem with one matrix, and with its own, take seconds at most."""
    tokens, queries, *_ = matrices
    count = int(np.count_nonzero((dual != 0) | equality))
    return _projectable(count, (tokens.shape[1], *queries.shape, len(dual)), digits_of(tokens, queries), digits_of(W))


def _projectable(count: int, sizes: tuple[int, int, int, int], digits: int, own: int) -> bool:
    """Whether W can be projected on so many rows in seconds, with (d, n, e, m), digits of the matrices, and of W."""
    d, n, e, m = sizes
    long = 1 + (count * digits + own) // 2**11  # what is projected has as many digits as a determinant
    return _solvable(count, digits) and (n * d * e + m * d) * long + count**2 * (d + e) // 8 <= LARGEST


def _solvable(count: int, digits: int) -> bool:
    """Whether a system of so many rows takes seconds at most."""
    return count <= MOST and count * digits <= DETERMINANT


def digits_of(*arrays: np.ndarray) -> int:
    """Binary digits of the products of numbers of the arrays, as integers."""
    powers = [np.frexp(array[array != 0])[1] for array in arrays]
    return sum(53 + int(power.max(initial=-5000) - power.min(initial=5000)) for power in powers if len(power))


def refutation(matrices, dual: np.ndarray, bound: np.ndarray, equality: np.ndarray) -> np.ndarray | None:
    """(m,) integers near a multiple of `dual` that combine the matrices to zero and promise a positive bound.

    None if there are none on the rows of the largest multipliers, or these are too many to know.
    """
    tokens, queries, *_ = matrices
    rows = np.flatnonzero(dual)
    if not 0 < len(rows) <= MOST or len(rows) ** 2 * sum((tokens.shape[1], queries.shape[1])) // 8 > LARGEST:
        return None
    few = _of_rows(matrices, rows)
    if not _solvable(len(rows), digits_of(*few[:2])):
        return None
    found = Products(few).refutation(dual[rows], bound[rows], equality[rows])
    if found is None:
        return None
    whole = np.zeros(len(dual), dtype=object)
    whole[rows] = found // math.gcd(*(int(weight) for weight in found))
    return whole


def _of_rows(matrices, rows):
    """The matrices of some rows, with the tokens and queries that they need."""
    tokens, queries, winner, loser, query = matrices
    used, place = np.unique(np.concatenate([winner[rows], loser[rows]]), return_inverse=True)
    used_queries, place_of_query = np.unique(query[rows], return_inverse=True)
    return tokens[used], queries[used_queries], place[: len(rows)], place[len(rows) :], place_of_query


def margins(matrices, rows: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """⟨A_k, W⟩ of some rows, rounded once, and bounds of the errors; None where that takes more than seconds."""
    few = _of_rows(matrices, rows)
    if len(few[0]) * W.shape[0] + len(few[1]) * W.size + len(rows) * W.shape[0] > LARGEST:
        return None
    return Products(few).margins(W)


def digits(number: int) -> str:
    """In decimal; Python itself stops at 4,300 digits."""
    from flint import fmpz

    return str(fmpz(number))


def integer(text: str) -> int:
    """From decimal digits."""
    from flint import fmpz

    return int(fmpz(text))


class Integers:
    """An array of integers times a power of two."""

    def __init__(self, array: np.ndarray):
        mantissa, exponent = np.frexp(array)
        exponent = np.where(mantissa == 0, 0, exponent - 53)
        self.exponent = int(exponent.min(initial=0)) if not mantissa.all() else int(exponent.min(initial=2000))
        shift = np.where(mantissa == 0, 0, exponent - self.exponent)
        self.values = np.ldexp(mantissa, 53).astype(np.int64).astype(object) << shift.astype(object)


class Products:
    """The matrices A_k of a problem.

    Args:
        matrices: as in `checker.Problem`.
    """

    def __init__(self, matrices):
        tokens, queries, winner, loser, self.query = matrices
        X, Z = Integers(tokens), Integers(queries)
        self.left, self.queries = X.values[winner] - X.values[loser], Z.values
        self.exponent = X.exponent + Z.exponent  # of A_k
        self.digits, self.sizes = digits_of(tokens, queries), (tokens.shape[1], *queries.shape, len(winner))

    def margins(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """⟨A_k, W⟩ (m,), rounded once, and bounds of the errors."""
        values, exponent = self._margins(Integers(W))
        reached = _floats(values, 1, exponent)
        return reached, 2 * UNIT * np.abs(reached) + math.ulp(0.0)

    def _margins(self, W: Integers):
        on = self.queries @ W.values.T
        return (self.left * on[self.query]).sum(1), self.exponent + W.exponent

    def combination(self, dual: np.ndarray) -> tuple[np.ndarray, float]:
        """Σ_k dual_k A_k (d, e), each entry rounded once, and a bound of the error in the Frobenius norm."""
        weights = Integers(dual)
        total = self.combined(np.flatnonzero(dual), weights.values[dual != 0])
        found = _floats(total, 1, self.exponent + weights.exponent)
        return found, 2 * UNIT * frobenius(found)

    def combined(self, rows, weights) -> np.ndarray:
        """Σ weights_k A_k over some rows, integers times a power of two, (d, e) of Python integers."""
        return (self.left[rows] * weights[:, None]).T @ self.queries[self.query[rows]]

    def _gram(self, rows, others):
        """⟨A_j, A_k⟩, integers times 2^(2 exponent)."""
        left = self.left[rows] @ self.left[others].T
        used, place = np.unique(self.query[others], return_inverse=True)
        right = self.queries[self.query[rows]] @ self.queries[used].T
        return left * right[:, place]

    def refutation(self, dual: np.ndarray, bound: np.ndarray, equality: np.ndarray) -> np.ndarray | None:
        """(m,) integers near a multiple of `dual` that combine the matrices to zero and promise a positive bound.

        None if there are none on the rows of the largest multipliers.
        """
        lengths, before, bounds = self._lengths(), -1, Integers(bound).values
        alone = [k for k in np.flatnonzero(bound) if not (self.left[k].any() and self.queries[self.query[k]].any())]
        for k in alone:  # a matrix of zeros asks for another number than zero
            if equality[k] or bound[k] > 0:
                found = np.zeros(len(dual), dtype=object)
                found[k] = 1 if bound[k] > 0 else -1
                return found
        weight = np.abs(dual) * lengths
        for cut in CUTS:
            heavy = np.flatnonzero(weight > cut * weight.max(initial=0.0))
            if len(heavy) == before:
                continue
            before = len(heavy)
            found = self._near(heavy[np.argsort(-weight[heavy], kind="stable")], dual)
            if found is not None and (found[~equality] >= 0).all() and (found * bounds).sum() > 0:
                return found
        return None

    def _near(self, order, dual):
        """Integers that combine the matrices to zero: the last dependent rows keep their multipliers."""
        here = nullified(self._gram(order, order), Integers(dual[order]).values)
        if here is None:
            return None
        found = np.zeros(len(dual), dtype=object)
        found[order] = here
        return found

    def projected(self, W: np.ndarray, bound: np.ndarray, equality: np.ndarray, dual: np.ndarray):
        """The nearest matrix to W that meets the equalities and the rows with a multiplier exactly.

        Returns:
            (it as a `Matrix`, a bound of its distance to W); None if it does not meet the other rows.
        """
        weight = np.abs(dual) * self._lengths()
        held = equality | (weight > HEAVY * weight.max(initial=0.0))
        ints, bounds = Integers(W), Integers(bound)
        reached, exponent = self._margins(ints)
        low = min(exponent, bounds.exponent)
        reached, goal = reached << (exponent - low), bounds.values << (bounds.exponent - low)
        for _ in range(ROUNDS):
            rows = np.flatnonzero(held)
            if not _projectable(len(rows), self.sizes, self.digits, digits_of(W)):
                return None
            # W + Σ x_k A_k/scale, with x in units of 2^(low − 2 exponent of A)
            rows = rows[np.lexsort((-weight[rows], ~equality[rows]))]
            rows, x, scale = self._weights(rows, goal[rows] - reached[rows])
            change = self.combined(rows, x) if len(rows) else np.zeros(W.shape, dtype=object)
            off = np.zeros(len(dual), dtype=int)  # signs: the numbers have as many digits as a determinant
            on = self.queries @ change.T
            for start in range(0, len(dual), AT_ONCE):
                some = slice(start, start + AT_ONCE)
                now = (reached[some] - goal[some]) * scale + (self.left[some] * on[self.query[some]]).sum(1)
                off[some] = np.array(now > 0, dtype=int) - np.array(now < 0, dtype=int)
            if off[equality].any():
                return None
            lacking = ~equality & (off < 0)
            if not lacking.any():
                return self._moved(ints, change, scale, low)
            if not (lacking & ~held).any():
                return None
            held = held | lacking
        return None

    def _weights(self, rows, missing):
        """The first independent ones of the rows; integers x and scale > 0 with Σ x_k ⟨A_j, A_k⟩ = scale·missing_j."""
        gram = self._gram(rows, rows)
        pivots = _independent(gram)
        return rows[pivots], *_solved(gram[np.ix_(pivots, pivots)], missing[pivots])

    def _moved(self, W: Integers, change, scale, low):
        exponent = low - self.exponent  # x is in 2^(low − 2 exponent), A in 2^exponent
        away = _floats(change, scale, exponent)
        least = min(exponent, W.exponent)
        whole = (W.values << (W.exponent - least)) * scale + (change << (exponent - least))
        found = _floats(whole, scale, least)
        return Matrix(found, 2 * UNIT * frobenius(found)), frobenius(away) * (1 + rounding(0))

    def _lengths(self) -> np.ndarray:
        """Lengths of the matrices, rounded."""
        squares = (self.left * self.left).sum(1) * (self.queries * self.queries).sum(1)[self.query]
        return np.sqrt(_floats(squares, 1, 2 * self.exponent))


def nullified(gram: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Integers (h,) near a multiple of `weights` that the matrix (h, h) sends to zero; None where there are none."""
    pivots = _independent(gram)
    if len(pivots) == len(gram):
        return None
    free, found = np.delete(np.arange(len(gram)), pivots), np.zeros(len(gram), dtype=object)
    found[pivots], scale = _solved(gram[np.ix_(pivots, pivots)], -(gram[np.ix_(pivots, free)] @ weights[free]))
    found[free] = weights[free] * scale
    return None if (gram @ found).any() else found


def _independent(gram: np.ndarray) -> np.ndarray:
    """The first rows that do not depend on those before, of a square matrix of integers, modulo a prime.

    What is independent modulo a prime is independent. Of an unlucky prime there are too few: what follows from them is
    compared with all rows.
    """
    from flint import nmod_mat

    if len(gram) == 0:
        return np.zeros(0, dtype=int)
    size = len(gram)
    matrix, rank = nmod_mat(size, size, [value % PRIME for value in gram.ravel().tolist()], PRIME).rref()
    rows = matrix.tolist()[:rank]
    return np.array([next(k for k, entry in enumerate(row) if entry != 0) for row in rows], dtype=int)


def _solved(matrix: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, int]:
    """Integers x (h,) and scale > 0 with matrix @ x = scale · goal, for an invertible matrix (h, h) of integers."""
    from flint import fmpq_mat

    if len(matrix) == 0:
        return np.zeros(0, dtype=object), 1
    exact = fmpq_mat(matrix.tolist()).solve(fmpq_mat([[value] for value in goal.tolist()]))
    numerators, scale = exact.numer_denom()
    return np.array([int(row[0]) for row in numerators.tolist()], dtype=object), int(scale)


def refuting(matrices, bound: np.ndarray, equality: np.ndarray, weights: np.ndarray) -> str:
    """Why the integers (m,) do not combine the constraints to a contradiction 0 ≥ positive; "" if they do."""
    if (weights[~equality] < 0).any():
        return "a multiplier is negative on an inequality"
    if not (weights * Integers(bound).values).sum() > 0:
        return "the combination of the constraints promises no positive bound"
    return "" if _vanishes(matrices, weights) else "the combination of the constraints is not zero"


def _vanishes(matrices, weights) -> bool:
    """Whether Σ weights_k A_k is zero: a sum of token differences for each query, times the queries.

    FLINT multiplies: weights may have many digits, and W many entries. Where the queries are independent, which a prime
    proves, each of the sums must be zero.
    """
    from flint import fmpz_mat, nmod_mat

    tokens, queries, winner, loser, query = matrices
    rows = np.flatnonzero(weights)
    X, (used, place) = Integers(tokens), np.unique(query[rows], return_inverse=True)
    sums = []
    for number in range(len(used)):
        mine = rows[place == number]
        left = X.values[winner[mine]] - X.values[loser[mine]]
        sums.append((fmpz_mat([[int(one) for one in weights[mine]]]) * fmpz_mat(left.tolist())).entries())
    if not any(map(any, sums)):
        return True
    Z = Integers(queries[used]).values
    n, e = Z.shape
    if n <= e and nmod_mat(n, e, [int(z) % PRIME for z in Z.ravel()], PRIME).rank() == n:
        return False
    columns, rows_of_queries = fmpz_mat(sums).transpose().tolist(), fmpz_mat(Z.tolist())
    return not any(any((fmpz_mat([column]) * rows_of_queries).entries()) for column in columns)


def _floats(values: np.ndarray, scale: int, exponent: int) -> np.ndarray:
    """The nearest float64 numbers to values/scale · 2^exponent."""
    up, down = (1 << exponent, scale) if exponent >= 0 else (1, scale << -exponent)
    return np.array([_quotient(int(value) * up, down) for value in values.ravel()]).reshape(values.shape)


def _quotient(value: int, by: int) -> float:
    try:
        return value / by
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # by is positive; the integer itself may be too large for copysign
