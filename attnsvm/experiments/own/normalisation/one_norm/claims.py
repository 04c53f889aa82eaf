"""What holds of the claim that (K, Q) goes to the nuclear solution: it does where one norm divides both gradients."""

from attnsvm.analysis.statistics import MEAN, MEDIAN
from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.reading import Claims

MISSING = "certified solution of what was selected, and step about a decade before the last"
CLAIMS = Claims(group="ours")

joint = number(normalisation="joint", missing=MISSING)
nearer = joint(quantity="nearer")
before, end = (joint(quantity="distance", interval=MEDIAN, step=step).without_interval() for step in (FIRST, LAST))
CLAIMS.declare(
    "KQ_to_nuclear_joint",
    (
        joint(quantity="distance", interval=MEAN).must(
            "≤ 0.01",
            "an angle of 8°, as first asked, now of the whole interval",
            "mean within the threshold ({value:.2g})",
        ),
        nearer.must(
            "share of instances that come nearer ≥ 0.85",
            "all of 32 leave .89 at the lower end",
            "nearer than a decade before: {value:.2f} of the instances",
        ),
    ),
    (end / before).must(
        "median over that a decade of steps before < 0.5",
        "still on its way: a standstill would be 1",
        "median from {before.value:.2g} to {end.value:.2g} over the last decade",
        before=before,
        end=end,
    ),
    end.of("tail").below(
        before.of("tail"),
        "95 % quantile falls too, from {before.value:.2g} to {end.value:.2g}",
        before=before.of("tail"),
        end=end.of("tail"),
    ),
    nearer(normalisation="separate").below(
        nearer, "each gradient by its own norm: {value:.2f}, fewer beyond both intervals"
    ),
    sharpens="KQ_to_nuclear",
    seeds=(100000, 100031),
    short="one norm for both: nuclear, in every instance",
    statement="Gradient descent on (K, Q) goes in direction to the solution of least nuclear norm, in every instance, "
    "if one norm divides both gradients; what stays away from it is the step that divides each by its own.",
    check="1 − correlation after 1e5 exact steps, mean and its 95 % interval; share of instances that are nearer than "
    "a decade of steps before, Wilson interval; control: each gradient divided by its own norm",
    measured="mean of 1 − correlation with the nuclear solution",
)
