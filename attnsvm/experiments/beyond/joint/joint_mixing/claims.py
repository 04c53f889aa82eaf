"""What holds of W trained together with v where inputs mix: the same graded SVM, which of them mix, and how far."""

import pandas as pd

from attnsvm.audit.evaluation import Claims, NoInstance, Reading, some
from attnsvm.audit.numbers import Limit, estimate, largest, sample_median, share_of
from attnsvm.audit.rows import ends, where

SHARED = 0.01  # of tokens beside the better one: a mixture
ENOUGH = 6  # inputs from which on a median has an interval
CLAIMS = Claims(group="beyond")


def rows(tables, kind: str) -> pd.DataFrame:
    return some(where(tables.own(), kind=kind), f"{kind} that is measured")


@CLAIMS.add(
    short="inputs mix until their force is back",
    statement="An input that mixes does so until κN = κ min N + ρ, N the score of what it keeps. More steps do not "
    "saturate it.",
    measured="distance of what inputs keep from the law, median at the worst rate",
    limit=Limit(0.01, "median ≤ {}", "a hundredth of a token, with nothing fitted"),
    within=Limit(0.03, "distance of an input that counts as near ≤ {}", "three times that of the median"),
    most=Limit(0.85, "share of near inputs ≥ {}", "nearly all, beyond doubt"),
    stays=Limit(0.03, "change since a quarter of the steps, median ≤ {}", "saturation would take all of it"),
)
def joint_mixing_law(tables, limit, within, most, stays):
    inputs = rows(tables, "input")
    both = inputs[(inputs["share"] > SHARED) & (inputs["predicted"] > SHARED)]
    found, main, further = {}, {}, {}
    for rate, own in both.groupby("rate"):
        if len(own) < ENOUGH:
            continue
        found[rate] = sample_median((own["share"] - own["predicted"]).abs())
        without = sample_median((own["share"] - own["without"]).abs().fillna(1.0))
        main[f"rate {rate:g}: {len(own)} inputs, within the threshold ({found[rate].value:.2g})"] = limit(found[rate])
        further[f"rate {rate:g}: without ρ farther ({without.value:.2g})"] = without.low > found[rate].high
    if not found:
        raise NoInstance("rate with six inputs that mix")
    near = share_of((both["share"] - both["predicted"]).abs().map(within))
    further[f"{near.value:.2f} of all {len(both)} near it"] = most(near)
    change = both["change"].median()
    main[f"since a quarter of the steps they have changed by {change:.2g}"] = stays(change)
    return Reading(*largest(found, "high")[:3], sum(one.instances for one in found.values()), main, further)


@CLAIMS.add(
    short="which inputs mix",
    statement="The inputs that mix are those that the graded SVM of v, at norm one, holds at margin zero with a "
    "multiplier.",
    measured="share of the inputs that mix which the solution names",
    limit=Limit(0.9, "≥ {}", "nine of ten, beyond doubt"),
    named=Limit(0.9, "share of the inputs named which mix ≥ {}", "the same"),
    none=Limit(0.02, "share of all inputs that mix at the slowest v ≤ {}", "one in fifty"),
    often=Limit(0.08, "share of all inputs that mix at the fastest v ≥ {}", "one in two instances of six inputs"),
)
def joint_mixing_inputs(tables, limit, named, none, often):
    inputs = rows(tables, "input")
    mixes, said = (inputs[column] > SHARED for column in ("share", "predicted"))
    found = share_of(some(inputs[mixes], "input that mixes")["predicted"] > SHARED)
    back = share_of(some(inputs[said], "input that is said to mix")["share"] > SHARED)
    main = {
        f"of {found.instances} inputs that mix {found.value:.2f} are named": limit(found),
        f"of {back.instances} that are named {back.value:.2f} mix": named(back),
    }
    shares = where(rows(tables, "share"), quantity="mix").sort_values("rate")
    slow, fast = (estimate(end) for end in ends(shares, "rate"))
    main[f"slowest v: {slow.value:.2g} of all inputs mix"] = none(slow)
    further = {f"fastest v: {fast.value:.2g} do": often(fast)}
    return Reading(*found, main, further)


@CLAIMS.add(
    sharpens="joint_graded",
    seeds=(210000, 210063),
    short="$v$ and $W$ together: graded margins, mixtures too",
    statement="Where v trains along, W goes to the graded SVM whether an input mixes or not. Farther away are only "
    "instances whose input changed its token late.",
    measured="1 − correlation with the graded solution, median at the worst rate",
    limit=Limit(2e-3, "median ≤ {}", "an angle of 3.6°, as first asked of the mean; now of the whole interval"),
    farthest=Limit(5e-3, "largest where no input has changed ≤ {}", "twice and a half that of the median"),
    falling=Limit(0.1, "median over that after a quarter of the steps ≤ {}", "1/16 is like 1/steps²"),
    most=Limit(0.85, "share of instances within the threshold ≥ {}", "nearly all, beyond doubt"),
)
def joint_graded_mixed(tables, limit, farthest, falling, most):
    found, main, further = {}, {}, {}
    for rate, own in rows(tables, "instance").groupby("rate"):
        fewer, more = (where(own, step=end["step"]) for end in ends(own.sort_values("step"), "step"))
        found[rate] = sample_median(more["graded"])
        kept = some(more[~more["changed"].astype(bool)], "instance whose inputs keep their tokens")["graded"].max()
        fall = more["graded"].median() / fewer["graded"].median()
        main[f"rate {rate:g}: median within the threshold ({found[rate].value:.2g})"] = limit(found[rate])
        main[f"rate {rate:g}: where no token changed the farthest is at {kept:.2g}"] = farthest(kept)
        further[f"rate {rate:g}: the median falls to {fall:.2g} of itself"] = falling(fall)
        near = share_of(more["graded"].map(limit))
        worst = more["graded"].max()
        further[f"rate {rate:g}: {near.value:.2f} of the instances near it, the farthest at {worst:.2g}"] = most(near)
    control = sample_median(more["shuffled"])
    further[f"not with the margins of other inputs, at the fastest v ({control.value:.2g})"] = limit.against(control)
    return Reading(*largest(found, "high")[:3], min(one.instances for one in found.values()), main, further)
