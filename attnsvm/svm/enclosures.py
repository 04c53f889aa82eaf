"""Upper and lower bounds that rounding cannot break, of norms and singular values of float64 matrices.

Every bound is a priori: a sum of n products, in any order and with any fused operation, is wrong by at most
n·u/(1 − n·u) times the sum of their absolute values (Higham, Accuracy and Stability of Numerical Algorithms, sec. 3.1).
The bounds are computed in floating point themselves, hence `SPARE`; numbers whose squares vanish count as `TINY`.
Each comparison is written so that it fails for NaN.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf

UNIT = 2.0**-53  # u, the rounding error of one operation
SPARE = 8  # roundings that are added to every count, for the operations on the bound itself
TINY = 1e-155  # below it squares of numbers vanish
NOTHING = 1e-260  # what underflow alone adds to a sum of products of numbers up to 1e50
BLOCK = 512  # terms that are summed at a time: sums of sums have smaller bounds
# Of two norms, that of all columns but the last and that of the last: which number of both.
HYBRID: dict[str, tuple[Callable[[float, float], float], str, str]] = {
    "hybrid": (max, "spectral", "linf"),
    "hybrid dual": (lambda one, other: one + other, "nuc", "l1"),
}


def rounding(count: int) -> float:
    """Bound of the relative error of a sum of `count` products; infinite where it proves nothing."""
    share = (count + SPARE) * UNIT
    return 1.01 * share if share < 1e-2 else math.inf


def terms(count: int) -> int:
    """How many roundings a sum of `count` products costs when it is made block by block."""
    return count if count <= BLOCK else BLOCK + -(-count // BLOCK)


def total(values: np.ndarray) -> float:
    """Their sum, rounded once; infinite or NaN where they or it are."""
    try:
        return math.fsum(values.tolist())
    except (OverflowError, ValueError):
        return math.inf


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A @ B, (..., p, q), with the error of `terms` of the inner size."""
    inner = A.shape[-1]
    if inner <= BLOCK:
        return A @ B
    total = np.zeros((*A.shape[:-1], B.shape[-1]))
    for start in range(0, inner, BLOCK):
        total += A[..., start : start + BLOCK] @ B[..., start : start + BLOCK, :]
    return total


def row_products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The products of the rows of A and B (m, d), (m,), with the error of `terms(d)`."""
    if A.shape[1] <= BLOCK:
        return np.einsum("ka,ka->k", A, B)
    starts = range(0, A.shape[1], BLOCK)
    return sum(np.einsum("ka,ka->k", A[:, s : s + BLOCK], B[:, s : s + BLOCK]) for s in starts)


def row_lengths(A: np.ndarray) -> np.ndarray:
    """Upper bounds of the lengths of the rows (m,)."""
    return np.sqrt(row_products(A, A)) * (1 + rounding(terms(A.shape[1]))) + TINY


def every(holds: np.ndarray) -> bool:
    """Whether all are true: `all` takes ten times as long for few."""
    return np.count_nonzero(holds) == holds.size


def finite(A: np.ndarray) -> bool:
    """Whether all numbers are: one look at the sum of their squares, where that does not overflow."""
    return math.isfinite(np.vdot(A, A)) or every(np.isfinite(A))


def frobenius(A: np.ndarray) -> float:
    """An upper bound of ‖A‖_F."""
    square = float(np.vdot(A, A)) if A.size <= BLOCK else total(row_products(A, A))
    return math.sqrt(square) * (1 + rounding(terms(A.size if A.size <= BLOCK else A.shape[1]))) + TINY


class Matrix:
    """A real matrix (d, e) within a Frobenius distance of left @ core @ right.T, where left and right are nearly
    orthonormal; None: the identity.

    Attributes:
        core: (p, q) float64.
        error: the distance, an upper bound.
        shape: (d, e).
        defect: bound of |‖left x‖²/‖x‖² − 1|, of both sides together.
    """

    def __init__(self, core: np.ndarray, error: float = 0.0, shape: tuple[int, int] | None = None, defect: float = 0.0):
        self.core, self.error, self.defect = core, error, defect
        self.shape: tuple[int, int] = (core.shape[0], core.shape[1]) if shape is None else shape

    @cached_property
    def size(self) -> float:
        """An upper bound of the Frobenius norm of the core."""
        return frobenius(self.core)

    @cached_property
    def _decomposition(self) -> tuple[np.ndarray, float, float, float]:
        """Singular values s of the core; the factors a ≤ 1 ≤ b and the distance r with a·s_i − r ≤ σ_i ≤ b·s_i + r."""
        try:
            U, s, V, off_U, off_V, rest = _decomposed(self.core)
        except np.linalg.LinAlgError:  # NaN, or no convergence
            return np.full(min(self.core.shape), math.nan), math.nan, math.nan, math.nan
        k = len(s)
        off = [_defect(U, off_U), _defect(V, off_V), self.defect]
        most = math.prod([math.sqrt(1 + one) for one in off])
        least = math.prod([math.sqrt(1 - one) if one < 1 else 0.0 for one in off])
        size = self.size
        residual = frobenius(rest)
        residual += rounding(terms(k)) * (size + math.sqrt(k) * math.sqrt(1 + off[1]) * frobenius(s[:, None]) * most)
        spare = 1 + rounding(0)
        return s, least / spare, most * spare, residual * (1 + self.defect) + self.error

    @property
    def singular_values(self) -> np.ndarray:
        """As computed, the largest first; rounded."""
        return self._decomposition[0]

    def at_most(self) -> np.ndarray:
        """Upper bounds of the singular values."""
        s, _, most, distance = self._decomposition
        return s * most + distance

    def at_least(self) -> np.ndarray:
        """Lower bounds of the singular values."""
        s, least, _, distance = self._decomposition
        return s * least - distance

    def norm(self, name: str) -> float:
        """An upper bound of the norm. Of a product, in the unitarily invariant norms alone; else infinite."""
        A, error = self.core, self.error
        if name == "fro":
            return self.size * (1 + self.defect) + error
        if name in ("spectral", "nuc"):
            s, _, most, distance = self._decomposition
            k = len(s)
            size = total(s) * (1 + UNIT) if name == "nuc" else float(s.max(initial=0.0))
            return (size * most + (math.sqrt(k) if name == "nuc" else 1.0) * distance) * (1 + rounding(0))
        if self.shape != A.shape or self.defect:
            return math.inf
        if name in HYBRID:
            of_both, one, other = HYBRID[name]
            return of_both(Matrix(A[:, :-1], error).norm(one), Matrix(A[:, -1:], error).norm(other)) * (1 + rounding(0))
        value = _entrywise(A, name)
        return (value + ratio(name, A.shape) * error) * (1 + rounding(0))


def _decomposed(A: np.ndarray) -> tuple[np.ndarray, ...]:
    """Computed U, s, V with A ≈ U diag(s) Vᵀ (..., p, q), and what UᵀU and VᵀV are off one, and the product off A."""
    if not finite(A):  # LAPACK may never return
        raise np.linalg.LinAlgError("not finite")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    V = np.swapaxes(Vt, -1, -2)
    return U, s, V, _off(U), _off(V), A - product(U * s[..., None, :], Vt)


def _entrywise(A: np.ndarray, name: str) -> float:
    """An upper bound of a norm of the entries or of the rows."""
    if name in ("l1", "linf"):
        sizes = np.abs(A)
        return total(sizes.ravel()) * (1 + UNIT) if name == "l1" else float(sizes.max(initial=0.0))
    if name in ("rowmax", "rowsum"):
        rows = row_lengths(A)
        return total(rows) * (1 + UNIT) if name == "rowsum" else float(rows.max(initial=0.0))
    return _power_mean(A, _below(name[1:]))


def _below(exponent: str) -> float:
    """The largest float up to a decimal number: the norm of a smaller exponent is larger."""
    near = float(exponent)
    return near if near <= Fraction(exponent) else math.nextafter(near, 0.0)


def _power_mean(A: np.ndarray, p: float) -> float:
    """An upper bound of (Σ |a|^p)^(1/p), in balls: no power of NumPy has a bound."""
    from flint import arb, ctx  # late: few problems have this norm

    sizes = np.abs(A[A != 0])
    largest = float(sizes.max(initial=0.0))
    if not largest < math.inf:
        return math.inf
    if largest == 0:
        return 0.0
    before, ctx.prec = ctx.prec, 80
    try:
        power, unit = arb(p), arb(largest)
        powers = sum(((arb(size) / unit) ** power for size in sizes.tolist()), arb(0))
        value = powers ** (1 / power) * unit
        return math.nextafter(float(value.upper()), math.inf)
    finally:
        ctx.prec = before


def ratio(name: str, shape: tuple[int, int]) -> float:
    """The largest ‖A‖/‖A‖_F for matrices (d, e), an upper bound."""
    d, e = shape
    if name == "nuc":
        return math.sqrt(min(d, e)) * (1 + rounding(0))
    if name == "l1":
        return math.sqrt(d * e) * (1 + rounding(0))
    if name == "rowsum":
        return math.sqrt(d) * (1 + rounding(0))
    if name == "hybrid dual":
        return math.sqrt(min(d, e - 1) + d) * (1 + rounding(0))
    if name in ("fro", "spectral", "linf", "rowmax", "hybrid"):
        return 1.0
    return math.sqrt(d * e) if float(name[1:]) < 2 else 1.0  # (d·e)^(1/p − 1/2) is less


def of_product(left: np.ndarray, right: np.ndarray) -> Matrix:
    """left (d, r) @ right (e, r).T, never formed."""
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        return Matrix(np.full((1, 1), math.nan), math.nan, (len(left), len(right)))
    (q, a), (p, b) = np.linalg.qr(left), np.linalg.qr(right)
    core = product(a, b.T)
    size, other = frobenius(left), frobenius(right)
    lost = [
        frobenius(whole - product(basis, small))
        + rounding(terms(len(small))) * (length + frobenius(basis) * frobenius(small))
        for whole, basis, small, length in ((left, q, a, size), (right, p, b, other))
    ]
    sizes = (size + lost[0]) * (other + lost[1])
    error = lost[0] * other + (size + lost[0]) * lost[1] + rounding(terms(a.shape[1])) * sizes
    defect = _defect(q, _off(q)) + _defect(p, _off(p))
    return Matrix(core, 1.01 * error, (len(left), len(right)), 1.01 * defect)


def _off(basis: np.ndarray) -> np.ndarray:
    """BᵀB − I (..., k, k) for columns B (..., d, k), as computed."""
    return product(np.swapaxes(basis, -1, -2), basis) - np.eye(basis.shape[-1])


def _defect(basis: np.ndarray, off: np.ndarray) -> float:
    """A bound of ‖BᵀB − I‖ for nearly orthonormal columns B (d, k), from `_off`."""
    return frobenius(off) + rounding(terms(len(basis))) * frobenius(basis) ** 2


def smallest_eigenvalue(gram: np.ndarray, error: float) -> float:
    """A lower bound of the smallest eigenvalue of a symmetric positive semidefinite matrix; 0 where none is proved.

    Args:
        gram: (h, h), as computed. error: bound of its distance to the matrix meant, in the Frobenius norm.

    From an approximate inverse X with ‖I − X G‖ < 1: ‖G⁻¹‖ ≤ ‖X‖/(1 − ‖I − X G‖).
    """
    try:
        X = np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        return 0.0
    size, h = frobenius(X), len(gram)
    rest = product(X, gram)
    rest.flat[:: h + 1] -= 1.0
    off = frobenius(rest) + size * (rounding(terms(h)) * frobenius(gram) + error)
    return (1 - off) / size * (1 - rounding(0)) if off < 1 else 0.0


def positive(gram: np.ndarray, shift: float) -> bool:
    """Whether gram − shift·I is proved to be positive semidefinite, for a symmetric gram (h, h); its memory is taken.

    A Cholesky factor that ends without a root of a negative number belongs to a matrix within (h + 1)·u/(1 − (h + 1)·u)
    times the trace (Rump, Verification of positive definiteness, BIT 46, 2006).
    """
    h, trace = len(gram), float(np.trace(gram))
    least = shift + rounding(h + 2) * (trace + shift)
    if not (least < math.inf and np.isfinite(gram).all()):  # LAPACK need not see what is no number
        return False
    gram.flat[:: h + 1] -= least
    return dpotrf(gram.T, lower=1, clean=0, overwrite_a=1)[1] == 0
