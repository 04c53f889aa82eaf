"""Where does descent end: at the optimal tokens, at locally optimal ones, or elsewhere?

global         every input selects its optimal token
local          global, or the selected tokens are locally optimal and W correlates with their SVM solution
not_local      saturated, and not local
not_saturated  some input's largest softmax probability stayed below the bound
all_support    no matter how it ended: all tokens are support vectors of the optimal tokens' solution
all_support_not_global  they are, and the run is not global

local, not_local and not_saturated add up to one.
"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, how_to_train, outcomes, pairs, queries_of, share
from attnsvm.draws import gaussian

NORM = {"W": "fro", "KQ": "nuc"}  # the norm that belongs to a parametrisation
TYPES = ("global", "local", "not_local", "not_saturated", "all_support", "all_support_not_global")


class ConvergenceTypes(Experiment):
    trainings = len(NORM)
    attention = "cross"

    def cells(self):
        return pairs(self.config["problems"])

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        from attnsvm.training.descent import train
        from attnsvm.training.heads import LinearHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {"every": settings["steps"], "attention": self.attention, "progress": progress}
        arrays = {}
        for parametrisation in NORM:
            log = train(problems, LinearHead, parametrisation, **how)
            arrays[f"{parametrisation}_weights"] = log.weights[:, -1]
            arrays[f"{parametrisation}_probabilities"] = log.probabilities
        return arrays

    def svm(self, problems, descent):
        """Solve for the optimal tokens, and for the selected ones in the instances `apart`, where they differ."""
        from attnsvm.selection import optimal_tokens, selected_tokens

        optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
        arrays = {"optimal": optimal}
        for parametrisation, norm in NORM.items():
            selected = selected_tokens(descent[f"{parametrisation}_probabilities"])
            apart = np.flatnonzero((selected != optimal).any(1))
            arrays[f"{parametrisation}_selected"], arrays[f"{parametrisation}_apart"] = selected, apart
            batches = {"optimal": (problems, optimal), "apart": (problems[apart], selected[apart])}
            for which, (batch, tokens) in batches.items():
                if len(batch):
                    solved = self._solve(batch, tokens, norm)
                    arrays |= {f"{parametrisation}_{which}_{name}": column for name, column in solved.items()}
        return arrays

    def _solve(self, problems, selected, norm):
        """The certified solutions, and whether each token is a support index (S, n, T)."""
        from attnsvm.selection import by_token, margins, support

        answers = certified(problems, selected, norm, self.attention)
        margin = margins(problems.tokens, queries_of(problems, self.attention), answers["W"], selected)
        tight = support(margin, by_token(answers["dual"], selected, margin.shape[2]), selected)
        return {name: answers[name] for name in ("status", "W", "gap", "residual")} | {"support": tight}

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation
        from attnsvm.selection import locally_optimal, scores

        score = scores(problems.tokens, problems.head, problems.labels)
        bounds = self.config["measures"]
        frames, ends = [], []
        for parametrisation in NORM:
            selected = svm[f"{parametrisation}_selected"]
            best = {name: svm[f"{parametrisation}_optimal_{name}"] for name in ("status", "W", "support")}
            own = {name: column.copy() for name, column in best.items()}
            for name, column in own.items():
                if len(apart := svm[f"{parametrisation}_apart"]):
                    column[apart] = svm[f"{parametrisation}_apart_{name}"]
            solved, infeasible = own["status"] == "solved", own["status"] == "infeasible"
            saturated = descent[f"{parametrisation}_probabilities"].max(-1).min(-1) >= bounds["saturated"]
            along = correlation(descent[f"{parametrisation}_weights"], own["W"])
            settled = saturated & solved & locally_optimal(score, selected, own["support"])
            found = saturated & (selected == svm["optimal"]).all(1)
            local = found | (settled & (along >= bounds["correlation"]))
            others = np.arange(cell.T) != svm["optimal"][..., None]
            all_support = (best["support"] == others).all((1, 2)) & (best["status"] == "solved")
            end = np.select(
                [~saturated, found, local, infeasible, ~solved, ~settled],
                ["not saturated", "global", "local", "no separator", "uncertified", "not locally optimal"],
                "correlation below the threshold",
            )
            frames.append(
                pd.DataFrame(
                    {
                        **{"n": cell.n, "T": cell.T, "d": cell.d, "seed": problems.seeds},
                        **{"parametrisation": parametrisation, "end": end, "correlation": along},
                        **{"global": found, "local": local, "not_local": saturated & ~local},
                        **{"not_saturated": ~saturated, "all_support": all_support},
                        "all_support_not_global": all_support & ~found,
                    }
                )
            )
            ends.append(outcomes(cell, problems.seeds, np.char.add(f"{parametrisation} ", end)))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        rows = []
        keys = ["n", "T", "d", "parametrisation"]
        for key, group in measures.instances.groupby(keys, sort=False):
            rows += [
                {**dict(zip(keys, key, strict=True)), "type": kind, **share(int(group[kind].sum()), len(group))}
                for kind in TYPES
            ]
        return pd.DataFrame(rows)


EXPERIMENT = ConvergenceTypes
