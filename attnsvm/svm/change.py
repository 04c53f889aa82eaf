"""The least change of a given W after which it meets constraints: min ‖D‖_F subject to ⟨A_k, W + D⟩ ≥ bound_k.

In D these are constraints with the bounds bound_k − ⟨A_k, W⟩, of any sign: a margin of W above its bound may shrink
to the bound. Few constraints are tight, so a working set grows by violated constraints, in coordinates from
the Gram matrix of the set: W may be large, with a hundred thousand constraints.
"""

import numpy as np

from attnsvm.errors import require
from attnsvm.svm.constraints import TokenConstraints
from attnsvm.svm.methods import active_set
from attnsvm.svm.methods.choice import ACTIVE_SET
from attnsvm.svm.solution import Solution
from attnsvm.svm.solver import judged_solution, norm_and_tolerance

MET = 1e-10  # relative to the largest bound: a tenth of what the checker lets pass
AT_LEAST = 50  # constraints that join the working set at a time
DIMENSION = 1e-13  # eigenvalues of a Gram matrix, relative to the largest: below lies rounding
ROUNDS = 100


def least_change(constraints: TokenConstraints, W: np.ndarray) -> Solution:
    """The D of least Frobenius norm with which W + D meets the constraints, with its certificate.

    Args:
        constraints: constraints on W + D, as `separation` and `ragged` make them; no equalities.
        W: (d, e).

    Returns:
        A `Solution` whose W is D (d, e): zero where W meets all constraints. Multipliers prove that no shorter D does,
        or, with the status INFEASIBLE, that no W does. The proof for D is one for bounds from which the margins of W,
        as they are computed, are subtracted; with the status REMOTE `low` is a bound of the norm of W + D.

    Raises:
        UserError: W has another shape than the constraints ask for, is not finite, or an equality is among them.
    """
    require(W.shape == constraints.shape, f"W: expected the shape {constraints.shape}, got {W.shape}")
    require(bool(np.isfinite(W).all()), "W: expected finite numbers")
    require(not constraints.equality.any(), "least_change takes no equal logits: name one token for each input")
    bound = constraints.bound - constraints.apply(W)
    shifted = TokenConstraints(constraints.factors, bound, constraints.equality, constraints.index)
    dual, feasible = _multipliers(shifted)
    D = shifted.adjoint(dual) if feasible else np.full(shifted.shape, np.nan)
    # Whether there is a W + D at all does not depend on W, whose margins are rounded.
    return judged_solution(
        shifted if feasible else constraints, *norm_and_tolerance("fro", None), D, dual, ACTIVE_SET, not feasible
    )


def _multipliers(c: TokenConstraints) -> tuple[np.ndarray, bool]:
    """(m,) multipliers and True; or a Farkas certificate and False."""
    inside, dual = c.bound > 0, np.zeros(len(c))
    met = MET * np.abs(c.bound).max(initial=0.0)
    for _ in range(ROUNDS):
        rows = np.flatnonzero(inside)
        dual[:] = 0.0
        dual[rows], feasible = _on(c[rows])
        if not feasible:
            return dual, False
        missing = c.bound - c.apply(c.adjoint(dual))
        lacking = np.flatnonzero((missing > met) & ~inside)
        if len(lacking) == 0:
            break
        inside[lacking[np.argsort(-missing[lacking])][: max(AT_LEAST, len(rows) // 2)]] = True
    return dual, True


def _on(c: TokenConstraints) -> tuple[np.ndarray, bool]:
    """The multipliers of a few constraints, whose rows are written in a basis of their span."""
    gram = (c.left @ c.left.T) * (c.right @ c.right.T)
    length = np.sqrt(np.diag(gram))
    if not length.all():  # bounds in a working set are positive: no W meets such a one
        return np.where(length == 0, 1.0, 0.0), False
    values, vectors = np.linalg.eigh(gram / np.outer(length, length))
    kept = values > DIMENSION * values.max(initial=0.0)
    rows = vectors[:, kept] * np.sqrt(values[kept])
    found = active_set.least_norm(rows, c.bound / length, c.equality)
    return found.dual / length, found.feasible
