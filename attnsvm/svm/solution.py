"""The answer of a max-margin solve: a status that cannot be mistaken for a number, with its proof."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from attnsvm.svm.verdict import Ranked, Ranks


class Status(StrEnum):
    """What is proved of the constraints as exact numbers.

    SOLVED: the least norm lies between two bounds whose relative distance is within the tolerance. INFEASIBLE: some
    non-negative combination of the constraints is exactly zero. REMOTE: every W has a norm of `low` at least, and
    whether there is one is not known. UNCERTIFIED: nothing.
    """

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    REMOTE = "remote"
    UNCERTIFIED = "uncertified"


@dataclass(frozen=True)
class Solution(Ranked):
    """One solved (or refuted) max-margin problem. What is proved is said by `checker`.

    Attributes:
        status: see `Status`.
        W: (d, e) the solution; NaN unless solved (uncertified: the best iterate found).
        dual: (m,) multipliers. Solved: scaled so that ‖Σ dual_k A_k‖_dual ≤ 1, hence boundᵀdual ≤ ‖W‖. Infeasible:
            a Farkas certificate up to rounding, non-negative on inequalities, boundᵀdual > 0, Σ|dual| = 1,
            Σ dual_k A_k ≈ 0; an exact one is near.
        low, high: bounds of the least norm, rigorous. Infeasible: both infinite; remote: `low` alone.
        gap: (high − low)/high, within the tolerance where solved; infinite if infeasible.
        radius: Frobenius norm: the solution lies within this distance of W; NaN otherwise.
        arithmetic: "floating" or "rational", the one that decided; "" where nothing is proved.
        method: the method that found the answer or the refutation, one of `methods.choice.METHODS`.
        rejected: why the claim is not proved: UNCERTIFIED or REMOTE.

    Ranks are counted when they are first read. Nuclear norm: rank_bound is the multiplicity of the largest singular
    value of Σ dual_k A_k.
    """

    status: Status
    W: np.ndarray
    dual: np.ndarray
    low: float
    high: float
    gap: float
    radius: float
    arithmetic: str
    method: str
    rejected: str = ""
    counted: Callable[[], Ranks] = field(default=Ranks, repr=False, compare=False)

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED

    @property
    def shape(self) -> tuple[int, int]:
        """(d, e) of W."""
        return self.W.shape[0], self.W.shape[1]

    @property
    def factors(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(left, right) of a W that is held as left @ right.T; None of one that is held as an array."""
        return None

    def on(self, queries: np.ndarray) -> np.ndarray:
        """W z_i for queries (n, e), (n, d)."""
        return queries @ self.W.T

    def lifted(self, P: np.ndarray, Q: np.ndarray) -> "Solution":
        """The same with P W Qᵀ in the place of W, for bases P (d, p) and Q (e, q) with orthonormal columns."""
        return replace(self, W=P @ self.W @ Q.T)


@dataclass(frozen=True, kw_only=True)
class FactoredSolution(Solution):
    """A solution with a large W = left @ right.T, which is formed when it is first read.

    Attributes:
        left: (d, r), right: (e, r).
    """

    W: np.ndarray = field(init=False, repr=False, compare=False)
    left: np.ndarray
    right: np.ndarray

    def __getattr__(self, name: str):
        if name != "W":
            raise AttributeError(name)
        vars(self)["W"] = self.left @ self.right.T
        return self.W

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    @property
    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        return self.left, self.right

    def on(self, queries: np.ndarray) -> np.ndarray:
        return (queries @ self.right) @ self.left.T

    def lifted(self, P: np.ndarray, Q: np.ndarray) -> "FactoredSolution":
        return replace(self, left=P @ self.left, right=Q @ self.right)


def as_arrays(solutions: list[Solution], ranks: bool = False) -> dict[str, np.ndarray]:
    """Arrays over a list of solutions of one shape: status (S,) str, W (S, d, e), dual (S, m), gap (S,), ...

    Args:
        ranks: whether rank, rank_low, rank_bound and rank_error are among them: they cost as much as the other proofs.

    Multipliers of problems with fewer constraints end in NaN.
    """
    names = [name for name in Solution.__annotations__ if name != "counted"]
    columns = {name: [getattr(s, name) for s in solutions] for name in names}
    if ranks:
        columns |= {name: [getattr(s.ranks, name) for s in solutions] for name in Ranks._fields}
    longest = max((len(dual) for dual in columns["dual"]), default=0)
    columns["dual"] = [
        dual if len(dual) == longest else np.pad(dual, (0, longest - len(dual)), constant_values=np.nan)
        for dual in columns["dual"]
    ]
    arrays = {name: np.array(column) for name, column in columns.items()}
    arrays["status"] = np.array([s.status.value for s in solutions], dtype="U11")
    arrays["arithmetic"] = arrays["arithmetic"].astype("U8")
    return arrays


PROOF = ("status", "gap", "low", "arithmetic")


def proof(answers: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays (S,) from which certificates are counted, for answers whose matrices no later stage reads."""
    return {name: answers[name] for name in PROOF}


def proof_of(answer) -> dict[str, np.ndarray]:
    """The same of one answer, each ()."""
    return {
        "status": np.array(str(answer.status), dtype="U11"),
        "gap": np.array(float(answer.gap)),
        "low": np.array(float(answer.low)),
        "arithmetic": np.array(answer.arithmetic, dtype="U8"),
    }
