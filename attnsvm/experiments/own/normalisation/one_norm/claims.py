"""What holds of the claim that (K, Q) goes to the nuclear solution: it does where one norm divides both gradients."""

from attnsvm.audit.numbers import Limit, sample_mean, share_of
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import decade, where

CLAIMS = Claims(group="ours")


@CLAIMS.add(
    sharpens="KQ_to_nuclear",
    seeds=(100000, 100031),
    short="one norm for both: nuclear, in every instance",
    statement="Gradient descent on (K, Q) goes in direction to the solution of least nuclear norm, in every instance, "
    "if one norm divides both gradients; what stays away from it is the step that divides each by its own.",
    check="1 − correlation after 1e5 exact steps, mean and its 95 % interval; share of instances that are nearer than "
    "a decade of steps before, Wilson interval; control: each gradient divided by its own norm",
    measured="mean of 1 − correlation with the nuclear solution",
    asked=Limit(1e-2, "≤ {}", "an angle of 8°, as first asked, now of the whole interval"),
    falling=Limit(0.5, "median over that a decade of steps before < {}", "still on its way: a standstill would be 1"),
    nearer=Limit(0.85, "share of instances that come nearer ≥ {}", "all of 32 leave .89 at the lower end"),
)
def KQ_to_nuclear_joint(tables, asked, falling, nearer):
    """The distance at the end, mean and tail, against that a decade of steps before; separate norms are the control."""
    shares, ends = {}, {}
    for rule in ("joint", "separate"):
        rows = some(where(tables.own(), normalisation=rule), "certified solution of what was selected")
        wide = rows.pivot(index="seed", columns="step", values="value")
        end, before = (wide[row["step"]] for row in decade(wide.columns.to_frame(index=False)))
        ends[rule] = end, before
        shares[rule] = share_of(end < before)
    (end, before), seen = ends["joint"], sample_mean(ends["joint"][0])
    medians, tails = ([part.quantile(q) for part in (before, end)] for q in (0.5, 0.95))
    own, other = shares["joint"], shares["separate"]
    parts = {
        f"mean within the threshold ({seen.value:.2g})": asked(seen),
        f"nearer than a decade before: {own.value:.2f} of the instances": nearer(own),
    }
    further = {
        f"median from {medians[0]:.2g} to {medians[1]:.2g} over the last decade": falling(medians[1] / medians[0]),
        f"95 % quantile falls too, from {tails[0]:.2g} to {tails[1]:.2g}": tails[1] < tails[0],
        f"each gradient by its own norm: {other.value:.2f}, fewer beyond both intervals": other.high < own.low,
    }
    return Reading(*seen, parts, further)
