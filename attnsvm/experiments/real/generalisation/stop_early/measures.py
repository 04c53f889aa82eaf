"""What W selects of new inputs along training, against what it selects after the last step."""

import pandas as pd

from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.selection import selected_tokens
from attnsvm.analysis.statistics import sample_interval
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
            value, low, high = sample_interval(wide[step] - wide[wide.columns.max()])
            numbers = {"value": value, "low": low, "high": high, "right": wide[step].mean(), "instances": len(wide)}
            rows.append({"variant": variant, "n": n, "step": step} | numbers)
    return pd.DataFrame(rows)
