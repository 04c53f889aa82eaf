"""The answer of a max-margin solve: a status that cannot be mistaken for a number, with its proof."""

from dataclasses import dataclass
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
