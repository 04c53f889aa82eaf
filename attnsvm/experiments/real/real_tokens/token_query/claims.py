"""What holds of (K, Q) on digits with a token as query: every instance comes nearer, some of them slowly."""

from attnsvm.analysis.statistics import MEDIAN
from attnsvm.audit.conditions import FIRST, LAST, number
from attnsvm.audit.reading import Claims

MISSING = "saturated run with a certified solution, and step about a decade before the last"
CLAIMS = Claims(group="beyond")

own = number(solution="nuc", missing=MISSING)
before, end = (own(quantity="distance", interval=MEDIAN, step=step) for step in (FIRST, LAST))
NEARER = "share of instances ≥ 0.85", "all of 32 leave .89 at the lower end"
CLAIMS.declare(
    "real_KQ_slow",
    (
        end.must(
            "≤ 0.05",
            "an angle of 18°, the whole interval: on its way, not there",
            "median, its interval within the threshold ({value:.2g} [{low:.2g}, {high:.2g}])",
        ),
        own(quantity="nearer").must(*NEARER, "{value:.2f} of the instances nearer than a decade of steps before"),
    ),
    own(quantity="nearer than fro").must(*NEARER, "{value:.2f} nearer than to the Frobenius solution"),
    (end.without_interval() / before.without_interval()).must(
        "median over that a decade of steps before < 0.7",
        "1 is a standstill; a fall like 1/∛steps leaves 0.46",
        "the median falls to {value:.2g} of itself over that decade",
    ),
    end.of("tail").below(
        before.of("tail"),
        "95 % quantile falls too, from {before.value:.2g} to {value:.2g}",
        before=before.of("tail"),
    ),
    sharpens="real_KQ",
    seeds=(100000, 100031),
    short="digits, a token as query: nuclear, but slow",
    statement="With a token of the image as query, (K, Q) comes nearer to the nuclear solution in every instance, but "
    "slowly: it is on its way after 20,000 steps, of which the last decade leaves about a quarter of the median "
    "distance; the farthest instances are what the interval of the median sees.",
    check="1 − correlation with the certified nuclear solution after 20,000 steps, median and its 95 % interval; "
    "shares of instances, Wilson intervals, nearer than a decade of steps before and nearer than to the Frobenius "
    "solution",
    measured="median of 1 − correlation with the nuclear solution",
)
