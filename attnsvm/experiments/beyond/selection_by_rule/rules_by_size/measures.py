"""Which instances end saturated at the optimal token of every input, under each rule."""

import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.analysis.statistics import mean, share

KEYS = ["n", "T", "d", "rule"]


def measures(cell, problems, trained, solved, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    frames, ends = [], []
    for rule, run in trained.items():
        selected = (selected_tokens(run["probabilities"]) == optimal).all(1)
        saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
        columns = {"n": cell.n, "T": cell.T, "d": cell.d, "rule": rule, "seed": problems.seeds}
        frames.append(pd.DataFrame(columns | {"global": selected & saturated, "waiting": selected & ~saturated}))
        words = pd.Series(selected & saturated).map({True: f"{rule} global", False: f"{rule} not global"})
        ends.append(outcomes(cell, problems.seeds, words.to_numpy()))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    rows = []
    for size, found in measures.instances.groupby(KEYS[:3], sort=False):
        wide = found.pivot(index="seed", columns="rule", values="global").astype(float)
        for rule, runs in found.groupby("rule", sort=False):
            names = dict(zip(KEYS, (*size, rule), strict=True))
            values = {name: share(runs[name]) for name in ("global", "waiting")}
            if rule != "fro":
                values["lead"] = mean(wide["fro"] - wide[rule])
            rows += [names | {"quantity": quantity} | numbers for quantity, numbers in values.items()]
    return pd.DataFrame(rows)
