"""Least norm for any norm with a cvxpy expression, by a general conic solver."""

import warnings
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from attnsvm.errors import MissingError
from attnsvm.geometry import Norm
from attnsvm.svm.methods.rescaling import onto_unscaled
from attnsvm.svm.subspaces import Reduced, lengths, outer


@dataclass(frozen=True)
class Options:
    """The accuracies that the solver is asked for.

    Attributes:
        accuracy: more than it can reach; the certificate says what it reached.
        reduced: accuracy at which the solver still gives an answer when it can do no more.
    """

    accuracy: float = 1e-11
    reduced: float = 1e-5


OPTIONS = Options()


def require_installed(norm: Norm) -> None:
    """`MissingError` where there is no cvxpy."""
    if find_spec("cvxpy") is None:
        raise MissingError(
            f"the norm {norm.name} needs cvxpy, which is not installed: pip install 'attnsvm[norms]'", name="cvxpy"
        )


def least_norm(
    problem: Reduced, start: np.ndarray, norm: Norm, options: Options = OPTIONS
) -> tuple[np.ndarray, np.ndarray]:
    """(W, multipliers) of a feasible problem, scaled to size about one; in the spans where the norm allows it.

    Args:
        start: W of the size of the solution; no solver starts there.
    """
    c, kept, inside = problem.constraints, problem.kept, norm.unitarily_invariant
    left, right = (problem.left, problem.right) if inside else (c.left, c.right)
    scale, size = lengths(left).max() * lengths(right).max(), np.linalg.norm(start)
    rows, bound = outer(left, right)[kept] / scale, c.bound[kept] / (size * scale)
    W, dual = _by_cvxpy(rows, bound, c.equality[kept], (left.shape[1], right.shape[1]), norm, options)
    return onto_unscaled(c, problem.lift(W * size) if inside else W * size), problem.spread(dual)


def _by_cvxpy(
    rows: np.ndarray, bound: np.ndarray, equality: np.ndarray, shape: tuple[int, int], norm: Norm, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    """Solve min ‖W‖ s.t. rows · vec(W) ≥ bound, with equality on the rows marked; rows are (m, d·e), row-major."""
    require_installed(norm)
    import cvxpy

    W = cvxpy.Variable(shape)
    flat = cvxpy.vec(W, order="C")
    margins = [rows[~equality] @ flat >= bound[~equality]] if (~equality).any() else []
    equalities = [bound[equality] - rows[equality] @ flat == 0] if equality.any() else []
    problem = cvxpy.Problem(cvxpy.Minimize(norm.expression(cvxpy, W)), margins + equalities)
    names = ("gap_abs", "gap_rel", "feas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an inaccurate answer shows in its gap
        problem.solve(
            solver=cvxpy.CLARABEL,
            **{f"tol_{name}": options.accuracy for name in names},
            **{f"reduced_tol_{name}": options.reduced for name in names},
        )
    if W.value is None:
        return np.zeros(shape), np.zeros(len(bound))
    dual = np.zeros(len(bound))
    if margins:
        dual[~equality] = np.maximum(margins[0].dual_value, 0.0)
    if equalities:
        dual[equality] = equalities[0].dual_value
    return W.value, dual
