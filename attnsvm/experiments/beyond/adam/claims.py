"""Is Adam sign descent? Its margin in the max norm, and the pace that its memory allows."""

import numpy as np

from attnsvm.audit.conditions import EACH, LAST, NoInstance, number
from attnsvm.audit.numbers import Limit, exact
from attnsvm.audit.reading import Claims, Reading, some

STEADY, DECAYING = ("constant", "small", "large"), ("root",)  # schedules
REACHED = "what sign descent itself reaches in a tenth of the steps"
end = number(run=EACH, step=LAST)
ratio = end(quantity="linf", text="margin ratio in the max norm (best: 1)")
CLAIMS = Claims(group="beyond")

CLAIMS.declare(
    "adam_sign",
    ratio(rule="Adam", missing="run of Adam").must(
        "median of every run ≥ 0.95", REACHED, "{run}: {value:.3f}", whole=False
    ),
    ratio(rule="sign", missing="run of sign descent").must(
        "median of every run ≥ 0.95", REACHED, "{run}, the control: {value:.3f}", whole=False
    ),
    short="Adam goes where sign descent goes",
    statement="Adam goes to the max-margin solution of the max norm, as sign descent does.",
)


@CLAIMS.add(
    short="Adam's margin grows as fast as it forgets",
    statement="At a constant rate the smallest margin of Adam grows at the slower of two paces: that of sign descent, "
    "and ½ log(1/β2) per step, at which its second moment forgets, whatever the learning rate.",
    measured="growth of the smallest margin per step over the slower pace, less one, the largest in size of all runs",
    limit=Limit(0.1, "every run: size ≤ {}", "the approach to either pace is like 1/steps"),
    held_back=Limit(
        0.5,
        "pace of its memory over that of sign descent, in some run < {}",
        "else nothing could be told from sign descent",
    ),
)
def adam_pace(tables, limit, held_back):
    """The growth of the margin at constant rates, beside the slower of the paces of sign descent and of forgetting."""
    table = tables.own()
    if unknown := set(table["schedule"]) - {*STEADY, *DECAYING}:
        raise LookupError(f"unknown schedules: {sorted(unknown)}")
    steady = some(table[table["schedule"].isin(STEADY)], "run at a constant rate")
    growth, deviations, held = end(quantity="growth").read(steady), {}, []
    for grown, row in growth:
        signs = end(quantity="sign_pace", run=row["run"]).estimate(steady).value
        memory = 0.5 * np.log(1 / row["beta2"]) if row["beta2"] > 0 else np.inf
        deviations[row["run"]] = grown.value / min(signs, memory) - 1
        held.append(held_back(memory / signs))
    if not any(held):
        raise NoInstance("run that its memory holds back")
    parts = {f"{run}: {value:+.3f}": limit(abs(value)) for run, value in deviations.items()}
    return Reading(*exact(max(deviations.values(), key=abs), min(one.number.instances for one in growth)), parts)
