"""Adam's pace beside the closed form, and its margin ratio in its own time."""

import numpy as np

from attnsvm.analysis.medians import quartiles
from attnsvm.analysis.pace import forgetting, pace
from attnsvm.experiments.beyond.adam.measures import measures as measures

QUANTITIES = ("deviation", "slower", "linf", "time", "travelled")


def table(measures, settings):
    frame = measures.instances.reset_index(drop=True)
    frame["rate"] = frame["run"].str.split().str[-1].astype(float)
    for _, rows in frame.groupby("run"):
        beta1, beta2, sign = rows["beta1"].iloc[0], rows["beta2"].iloc[0], rows["sign_pace"].to_numpy()
        closed, memory = pace(sign, beta1, beta2), 0.5 * np.log(1 / beta2)
        frame.loc[rows.index, "deviation"] = rows["growth"] / closed - 1
        frame.loc[rows.index, "slower"] = rows["growth"] / np.minimum(sign, memory) - 1
        frame.loc[rows.index, "time"] = rows["step"] / forgetting(sign, beta1, beta2)
        frame.loc[rows.index, "travelled"] = rows["step"] * sign
    frame["run"] = [f"{beta2:g} {rate:g}" for beta2, rate in zip(frame["beta2"], frame["rate"], strict=True)]
    run = ["run", "beta2", "rate", "step"]
    groups = frame.melt(run, list(QUANTITIES), "quantity").groupby([*run, "quantity"], sort=False)["value"]
    return quartiles(groups)
