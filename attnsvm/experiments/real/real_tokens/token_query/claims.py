"""What holds of (K, Q) on digits with a token as query: every instance comes nearer, some of them slowly."""

from attnsvm.audit.numbers import Limit, sample_median, share_of
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import decade, where

CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    sharpens="real_KQ",
    seeds=(100000, 100031),
    short="digits, a token as query: nuclear, but slow",
    statement="With a token of the image as query, (K, Q) comes nearer to the nuclear solution in every instance, but "
    "slowly: a decade of steps leaves about half of the distance, and the farthest instances are what the interval of "
    "the median sees.",
    check="1 − correlation with the certified nuclear solution after 20,000 steps, median and its 95 % interval; "
    "shares of instances, Wilson intervals, nearer than a decade of steps before and nearer than to the Frobenius "
    "solution",
    measured="median of 1 − correlation with the nuclear solution",
    asked=Limit(0.05, "≤ {}", "an angle of 18°, the whole interval: on its way, not there"),
    nearer=Limit(0.85, "share of instances ≥ {}", "all of 32 leave .89 at the lower end"),
    halved=Limit(
        0.7, "median over that a decade of steps before < {}", "1 is a standstill; a fall like 1/∛steps leaves 0.46"
    ),
)
def real_KQ_slow(tables, asked, nearer, halved):
    """The median and its interval, the share that comes nearer, and the tail against a decade of steps before."""
    wide, other = (
        some(where(tables.own(), solution=norm), "saturated run with a certified solution").pivot(
            index="seed", columns="step", values="value"
        )
        for norm in ("nuc", "fro")
    )
    end, before = (wide[row["step"]] for row in decade(wide.columns.to_frame(index=False)))
    own = sample_median(end)
    closer, ahead = map(share_of, (end < before, end < other.iloc[:, -1]))
    ratio, tails = end.median() / before.median(), [part.quantile(0.95) for part in (before, end)]
    parts = {
        f"median, its interval within the threshold ({own.value:.2g} [{own.low:.2g}, {own.high:.2g}])": asked(own),
        f"{closer.value:.2f} of the instances nearer than a decade of steps before": nearer(closer),
    }
    further = {
        f"{ahead.value:.2f} nearer than to the Frobenius solution": nearer(ahead),
        f"the median falls to {ratio:.2g} of itself over that decade": halved(ratio),
        f"95 % quantile falls too, from {tails[0]:.2g} to {tails[1]:.2g}": tails[1] < tails[0],
    }
    return Reading(*own, parts, further)
