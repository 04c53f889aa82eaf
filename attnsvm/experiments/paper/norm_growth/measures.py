"""Does W diverge, or settle at a finite point? Of each condition, the first instances that meet it."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.selection import optimal_tokens
from attnsvm.system.errors import require

MEETS = {  # which instances meet a condition, from the answers for the optimal tokens; problems.py says what it means
    "all_support": lambda answers: answers["all_support"],
    "equal_scores": lambda answers: answers["status"] == "solved",
    "neither": lambda answers: (answers["status"] == "solved") & ~answers["all_support"],
    "contradicting": lambda answers: answers["status"] == "infeasible",
}


def measures(cell, problems, trained, solved, settings):
    meets = MEETS[cell.variant](solved)
    values = {
        "norm": np.linalg.norm(trained["weights"], axis=(-2, -1)),
        "gradient_norm": trained["gradient_norm"],
        "correlation": correlation(trained["weights"], solved["W"][:, None]),
    }
    step = trained["weights"][:, :2][:, -1] - trained["weights"][:, 0]  # minus the gradient: descent is plain
    gains = np.einsum("sntd,sde,sne->snt", problems.tokens, step, problems.queries)
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    values["favourable"] = (gains.argmax(-1) == optimal).all(1)
    kept = {name: value[meets] for name, value in values.items()}
    frame = curves(problems.seeds[meets], trained["steps"], kept, condition=cell.variant)
    found = np.where(solved["all_support"], "all_support", solved["status"])
    end = np.where(meets, f"{cell.variant} drawn", np.char.add(f"{cell.variant} not met ", found))
    return Measures(frame, outcomes(cell, problems.seeds, end))


def table(measures, settings):
    """The first instances of each condition, in seed order."""
    frame, wanted = measures.instances, settings["instances"]
    place = frame.groupby("condition")["seed"].transform(lambda seeds: pd.factorize(seeds, sort=True)[0])
    kept = frame[place < wanted]
    count = kept.groupby("condition")["seed"].nunique().reindex(list(MEETS), fill_value=0)
    require(
        bool((count >= wanted).all()),
        f"norm_growth: only {count.min()} instances meet {count.idxmin()}, {wanted} are wanted: raise "
        "experiments.norm_growth.problems.candidates in the configuration",
    )
    return kept[["condition", "step", "norm", "gradient_norm", "correlation", "favourable", "seed"]]
