"""What W selects of new inputs along training, against what it selects after the last step."""

import pandas as pd

from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.selection import selected_tokens
from attnsvm.analysis.statistics import mean
from attnsvm.experiments.real.generalisation.stop_early.problems import inputs, logits, wanted


def measures(cell, problems, trained, solved, settings):
    new = inputs(cell, problems.seeds, settings["held_out"], new=True)
    right = (selected_tokens(logits(new, trained["weights"])) == wanted(new)[:, None]).mean(-1)
    names = {"variant": cell.variant, "n": cell.n}
    rows = curves(problems.seeds, trained["steps"], {"right": right}, **names)
    return Measures(rows, outcomes(cell, problems.seeds, cell.variant))


def table(measures, settings):
    rows = []
    for (variant, n), found in measures.instances.groupby(["variant", "n"], sort=False):
        wide = found.pivot(index="seed", columns="step", values="right")
        for step in wide:
            gain = mean(wide[step] - wide[wide.columns.max()])
            rows.append({"variant": variant, "n": n, "step": step} | gain | {"right": wide[step].mean()})
    return pd.DataFrame(rows)
