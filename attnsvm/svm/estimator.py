"""`AttentionSVM`: the max-margin problem of one's own tokens, with scikit-learn's conventions."""

from typing import NoReturn

import numpy as np

from attnsvm.svm import Constraints, Solution, Status, separation, solve
from attnsvm.svm.arguments import finite_array, problem_arrays, token_indices
from attnsvm.svm.solver import tolerance

SUPPORT_MARGIN = 1e-6  # relative distance to margin 1 up to which a token is on the margin


class InfeasibleError(ValueError):
    """No W separates the selected tokens.

    Attributes:
        inputs: the inputs in conflict: together they have no separator, by the Farkas certificate.
        certificate: (n·(T−1),) multipliers: non-negative on inequalities, Σ|·| = 1, combining the constraints to zero.
    """

    def __init__(self, inputs: list[int], certificate: np.ndarray):
        self.inputs, self.certificate = inputs, certificate
        self.args = (inputs, certificate)  # what pickle rebuilds it from

    def __str__(self) -> str:
        return (
            f"no W separates the selected tokens of inputs {', '.join(map(str, self.inputs))}: "
            "a non-negative combination of their constraints is zero; see .certificate"
        )


class UncertifiedError(ArithmeticError):
    """The solver could not prove its answer to the tolerance asked for."""


class AttentionSVM:
    """The W of least norm under which every query ranks its selected tokens above the others by a margin of one.

    Args:
        norm: "fro", "nuc", "spectral", "l1", "linf", or "l<p>" such as "l1.75".
        tol: relative duality gap that the solution must prove; None: 1e-10 for "fro", 1e-7 otherwise.

    Attributes after `fit`:
        W_: (d, e) solution; the logit of token t of input i is x_itᵀ W_ z_i.
        dual_: (n·(T−1),) multipliers, one a constraint, in the order of inputs and then of tokens.
        support_: (s, 2) int, the pairs (input, token) whose token lies on the margin.
        margin_: smallest logit difference between a selected and an unselected token (1 up to rounding).
        gap_: relative duality gap, (‖W_‖ − Σ dual_)/‖W_‖ in a problem without equalities.
        rank_: numerical rank of W_.
        status_: "solved", "infeasible" or "uncertified"; only after "solved" are there other attributes.
        infeasibility_: the `InfeasibleError` when there is no separator, else None.
    """

    def __init__(self, norm: str = "fro", tol: float | None = None):
        self.norm = norm
        self.tol = tol

    def get_params(self, deep: bool = True) -> dict:
        """The constructor's arguments."""
        return {"norm": self.norm, "tol": self.tol}

    def set_params(self, **params) -> "AttentionSVM":
        """Change constructor arguments; ValueError for one that does not exist."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"AttentionSVM has no parameter {name!r}: known are norm and tol")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"AttentionSVM(norm={self.norm!r}, tol={self.tol!r})"

    def fit(self, tokens, queries, selected) -> "AttentionSVM":
        """Solve for tokens (n, T, d), queries (n, e) and selected tokens: (n,) int, or sets (n, T) bool.

        Raises:
            ValueError: an array or a parameter is not as described.
            InfeasibleError: no W separates the selected tokens; it is kept in `infeasibility_`.
            UncertifiedError: the gap stayed above `tol`.
        """
        constraints = separation(tokens, queries, selected)
        for name in ("W_", "dual_", "support_", "margin_", "gap_", "rank_"):
            self.__dict__.pop(name, None)  # a failed fit leaves no answer behind, not even an older one
        solution = solve(constraints, self.norm, self.tol)
        self.status_ = str(solution.status)
        self.infeasibility_: InfeasibleError | None = None
        if solution.status is Status.INFEASIBLE:
            self._refuse(solution, constraints)
        if solution.status is Status.UNCERTIFIED:
            asked = tolerance(self.norm) if self.tol is None else self.tol
            raise UncertifiedError(
                f"not proved to tol = {asked:.1e}: {solution.rejected}; the duality gap stayed at {solution.gap:.1e}"
            )
        self.W_, self.dual_, self.gap_, self.rank_ = solution.W, solution.dual, solution.gap, solution.rank
        margins = constraints.apply(self.W_)
        outside = ~constraints.equality
        self.margin_ = float(margins[outside].min(initial=np.inf))
        on_margin = outside & (margins <= 1 + SUPPORT_MARGIN)
        self.support_ = constraints.index[on_margin][:, [0, 2]]
        return self

    def _refuse(self, solution: Solution, constraints: Constraints) -> NoReturn:
        heavy = np.abs(solution.dual) > 1e-9 * np.abs(solution.dual).max()
        inputs = sorted({int(i) for i in constraints.index[heavy, 0]})
        self.infeasibility_ = error = InfeasibleError(inputs, solution.dual)
        raise error

    def decision_function(self, tokens, queries) -> np.ndarray:
        """The logits x_itᵀ W_ z_i, (n, T)."""
        if not hasattr(self, "W_"):
            raise AttributeError("this AttentionSVM is not fitted: call fit(tokens, queries, selected) first")
        tokens, queries = problem_arrays(tokens, queries)
        d, e = self.W_.shape
        finite_array("tokens", tokens, (None, None, d), f"(n, T, {d})")
        finite_array("queries", queries, (None, e), f"(n, {e})")
        return np.einsum("ntd,de,ne->nt", tokens, self.W_, queries)

    def predict(self, tokens, queries) -> np.ndarray:
        """The token that W_ selects for each input, (n,) int."""
        return self.decision_function(tokens, queries).argmax(1)

    def score(self, tokens, queries, selected) -> float:
        """The share of inputs whose predicted token is the selected one, or is in the selected set."""
        predicted = self.predict(tokens, queries)
        n, T = np.shape(tokens)[:2]
        selected = np.asarray(selected)
        if selected.dtype == bool and selected.shape == (n, T):
            return float(selected[np.arange(n), predicted].mean())
        return float((predicted == token_indices("selected", selected, (n,), T)).mean())
