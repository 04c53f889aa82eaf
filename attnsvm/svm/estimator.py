"""`AttentionSVM`: the max-margin problem of given tokens, with scikit-learn's conventions."""

import sys
from typing import NoReturn

import numpy as np
from tqdm import tqdm

from attnsvm.svm.arguments import finite_array, problem_arrays, switch
from attnsvm.svm.constraints import Constraints, parts_of, ragged, selection, selection_of_one, separation
from attnsvm.svm.enclosures import rounding
from attnsvm.svm.rational import Integers, refutation
from attnsvm.svm.rational import margins as exact_margins
from attnsvm.svm.solution import Solution, Status
from attnsvm.svm.solver import norm_and_tolerance, solve
from attnsvm.svm.verdict import rounded_down

SUPPORT_MARGIN = 1e-6  # relative distance to margin 1 up to which a token is on the margin
NAMED = 10  # inputs in conflict that a message names


class InfeasibleError(ValueError):
    """No W separates the selected tokens.

    Attributes:
        inputs: the inputs in conflict: by the Farkas certificate no W separates them all.
        certificate: (m,) multipliers: non-negative on inequalities, Σ|·| = 1, combining the constraints to zero up to
            rounding; the checker has proved that multipliers near them do exactly.
    """

    def __init__(self, inputs: list[int], certificate: np.ndarray):
        self.inputs, self.certificate = inputs, certificate
        self.args = (inputs, certificate)  # what pickle rebuilds it from

    def __str__(self) -> str:
        more = f" and {len(self.inputs) - NAMED} more" if len(self.inputs) > NAMED else ""
        return (
            f"no W separates the selected tokens of inputs {', '.join(map(str, self.inputs[:NAMED]))}{more}: "
            "a non-negative combination of their constraints is exactly zero; near it is .certificate"
        )


class UncertifiedError(ArithmeticError):
    """No answer was proved to the tolerance asked for, or only that every separator is far away."""


class NotFittedError(ValueError, AttributeError):
    """Stands for scikit-learn's class of this name where nobody has imported that."""


class AttentionSVM:
    """The W of least norm under which every query ranks its selected tokens above the others by a margin of one.

    Inputs come in one of three ways, in `fit` and `score` alike:

        (tokens, queries, selected)  arrays (n, T, d), (n, e), and (n,) int or sets (n, T) bool
        (inputs, selected)           pairs (X_i, z_i) of a sequence, T_i different, and an int or a set (T_i,) for each
        (inputs)                     triples (X_i, z_i, α_i) of an iterator, read once

    Args:
        norm: its name, as in `attnsvm.geometry.get`.
        tol: relative duality gap that the solution must prove, at most 1e-7; None: the `tolerance` of the norm.
        verbose: show the progress of a fit on stderr; a number from 0 on, as elsewhere in scikit-learn, will do.

    Attributes after `fit`:
        solution_: the `Solution`, with its certificate.
        W_: (d, e), its W; the logit of token t of input i is x_itᵀ W_ z_i. Where d·e is large and the inputs are few,
            it is formed when it is first read.
        dual_: multipliers, one for every input and unselected or further selected token, in this order.
        support_: (s, 2) int, the pairs (input, token) whose token lies on the margin.
        margin_: of W_ at norm one, 1/‖W_‖: by how much each selected token wins; as proved, 1/`solution_.high`.
        gap_: relative distance between the proved bounds of the least norm, `solution_.low` and `solution_.high`.
        rank_: number of singular values of W_ that count; `solution_.rank_low` and the like say what is proved.
        method_: the method used, one of `attnsvm.svm.methods.choice.METHODS`.
        status_: "solved", "infeasible", "remote" or "uncertified"; the other attributes exist only after "solved".
        infeasibility_: the `InfeasibleError` when there is no separator, else None.
    """

    def __init__(self, norm: str = "fro", tol: float | None = None, verbose: bool = False):
        self.norm = norm
        self.tol = tol
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict:
        """The constructor's arguments."""
        return {"norm": self.norm, "tol": self.tol, "verbose": self.verbose}

    def set_params(self, **params) -> "AttentionSVM":
        """Change constructor arguments; ValueError for one that does not exist."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"AttentionSVM has no parameter {name!r}: known are norm, tol and verbose")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = ", verbose=True" if self.verbose else ""
        return f"AttentionSVM(norm={self.norm!r}, tol={self.tol!r}{changed})"

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False, three_d_array=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=inputs)

    def fit(self, tokens, queries=None, selected=None) -> "AttentionSVM":
        """Solve for inputs given in one of the three ways above; float32 is read as float64.

        Raises:
            ValueError: an array or a parameter is not as described.
            MemoryError: the problem needs more memory than is free; the message says how much.
            InfeasibleError: no W separates the selected tokens; the error is kept in `infeasibility_`.
            UncertifiedError: the gap stayed above `tol`.
        """
        measure, tol = norm_and_tolerance(self.norm, self.tol)
        verbose = switch("verbose", self.verbose) and sys.stderr is not None  # of which a service has none
        constraints = (
            separation(tokens, queries, selected) if selected is not None else ragged(_triples(tokens, queries))
        )
        for name in ("solution_", "dual_", "support_", "margin_", "gap_", "method_"):
            self.__dict__.pop(name, None)  # a failed fit leaves no answer behind, not even an earlier one
        with tqdm(desc=f"{len(constraints)} constraints", bar_format="{desc} [{elapsed}]", disable=not verbose) as bar:
            solution = solve(constraints, measure.name, tol, report=bar.set_description_str)
        self.status_ = str(solution.status)
        self.infeasibility_: InfeasibleError | None = None
        if solution.status is Status.INFEASIBLE:
            self._refuse(solution, constraints)
        if solution.status is Status.REMOTE:
            raise UncertifiedError(
                f"every W that separates the selected tokens has a norm of {rounded_down(solution.low)} at least: "
                "they may have a separator so far away, or none"
            )
        if solution.status is Status.UNCERTIFIED:
            raise UncertifiedError(f"not proved to tol = {tol:.1e}: {solution.rejected}")
        self.solution_, self.method_ = solution, solution.method
        self.dual_, self.gap_ = solution.dual, solution.gap
        rows = constraints.factors
        held = solution.factors is None
        margins = constraints.apply(solution.W) if held else rows.along(solution.on(rows.queries))
        outside = ~constraints.equality
        doubtful = np.flatnonzero(outside & (margins < 1 - SUPPORT_MARGIN))  # W is proved to have them
        if held and len(doubtful) and (exact := exact_margins(rows, doubtful, solution.W)) is not None:
            margins[doubtful] = exact[0]
        self.margin_ = 1 / float(solution.high) if solution.high > 0 else np.inf
        on_margin = outside & (margins <= 1 + SUPPORT_MARGIN)
        self.support_ = constraints.index[on_margin][:, [0, 2]]
        return self

    @property
    def rank_(self) -> int:
        return self.solution_.rank

    def _refuse(self, solution: Solution, constraints: Constraints) -> NoReturn:
        exact = refutation(constraints.factors, solution.dual, constraints.bound, constraints.equality)
        rows = np.flatnonzero(solution.dual if exact is None else exact)  # of an exact Farkas vector, both
        inputs = np.unique(constraints.index[rows, 0]).tolist()
        self.infeasibility_ = error = InfeasibleError(inputs, solution.dual)
        raise error

    @property
    def W_(self) -> np.ndarray:
        return self._fitted().W

    def _fitted(self) -> Solution:
        """The solution, or the exception of scikit-learn, where that is imported, which says that there is none."""
        if "solution_" not in vars(self):
            known = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", NotFittedError)
            raise known("this AttentionSVM is not fitted: call fit(tokens, queries, selected) first")
        return self.solution_

    def decision_function(self, tokens, queries=None) -> np.ndarray | list[np.ndarray]:
        """The logits x_itᵀ W_ z_i, (n, T); for pairs (X_i, z_i) without `queries` a list of (T_i,).

        Rounded, but the largest is the one that is it exactly, the first of several: see `_exactly_largest`.
        """
        solution = self._fitted()
        d, e = solution.shape
        if queries is None:
            pairs = [
                (
                    finite_array(f"tokens of input {i}", X, (None, d), f"(T, {d})"),
                    finite_array(f"query of input {i}", z, (e,), f"({e},)"),
                )
                for i, (X, z) in enumerate(parts_of(i, one, "(tokens, query)") for i, one in enumerate(tokens))
            ]
            return [_exactly_largest(solution, X[None], z[None], (X @ solution.on(z))[None])[0] for X, z in pairs]
        tokens, queries = problem_arrays(tokens, queries)
        finite_array("tokens", tokens, (None, None, d), f"(n, T, {d})")
        finite_array("queries", queries, (None, e), f"(n, {e})")
        return _exactly_largest(solution, tokens, queries, np.matmul(tokens, solution.on(queries)[:, :, None])[..., 0])

    def predict(self, tokens, queries=None) -> np.ndarray:
        """The token that W_ selects for each input, (n,) int."""
        return np.array([logits.argmax() for logits in self.decision_function(tokens, queries)])

    def score(self, tokens, queries=None, selected=None) -> float:
        """The share of inputs whose predicted token is the selected token, or is in the selected set.

        Raises:
            ValueError: an input or what is selected is not as `fit` takes it, or there is no input.
        """
        if selected is None:
            triples = [parts_of(i, one, "(tokens, query, selected)") for i, one in enumerate(_triples(tokens, queries))]
            if not triples:
                raise ValueError("inputs: expected at least one (tokens, query, selected), got none")
            predicted = self.predict([(X, z) for X, z, _ in triples])
            each = [selection_of_one(i, one, len(X)) for i, (X, _, one) in enumerate(triples)]
            anchor = np.concatenate([token for token, _ in each])
            right = [
                token == t if s is None else s[0, t] for t, token, (_, s) in zip(predicted, anchor, each, strict=True)
            ]
            return float(np.mean(right))
        predicted = self.predict(tokens, queries)
        anchor, chosen = selection(selected, *np.shape(tokens)[:2])
        return float(np.mean(predicted == anchor if chosen is None else chosen[np.arange(len(anchor)), predicted]))


def _exactly_largest(solution: Solution, tokens, queries, logits) -> np.ndarray:
    """The logits (n, T) with the largest of every input above the others where rounding does not tell: in integers."""
    parts = solution.factors or (solution.W,)
    size = float(np.prod([np.linalg.norm(part) for part in parts]))
    lengths = np.linalg.norm(tokens, axis=2) * np.linalg.norm(queries, axis=1)[:, None]
    error = rounding(sum(solution.shape) + parts[-1].shape[1]) * size * lengths
    most = np.take_along_axis(logits - error, logits.argmax(1)[:, None], 1)
    for i in np.flatnonzero(~((logits + error < most).sum(1) == logits.shape[1] - 1)):
        along = Integers(queries[i]).values
        for part in (parts[0],) if len(parts) == 1 else (parts[1].T, parts[0]):
            along = Integers(part).values @ along
        best = int((Integers(tokens[i]).values @ along).argmax())
        if logits[i].argmax() != best:
            logits[i, best] = np.nextafter(logits[i].max(), np.inf)
    return logits


def _triples(inputs, selected):
    """(X_i, z_i, α_i) from triples, or from pairs and the selected tokens."""
    if selected is None:
        return inputs
    pairs = [parts_of(i, one, "(tokens, query)") for i, one in enumerate(inputs)]
    listed = list(selected) if np.iterable(selected) else None
    if listed is None or len(pairs) != len(listed):
        got = type(selected).__name__ if listed is None else len(listed)
        raise ValueError(f"selected: expected one per input, {len(pairs)}, got {got}")
    return [(*pair, one) for pair, one in zip(pairs, listed, strict=True)]
