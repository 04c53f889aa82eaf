"""The W of least norm that selects given tokens: its distance to the optimum, as the checker proves it.

    benchopt run benchmarks/benchopt --max-runs 1

Every solver is given tokens, queries, the selected tokens and the norm, and gives W. The value is the relative gap
between two proved bounds: above, the norm of W divided by its least margin; below, what the multipliers of attnsvm
promise, which no W that separates goes under. It is 1 where W does not separate. Both bounds are those of
`attnsvm.svm.checker`, which counts every rounding and shares no code with the solvers.
"""

from types import SimpleNamespace

import numpy as np
from benchopt import BaseObjective

from attnsvm import geometry
from attnsvm.svm import separation, solve
from attnsvm.svm.checker import check


class Objective(BaseObjective):
    name = "Attention SVM"
    url = "https://arxiv.org/abs/2308.16898"
    min_benchopt_version = "1.6"
    parameters = {"norm": ["fro", "nuc"]}

    def set_data(self, tokens, queries, selected):
        self.tokens, self.queries, self.selected = tokens, queries, selected
        self.constraints = separation(tokens, queries, selected)
        self.best = solve(self.constraints, self.norm)
        assert self.best.solved, "the data of this benchmark have a separator"

    def proved(self, W):
        """The checker's verdict on W with margin one, and the multipliers of attnsvm."""
        c = self.constraints
        least = float(c.apply(W).min())
        claim = SimpleNamespace(status="solved", W=W / least if least > 0 else W, dual=self.best.dual)
        return check(c.factors, c.bound, c.equality, self.norm, geometry.get(self.norm).tolerance, claim)

    def evaluate_result(self, W):
        """The proved gap of W, its least margin at norm one, and the largest that any W can have."""
        size = float(geometry.get(self.norm).value(W))
        margin = float(self.constraints.apply(W).min()) / size if size > 0 else 0.0
        gap = self.proved(W).gap if margin > 0 else 1.0
        return {"value": min(gap, 1.0), "margin": margin, "largest_margin": 1 / self.best.low}

    def get_one_result(self):
        return {"W": np.zeros((self.tokens.shape[2], self.queries.shape[1]))}

    def get_objective(self):
        return {"tokens": self.tokens, "queries": self.queries, "selected": self.selected, "norm": self.norm}
