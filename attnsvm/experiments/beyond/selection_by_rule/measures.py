"""Which tokens every rule ends with, and how often the trained W selects the optimal token of inputs held out.

global         every input selects its optimal token
local          saturated, not global, and the tokens are locally optimal: they score higher than the support indices of
               their solution in the norm of the rule
neither        saturated, and neither of the two
not_saturated  some input's largest softmax probability stayed below the bound
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.selection import locally_optimal, optimal_tokens, scores, selected_tokens
from attnsvm.analysis.statistics import mean, share
from attnsvm.experiments.beyond.selection_by_rule.problems import new_inputs

ENDS = ("global", "local", "neither", "not_saturated")


@gathered
def measures(cell, problems, trained, solved, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    score = scores(problems.tokens, problems.head, problems.labels)
    new = new_inputs(cell, problems.seeds, settings["held_out"])
    for length, runs in trained.items():
        for rule, run in runs.items():
            selected = selected_tokens(run["probabilities"])
            local = np.zeros(len(problems), dtype=bool)
            answers = solved[length][rule]
            if "solved" in answers:
                places, own = answers["places"], answers["solved"]
                better = locally_optimal(score[places], selected[places], own["support"])
                local[places] = better & (own["status"] == "solved")
            saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
            end = np.select([~saturated, (selected == optimal).all(1), local], ["not_saturated", *ENDS[:2]], ENDS[2])
            columns = {"labels": cell.variant, "d": cell.d, "steps": length, "rule": rule, "seed": problems.seeds}
            yield pd.DataFrame(columns | {"end": end, "held_out": _accuracy(run["weights"], new)})
            words = np.char.add(f"{cell.variant} {length} {rule} ", end)
            yield outcomes(cell, problems.seeds, words)


def _accuracy(W, new):
    """The share of the inputs whose optimal token W selects, (S,)."""
    logits = np.einsum("sntd,snd->snt", new.tokens, new.queries @ W.mT)
    return (selected_tokens(logits) == optimal_tokens(new.tokens, new.head, new.labels)).mean(1)


def table(measures, settings):
    keys, rows = ["labels", "d", "steps", "rule"], []
    T = int(measures.outcomes["T"].max())
    for key, runs in measures.instances.groupby(keys, sort=False):
        names = dict(zip(keys, key, strict=True))
        rows += [{**names, "quantity": end, **share(runs["end"] == end)} for end in ENDS]
        rows.append({**names, "quantity": "held_out", **mean(runs["held_out"])})
        rows.append({**names, "quantity": "blind", "value": 1 / T, "instances": len(runs)})
    # How much more often Frobenius steps end global than each rule, instance by instance.
    found = measures.instances.assign(hit=measures.instances["end"] == ENDS[0])
    for (labels, steps), runs in found.groupby(["labels", "steps"], sort=False):
        for quantity, column in (("lead_global", "hit"), ("lead_held_out", "held_out")):
            by_rule = runs.pivot(index=["d", "seed"], columns="rule", values=column).astype(float)
            for rule in by_rule.columns.drop("fro"):
                names = {"labels": labels, "d": np.nan, "steps": steps, "rule": rule, "quantity": quantity}
                rows.append({**names, **mean(by_rule["fro"] - by_rule[rule])})
    return pd.DataFrame(rows)
