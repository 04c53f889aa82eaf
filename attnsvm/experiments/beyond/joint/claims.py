"""v trained together with W: which SVM each goes to."""

from attnsvm.analysis.statistics import MEAN
from attnsvm.audit.conditions import LEAST, MOST, number
from attnsvm.audit.numbers import Limit, each, estimate, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

NEAR = "rate {:g}: mean within the threshold ({.value:.2g})"
CLAIMS = Claims(group="beyond")


def rows_of(tables, quantity):
    """A row per rate, rising."""
    rows = where(tables.own(), quantity=quantity, interval=MEAN)
    return some(rows, "instance with an input that is no support vector").sort_values("rate")


def by_rate(rows):
    return {row["rate"]: estimate(row) for _, row in rows.iterrows()}


def with_control(rows, other, words, limit):
    """Every rate within the limit, and the farthest of the control's beyond it; instances of the rate with fewest."""
    found, control = by_rate(rows), largest(by_rate(other))
    not_so = {f"{words} ({control.value:.2g})": limit.against(control)}
    return Reading(*largest(found)[:3], rows["instances"].min(), each(found, NEAR, limit), not_so)


@CLAIMS.add(
    short="$v$ and $W$ together: graded margins",
    statement="Where v trains along, W goes to the SVM that asks of each input what v leaves open, at any rate.",
    measured="1 − correlation of W with the graded solution, mean at the worst rate",
    limit=Limit(
        2e-3, "≤ {}", "an angle of 3.6°, which neither margin 1 throughout nor the relaxed solution keeps at all rates"
    ),
)
def joint_graded(tables, limit):
    rows, shuffled = (rows_of(tables, quantity) for quantity in ("graded", "shuffled"))
    return with_control(rows, shuffled, "not with the margins of other inputs", limit)


mean = number(interval=MEAN, missing="instance with an input that is no support vector")
relaxed, even = mean(quantity="relaxed", text="1 − correlation with the relaxed solution"), mean(quantity="even")
CLAIMS.declare(
    "joint_relaxed",
    relaxed(rate=MOST).must("≤ 0.002", "as for the graded solution", "fastest v: within the threshold ({value:.2g})"),
    even(rate=MOST).above(relaxed(rate=MOST), "fastest v: margin 1 throughout is farther ({value:.2g})"),
    even(rate=LEAST).below(relaxed(rate=LEAST), "slowest v: margin 1 throughout is nearer ({value:.2g})"),
    short="$v$ far ahead of $W$: relaxed SVM",
    statement="With v far ahead, W goes to the SVM that asks a margin of v's support vectors alone, and of the others "
    "the same winner (2306.13596).",
)


@CLAIMS.add(
    short="$v$ goes to its SVM",
    statement="Trained together with W, v goes to the SVM of the tokens that W selects.",
    measured="1 − correlation of v with its solution, mean at the worst rate but the slowest",
    limit=Limit(5e-3, "≤ {}", "an angle of 6°"),
)
def joint_head(tables, limit):
    rows, other = (rows_of(tables, quantity) for quantity in ("v", "v_other"))
    later = some(rows[rows["rate"] > rows["rate"].min()], "second rate")
    return with_control(later, other, "not the SVM of other tokens", limit)
