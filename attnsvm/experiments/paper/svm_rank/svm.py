"""The solutions for the optimal tokens: certified, and by the published procedure.

The published procedure keeps three errors: an instance without a separator counts as rank 1, a solver that stops near
1e-6 is counted at 1e-7, and both are silent.
"""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.svm.constraints import separation
from attnsvm.svm.instances import answers
from attnsvm.svm.published import published_gap, published_rank, published_solution

KEPT = ("rank", "rank_low", "rank_bound", "rank_error")  # of an answer, in addition to its proof
NORMS = ("fro", "nuc")


def svm(problems, trained, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    batch = [separation(*one) for one in zip(problems.tokens, problems.queries, optimal, strict=True)]
    solved = {}
    for norm in NORMS:
        ours = answers(batch, norm, ranks=True)
        ours["outside"] = np.array(list(map(_outside, ours["W"], problems.queries)))
        solved[norm] = {"certified": ours, "published": _published(batch, norm, problems.queries, ours)}
    return solved


def _published(batch, norm, queries, answers):
    found = [published_solution(constraints, norm) for constraints in batch]
    proofs = zip(batch, found, answers["dual"], answers["status"] == "solved", strict=True)
    spans = zip(found, queries, strict=True)
    return {
        "returned": np.array([W is not None for W in found]),
        "rank": np.array([published_rank(W) for W in found]),
        "against_ours": np.array([published_gap(c, norm, W, dual, solved) for c, W, dual, solved in proofs]),
        "outside": np.array([np.nan if W is None else _outside(W, z) for W, z in spans]),
    }


def _outside(W: np.ndarray, queries: np.ndarray) -> float:
    """The share of ‖W‖_F whose rows lie outside the span of the queries (n, d)."""
    basis = np.linalg.qr(queries.T)[0]
    return float(np.linalg.norm(W - W @ basis @ basis.T) / np.linalg.norm(W))
