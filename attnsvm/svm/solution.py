"""The answer of a max-margin solve: a status that cannot be mistaken for a number, with its proof."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np


class Status(StrEnum):
    """SOLVED: margins ≥ 1, dual feasible, gap within tolerance. INFEASIBLE: a Farkas certificate. Else UNCERTIFIED.

    A Farkas certificate is checked to a residual r = 1e-10: strictly, it proves that every separator has
    ‖W‖_F·max_k ‖A_k‖_F ≥ max_k |bound_k|/r.
    """

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    UNCERTIFIED = "uncertified"


@dataclass(frozen=True)
class Solution:
    """One solved (or refuted) max-margin problem.

    Attributes:
        status: see `Status`.
        W: (d, e) the solution; NaN unless solved (uncertified: the best iterate found).
        dual: (m,) multipliers. Solved: scaled so that ‖Σ dual_k A_k‖_dual ≤ 1, hence boundᵀdual ≤ ‖W‖. Infeasible:
            the Farkas certificate, non-negative on inequalities, boundᵀdual > 0, Σ|dual| = 1, Σ dual_k A_k ≈ 0.
        gap: (‖W‖ − boundᵀdual) / ‖W‖; infinite if infeasible. Within the tolerance, plus 16 machine epsilons times
            ‖W‖_F·max_k ‖A_k‖_F for the rounding of the multipliers, which counts where that product exceeds 1e5.
        residual: ‖Σ dual_k A_k‖_F max_k |bound_k| / (boundᵀdual · max_k ‖A_k‖_F) of a Farkas certificate;
            NaN otherwise.
        rank: number of singular values of W above the rank tolerance; 0 unless solved.
        rank_low, rank_high: the same with the tolerance 10 times larger and 10 times smaller.
        rank_bound: nuclear norm: multiplicity of the largest singular value of Σ dual_k A_k, which no solution's rank
            exceeds (complementary slackness); otherwise min(d, e).
        method: the method that found the answer or the refutation, one of `methods.choice.METHODS`.
        rejected: why the independent checker does not accept the claim, which makes the answer UNCERTIFIED.
    """

    status: Status
    W: np.ndarray
    dual: np.ndarray
    gap: float
    residual: float
    rank: int
    rank_low: int
    rank_high: int
    rank_bound: int
    method: str
    rejected: str = ""

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED

    @property
    def certificate(self) -> np.ndarray | None:
        """The multipliers that prove the status; None if nothing is proved."""
        return None if self.status is Status.UNCERTIFIED else self.dual

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


def as_arrays(solutions: list[Solution]) -> dict[str, np.ndarray]:
    """Arrays over a list of solutions of one shape: status (S,) str, W (S, d, e), dual (S, m), gap (S,), ...

    Multipliers of problems with fewer constraints end in NaN.
    """
    columns = {name: [getattr(s, name) for s in solutions] for name in Solution.__annotations__}
    longest = max((len(dual) for dual in columns["dual"]), default=0)
    columns["dual"] = [
        dual if len(dual) == longest else np.pad(dual, (0, longest - len(dual)), constant_values=np.nan)
        for dual in columns["dual"]
    ]
    arrays = {name: np.array(column) for name, column in columns.items()}
    arrays["status"] = np.array([s.status.value for s in solutions], dtype="U11")
    return arrays


def proof(answers: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays (S,) from which certificates are counted, for answers whose matrices no later stage reads."""
    return {name: answers[name] for name in ("status", "gap", "residual")}
