"""The W of least Frobenius norm that selects given tokens: margin and gap, as the independent checker sees them.

    benchopt run benchmarks/benchopt --max-runs 1

Every solver is given tokens, queries and the selected tokens, and gives W. The value is the share of the largest margin
that W of norm one lacks, above 1 where W does not separate. No margin is larger than 1 over what multipliers prove:
those of attnsvm, accepted by `attnsvm.svm.checker`.
"""

import numpy as np
from benchopt import BaseObjective

from attnsvm.svm import separation, solve
from attnsvm.svm.checker import check


class Objective(BaseObjective):
    name = "Attention SVM"
    url = "https://arxiv.org/abs/2308.16898"
    min_benchopt_version = "1.6"

    def set_data(self, tokens, queries, selected):
        self.tokens, self.queries, self.selected = tokens, queries, selected
        self.constraints = separation(tokens, queries, selected)
        best = solve(self.constraints)
        c = self.constraints
        assert best.solved, "the data of this benchmark have a separator"
        assert not check(c.factors, c.bound, c.equality, "fro", 1e-10, best)
        self.bound = float(c.bound @ best.dual)

    def evaluate_result(self, W):
        """The share of the largest margin that W lacks; rounding may take it below zero, which no margin can be."""
        length = float(np.linalg.norm(W))
        margin = float(self.constraints.apply(W).min()) / length if length > 0 else 0.0
        return {"value": max(1 - margin * self.bound, 0.0), "margin": margin, "largest_margin": 1 / self.bound}

    def get_one_result(self):
        return {"W": np.zeros((self.tokens.shape[2], self.queries.shape[1]))}

    def get_objective(self):
        return {"tokens": self.tokens, "queries": self.queries, "selected": self.selected}
