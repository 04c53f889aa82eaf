"""The rank of Att-SVM solutions for the optimal tokens: certified, and as the published procedure counts it.

The published procedure keeps three errors: an instance without a separator counts as rank 1, a solver that stops near
1e-6 is counted at 1e-7, and neither is said. The certified rank counts instances with a separator only.
"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, grid, outcomes
from attnsvm.draws import gaussian

NORMS = ("fro", "nuc")
CERTIFIED = ("rank", "rank_low", "rank_high", "rank_bound", "gap", "outside")


class SvmRank(Experiment):
    def cells(self):
        shape = self.config["problems"]
        seeds = range(shape["first_seed"], shape["first_seed"] + shape["instances"])
        varying_n = grid({"n": shape["n"], "T": shape["T"][:1], "d": shape["d"]}, seeds)
        varying_T = grid({"n": shape["n"][:1], "T": shape["T"][1:], "d": shape["d"]}, seeds)
        return varying_n + varying_T

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        return {}  # nothing is trained: the tokens to separate are the optimal ones

    def svm(self, problems, descent):
        from attnsvm.selection import optimal_tokens
        from attnsvm.svm import separation, solve_batch, stack
        from attnsvm.svm.published import published_gap, published_rank, published_solution

        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        batch = [separation(*one) for one in zip(problems.tokens, problems.queries, optimal, strict=True)]
        arrays = {}
        for norm in NORMS:
            answers = stack(solve_batch(batch, norm))
            arrays |= {f"{norm}_{name}": column for name, column in answers.items()}
            published = [published_solution(constraints, norm) for constraints in batch]
            arrays[f"{norm}_published_returned"] = np.array([W is not None for W in published])
            arrays[f"{norm}_published_rank"] = np.array([published_rank(W) for W in published])
            spans = list(zip(published, problems.queries, strict=True))
            outside = [np.nan if W is None else _outside(W, queries) for W, queries in spans]
            arrays[f"{norm}_published_outside"] = np.array(outside)
            arrays[f"{norm}_outside"] = np.array(list(map(_outside, answers["W"], problems.queries)))
            proofs = zip(batch, published, answers["dual"], answers["status"] == "solved", strict=True)
            gaps = [published_gap(c, norm, W, dual, solved) for c, W, dual, solved in proofs]
            arrays[f"{norm}_published_gap"] = np.array(gaps)
        return arrays

    def measures(self, cell, problems, descent, svm):
        frames, ends = [], []
        for norm in NORMS:
            columns = {"n": cell.n, "T": cell.T, "d": cell.d, "norm": norm, "seed": problems.seeds}
            status = svm[f"{norm}_status"]
            certified = {name: svm[f"{norm}_{name}"] for name in CERTIFIED}
            frames.append(pd.DataFrame({**columns, "method": "certified", "solved": status == "solved", **certified}))
            frames[-1] = frames[-1][status != "uncertified"]  # in no count but that of the outcomes
            published = {name: svm[f"{norm}_published_{name}"] for name in ("rank", "gap", "outside")}
            returned = svm[f"{norm}_published_returned"]
            frames.append(pd.DataFrame({**columns, "method": "published", "solved": returned, **published}))
            ends.append(outcomes(cell, problems.seeds, np.char.add(f"{norm} ", status)))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        rows = []
        keys = ["n", "T", "d", "norm", "method"]
        for key, group in measures.instances.groupby(keys, sort=False):
            solved = group[group.solved]
            counted = solved if key[-1] == "certified" else group
            rows.append(
                {
                    **dict(zip(keys, key, strict=True)),
                    "instances": len(group),
                    "feasible": len(solved),
                    "rank_mean": counted["rank"].mean(),
                    "rank_std": counted["rank"].std(ddof=0),
                    "rank_max": counted["rank"].max(),
                    "gap_max": solved["gap"].max(),
                    "outside_max": solved["outside"].max(),
                }
            )
        return pd.DataFrame(rows)


def _outside(W: np.ndarray, queries: np.ndarray) -> float:
    """The share of ‖W‖_F whose rows lie outside the span of the queries (n, d)."""
    basis = np.linalg.qr(queries.T)[0]
    return float(np.linalg.norm(W - W @ basis @ basis.T) / np.linalg.norm(W))


EXPERIMENT = SvmRank
