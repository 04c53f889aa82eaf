"""Is Adam sign descent? Its margin in the max norm, and the pace that its memory allows."""

import numpy as np

from attnsvm.audit.conditions import EACH, LAST, NoInstance, number
from attnsvm.audit.evaluation import Claims, Reading, only, some
from attnsvm.audit.numbers import Limit, each, estimate, exact, smallest

STEADY, DECAYING = ("constant", "small", "large"), ("root",)  # schedules
REACHED = "what sign descent itself reaches in a tenth of the steps"
end = number(run=EACH, step=LAST)
ratio = end(quantity="linf", text="margin ratio in the max norm (best: 1)")
CLAIMS = Claims(group="beyond")

CLAIMS.declare(
    "adam_sign",
    ratio(rule="Adam", missing="run of Adam").must("median of every run ≥ 0.95", REACHED, "{run}: {value:.3f}"),
    ratio(rule="sign", missing="run of sign descent").must(
        "median of every run ≥ 0.95", REACHED, "{run}, the control: {value:.3f}"
    ),
    short="Adam goes where sign descent goes",
    statement="Within 100,000 steps Adam goes to the max-margin solution of the max norm, as sign descent does, with "
    "β2 from .9 to .999.",
)


@CLAIMS.add(
    short="Adam's margin grows as fast as it forgets",
    statement="At a constant rate the smallest margin of Adam grows at the slower of two paces: that of sign "
    "descent, and ½ log(1/β2) per step.",
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


# What holds instead, asked on unseen seeds: a closed form of the pace, and a time of its own.
PER_DECADE = 4  # times at which two runs are compared


def ends(tables, quantity):
    """The last row of every run, in order."""
    rows = some(tables.own(quantity=quantity), "run of Adam")
    return rows.sort_values("step").groupby("run", sort=False).last()


def ways(tables, start):
    """By run: (log of the time, margin ratio, its interval's ends) of the steps that have left the start behind."""
    rows, found = tables.own(), {}
    for quantity in ("time", "linf", "travelled"):
        only(rows, quantity=quantity)
    for run, own in rows.groupby("run", sort=False):
        wide = own.pivot(index="step", columns="quantity", values=["value", "low", "high"])
        wide = wide[wide["value", "travelled"].map(start)]
        found[run] = np.log(wide["value", "time"]), *(wide[name, "linf"] for name in ("value", "low", "high"))
    return found


def distances(curves) -> list[tuple[float, float]]:
    """At equal times, some per decade, how far the lowest of two curves or more lies below the highest: by the values,
    and as far as their intervals allow."""
    found = []
    for at in np.arange(*np.log((1e-3, 1e3)), np.log(10) / PER_DECADE):
        there = [[np.interp(at, x, y) for y in own] for x, *own in curves if x.min() <= at <= x.max()]
        if len(there) > 1:
            value, low, high = zip(*there, strict=True)
            found.append((max(value) - min(value), max(high) - min(low)))
    return found


@CLAIMS.add(
    sharpens="adam_pace",
    on="adam_time",
    short="Adam's pace in closed form",
    statement="At a constant rate Adam's smallest margin grows, in the median, by g per step. g = P·(1 − β1)/(1 − "
    "β1·exp(g))·√((1 − β2·exp(2g))/(1 − β2)), P that of signs.",
    measured="median pace of the margin over its closed form, less one, the largest in size of all runs",
    limit=Limit(5e-3, "every run: size ≤ {}", "a twentieth of what the slower of two paces was asked"),
    slower=Limit(
        0.1, "deviation from the slower of two paces, some run: size > {}", "it fails where the two are equal"
    ),
)
def adam_pace_closed(tables, limit, slower):
    """The deviation from the closed form, beside that from the slower of the two paces: its largest is the control."""
    own, other = (ends(tables, quantity) for quantity in ("deviation", "slower"))
    parts = {f"β2, η = {run}: {row['value']:+.1e}": limit(abs(row["value"])) for run, row in own.iterrows()}
    control = max(other["value"], key=abs)
    further = {f"the slower of two paces: {control:+.2f} in some run": slower(abs(control))}
    return Reading(*exact(max(own["value"], key=abs), own["instances"].min()), parts, further)


@CLAIMS.add(
    sharpens="adam_sign",
    on="adam_time",
    short="Adam goes to the max norm, at its own time",
    statement="Adam goes to the max-margin solution of the max norm at its own time, 2/((1 − β2)(g/P)²) steps. At "
    "equal shares of it all β2 and rates are equally near.",
    measured="smallest median of the margin ratio in the max norm, runs that have their time behind them",
    limit=Limit(0.95, "every run ≥ {}", "as first asked"),
    done=Limit(
        20.0,
        "steps of a run that has its time behind it, in times ≥ {}",
        "the curve of the runs that the claim was found on crosses .95 at 15 to 20",
    ),
    spread=Limit(0.05, "distance of two runs at equal times ≤ {}", "as much as may be missing to one at the end"),
    start=Limit(50.0, "P times the step, in logits ≥ {}", "the start's margins are a few logits"),
)
def adam_sign_time(tables, limit, done, spread, start):
    """Every run that has its time behind it; and all runs at equal times, as far apart as any two of them are."""
    ratios = ends(tables, "linf")
    has_its_time = ends(tables, "time")["value"].reindex(ratios.index).map(done)
    late = some(ratios[has_its_time], "run that has its time behind it")
    seen = {run: estimate(row) for run, row in late.iterrows()}
    parts = each(seen, "β2, η = {}: {.value:.3f}", limit)
    apart = distances([way for way in ways(tables, start).values() if len(way[0])])
    if not apart:
        raise NoInstance("time that two runs share")
    widest, ends_apart = map(max, zip(*apart, strict=True))
    words = f"at {len(apart)} equal times two runs are up to {widest:.3f} apart, {ends_apart:.3f} by their intervals"
    parts[words] = spread(ends_apart)
    early = some(ratios[~has_its_time], "run that ends before its time")["value"]
    further = {f"{len(early)} runs before their time: {early.max():.3f} at most": not limit(early.max())}
    return Reading(*smallest(seen), parts, further)
