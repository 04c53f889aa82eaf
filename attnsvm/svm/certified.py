"""Solve, then let the independent checker have the last word."""

import numpy as np

from attnsvm.svm.checker import check
from attnsvm.svm.constraints import Constraints
from attnsvm.svm.solution import Status, stack
from attnsvm.svm.solver import solve_batch, tolerance


def certified(batch: list[Constraints], norm: str) -> dict[str, np.ndarray]:
    """`stack` over the batch; a claim that the checker rejects becomes `uncertified`, its reason in `rejected`."""
    solutions = solve_batch(batch, norm)
    reasons = [
        check(c.left, c.right, c.bound, c.equality, norm, tolerance(norm), s)
        for c, s in zip(batch, solutions, strict=True)
    ]
    columns = stack(solutions)
    columns["rejected"] = np.array(reasons, dtype="U60")
    columns["status"][columns["rejected"] != ""] = Status.UNCERTIFIED.value
    return columns
