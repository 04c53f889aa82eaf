"""A ReLU head selects several tokens: does the trained W go where the generalised SVM says?

Instances are tried in seed order and the first `accepted` of each d are drawn, however the work was split. A seed is
rejected by name: no label is −1; a final softmax entry lies in (1e-6, 1e-3], so that it is undecided whether its token
is selected; no entry is ≤ 1e-6, so that nothing is left out; or one of the SVMs has no certified solution.
"""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Cell, Experiment, Measures, how_to_train, outcomes, require
from attnsvm.draws import relu
from attnsvm.selection import SELECTED_ABOVE, selected_sets, selected_tokens

UNSELECTED = 1e-6  # softmax probability up to which a token counts as left out, as published
BATCH = 4096  # instances whose logs are held before the rejected ones are dropped
SVMS = ("mm", "fin", "one_token")
SOLUTIONS = ("svmeq", "svmeq_norm", "mm", "one_token")


class MultiToken(Experiment):
    def cells(self):
        shape = self.config["problems"]
        require(
            len(shape["d"]) == len(shape["candidates"]),
            "config: experiments.multi_token.problems: d and candidates differ in length: give one count for each d",
        )
        first = shape["first_seed"]
        return [
            Cell(shape["n"], shape["T"], d, tuple(range(first, first + count)))
            for d, count in zip(shape["d"], shape["candidates"], strict=True)
        ]

    def problems(self, cell):
        return cell.draw(relu)

    def descent(self, problems, progress):
        """Train the instances with a label −1; keep the logs of those whose final softmax is decided."""
        from attnsvm.training.descent import train
        from attnsvm.training.heads import ReluHead

        settings = self.config["descent"]
        how = how_to_train(settings) | {"every": settings["log_every"], "progress": progress}
        outcome = np.full(len(problems), "no label is -1", dtype="U40")
        trainable = np.flatnonzero((problems.labels < 0).any(1))
        progress(len(problems) - len(trainable))
        kept = []
        for start in range(0, max(len(trainable), 1), BATCH):
            index = trainable[start : start + BATCH]
            log = train(problems[index], ReluHead, "W", **how)
            outcome[index] = _decision(log.probabilities)
            good = outcome[index] == "decided"
            kept.append((index[good], log[good]))
        return {
            "outcome": outcome,
            "kept": np.concatenate([index for index, _ in kept]),
            "steps": kept[0][1].steps,
            "weights": np.concatenate([log.weights for _, log in kept]),
            "probabilities": np.concatenate([log.probabilities for _, log in kept]),
        }

    def svm(self, problems, descent):
        from attnsvm.svm import finite_part, separation, solve_batch, stack

        if len(descent["kept"]) == 0:
            return {}
        problems, probabilities = problems[descent["kept"]], descent["probabilities"]
        inputs = list(zip(problems.tokens, problems.queries, selected_sets(probabilities), probabilities, strict=True))
        single = zip(problems.tokens, problems.queries, selected_tokens(probabilities), strict=True)
        batches = {
            "mm": [separation(tokens, queries, chosen) for tokens, queries, chosen, _ in inputs],
            "fin": [finite_part(*one) for one in inputs],
            "one_token": [separation(*one) for one in single],
        }
        arrays = {}
        for name, batch in batches.items():
            answers = stack(solve_batch(batch, "fro"))
            arrays |= {f"{name}_{key}": answers[key] for key in ("status", "W", "gap", "residual", "rejected")}
        return arrays

    def measures(self, cell, problems, descent, svm):
        from attnsvm.directions import correlation, scale_by_norm, svm_equivalent

        kept, outcome = descent["kept"], descent["outcome"].copy()
        if len(kept) == 0:
            return Measures(_frame(cell, [], [], {}, []), outcomes(cell, problems.seeds, outcome))
        status = {name: svm[f"{name}_status"] for name in SVMS}
        for name in SVMS:
            failed = (outcome[kept] == "decided") & (status[name] != "solved")
            outcome[kept[failed]] = np.char.add(f"{name} SVM ", status[name][failed])
        good = outcome[kept] == "decided"
        outcome[kept[good]] = "accepted"

        weights, probabilities = descent["weights"][good], descent["probabilities"][good]
        W_mm, W_fin, W_one = (svm[f"{name}_W"][good] for name in SVMS)
        svmeq = svm_equivalent(weights[:, -1], W_fin, W_mm)
        by_norm = svm_equivalent(weights[:, -1], W_fin, W_mm, scale_by_norm)
        values = {
            name: 1.0 - correlation(weights, target[:, None])
            for name, target in zip(SOLUTIONS, (svmeq, by_norm, W_mm, W_one), strict=True)
        }
        unselected = np.where(selected_sets(probabilities), 0.0, probabilities).max((1, 2))
        frame = _frame(cell, problems.seeds[kept[good]], descent["steps"], values, unselected)
        return Measures(frame, outcomes(cell, problems.seeds, outcome))

    def table(self, measures):
        wanted = self.config["measures"]["accepted"]
        tables = []
        for d, tried in measures.outcomes.groupby("d"):
            seeds = np.sort(tried.loc[tried.outcome == "accepted", "seed"])
            require(
                len(seeds) >= wanted,
                f"multi_token: only {len(seeds)} of {len(tried)} seeds were accepted at d = {d}, {wanted} are wanted: "
                "raise experiments.multi_token.problems.candidates in the configuration",
            )
            last = seeds[wanted - 1]
            counts = {"accepted": wanted, "tried": int((tried.seed <= last).sum())}
            drawn = measures.instances[(measures.instances.d == d) & (measures.instances.seed <= last)]
            curve = drawn.groupby(["solution", "step"], sort=False)["value"].mean().reset_index()
            final = drawn[(drawn.solution == "svmeq") & (drawn.step == drawn.step.max())]
            scatter = final[["solution", "step", "value", "unselected_max", "seed"]].sort_values("seed")
            tables += [curve.assign(d=d, panel="curve", **counts), scatter.assign(d=d, panel="scatter", **counts)]
        columns = ["d", "panel", "solution", "step", "value", "unselected_max", "seed", "accepted", "tried"]
        return pd.concat(tables)[columns].astype({"seed": "Int64"})


def _decision(probabilities: np.ndarray) -> np.ndarray:
    """The verdict on final softmax probabilities (S, n, T): "decided", or why the instance is rejected."""
    undecided = ((probabilities > UNSELECTED) & (probabilities <= SELECTED_ABOVE)).any((1, 2))
    complete = (probabilities > UNSELECTED).all((1, 2))
    return np.select([undecided, complete], ["undecided softmax entry", "no token left out"], "decided")


def _frame(cell, seeds, steps, values, unselected):
    rows = len(seeds)
    frames = [
        pd.DataFrame(
            {
                "d": cell.d,
                "solution": name,
                "seed": np.repeat(np.asarray(seeds, dtype=int), len(steps)),
                "step": np.tile(np.asarray(steps, dtype=int), rows),
                "value": value.ravel(),
                "unselected_max": np.repeat(unselected, len(steps)),
            }
        )
        for name, value in values.items()
    ]
    columns = ["d", "solution", "seed", "step", "value", "unselected_max"]
    return pd.concat(frames) if frames else pd.DataFrame(columns=columns)


EXPERIMENT = MultiToken
