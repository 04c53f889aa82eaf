"""Is Adam sign descent? Its margin in the max norm, and the pace that its memory allows."""

import numpy as np

from attnsvm.audit import Claim, NoInstance, Reading, some

STEADY = ("constant", "small", "large")  # schedules
ROUNDING = 0.01  # of a pace: the runs do not select the same tokens in every instance, and medians are compared


def ends(tables, quantity):
    """The last row of every run, in order."""
    rows = tables.own(quantity=quantity)
    order = list(dict.fromkeys(rows["run"]))
    return rows.sort_values("step").groupby("run").last().loc[order]


def sign(tables, least):
    last = ends(tables, "linf")
    adam = some(last[last["rule"] == "Adam"], "run of Adam")
    worst = adam.loc[adam["median"].idxmin()]
    control = some(last[last["rule"] == "sign"], "run of sign descent")["median"].min()
    parts = {f"{run}: {row['median']:.3f}": row["median"] >= least for run, row in adam.iterrows()}
    parts[f"sign descent itself: {control:.3f}"] = control >= least
    return Reading(worst["median"], worst["low"], worst["high"], int(worst["instances"]), parts)


def pace(tables, most):
    """The growth of the margin at constant rates, beside the paces of sign descent and of forgetting.

    The value is the largest deviation of a run that its memory holds back. Sign descent is the control: the same growth
    at its own pace, which is another number, would say nothing about the memory.
    """
    growth, fastest = ends(tables, "growth"), ends(tables, "sign_pace")
    steady = some(growth[growth["schedule"].isin(STEADY)], "run at a constant rate")
    held, parts = {}, {}
    for run, row in steady.iterrows():
        signs = fastest.loc[run, "median"]
        memory = 0.5 * np.log(1 / row["beta2"]) if row["beta2"] > 0 else np.inf
        if memory < 0.5 * signs:
            held[run] = row["median"] / memory - 1
            words = f"{run}: {held[run]:+.3f} beside its memory, at {memory / signs:.3f} of the pace of sign descent"
            parts[words] = abs(held[run]) <= most
        else:
            words = f"{run}: {row['median'] / signs - 1:+.3f} beside the pace of sign descent, and not faster"
            parts[words] = row["median"] <= (1 + ROUNDING) * signs
    if not held:
        raise NoInstance("run that its memory holds back")
    worst = max(held.values(), key=abs)
    return Reading(worst, float("nan"), float("nan"), int(steady["instances"].min()), parts)


CLAIMS = (
    Claim(
        key="adam_sign",
        group="beyond",
        short="Adam goes where sign descent goes",
        statement="Adam goes to the max-margin solution of the max norm, as sign descent does.",
        check="margin ratio in the max norm after the last step, median and quartiles over the instances, of every "
        "Adam; the smallest is shown",
        threshold=0.95,
        why="what sign descent itself reaches in a tenth of the steps",
        measured="smallest median of the margin ratio in the max norm (best: 1)",
        wanted="every run ≥ {}",
        read=sign,
    ),
    Claim(
        key="adam_pace",
        group="beyond",
        short="Adam's margin grows as fast as it forgets",
        statement="Where sign descent with the same constant rate would be faster than that, the smallest margin of "
        "Adam grows by ½ log(1/β2) per step, the pace at which its second moment forgets, whatever the rate and β1. "
        "Nowhere is it faster than sign descent.",
        check="growth of the smallest margin per step over the last half of the steps, median over the instances, "
        "divided by ½ log(1/β2), minus one; of the runs in which that is less than half the pace of sign descent, "
        "the largest in size is shown",
        threshold=0.1,
        why="the approach to this pace is like 1/steps",
        measured="relative deviation of the pace of the margin",
        wanted="every such run: size ≤ {}",
        read=pace,
    ),
)
