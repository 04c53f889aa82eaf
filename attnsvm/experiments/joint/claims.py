"""v trained together with W: which SVM each goes to."""

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import ends


def _rows(tables, quantity):
    """A row per rate, rising."""
    table = tables.own()
    rows = some(table[table["quantity"] == quantity], "instance with an input that is no support vector")
    return rows.sort_values("rate")


def _interval(row):
    return mean_interval(row["mean"], row["std"], row["instances"])


def _worst(rows):
    return rows.loc[rows["mean"].idxmax()]


def _within(rows, most):
    """The part of a claim for every rate: the whole interval of the mean is within the threshold."""
    words = "mean within the threshold"
    each = [row for _, row in rows.iterrows()]
    return {f"rate {row['rate']:g}: {words} ({row['mean']:.2g})": _interval(row)[2] <= most for row in each}


def graded(tables, most):
    rows, shuffled = _rows(tables, "graded"), _rows(tables, "shuffled")
    parts = _within(rows, most)
    control = _worst(shuffled)
    parts[f"not with the margins of other inputs ({control['mean']:.2g})"] = _interval(control)[1] > most
    return Reading(*_interval(_worst(rows)), int(rows["instances"].min()), parts)


def relaxed(tables, most):
    """At the fastest v: the relaxed solution; at the slowest not, and there margin 1 throughout."""
    (slow, fast), (even_slow, even_fast) = (ends(_rows(tables, name), "rate") for name in ("relaxed", "even"))
    far, near = _interval(even_fast), _interval(even_slow)
    parts = {
        f"fastest v: within the threshold ({fast['mean']:.2g})": _interval(fast)[2] <= most,
        f"fastest v: margin 1 throughout is farther ({far[0]:.2g})": far[1] > _interval(fast)[2],
        f"slowest v: margin 1 throughout is nearer ({near[0]:.2g})": near[2] < _interval(slow)[1],
    }
    return Reading(*_interval(fast), int(fast["instances"]), parts)


def head_svm(tables, most):
    rows, other = _rows(tables, "v"), _rows(tables, "v_other")
    rows, control = rows[rows["rate"] > rows["rate"].min()], _worst(other)
    rows = some(rows, "second rate")
    parts = _within(rows, most)
    parts[f"not the SVM of other tokens ({control['mean']:.2g})"] = _interval(control)[1] > most
    return Reading(*_interval(_worst(rows)), int(rows["instances"].min()), parts)


CLAIMS = (
    Claim(
        key="joint_graded",
        group="beyond",
        short="v and W together: graded margins",
        statement="Where v trains along, W goes to the SVM that asks of each input what v leaves open, at any rate.",
        check="1 − correlation of W with the certified graded solution, mean over instances and its 95 % interval, at "
        "every rate; control: the same margins handed to other inputs",
        threshold=2e-3,
        why="an angle of 3.6°, which neither margin 1 throughout nor the relaxed solution keeps at all rates",
        measured="1 − correlation, mean at the worst rate",
        wanted="≤ {}",
        read=graded,
    ),
    Claim(
        key="joint_relaxed",
        group="beyond",
        short="v far ahead of W: relaxed SVM",
        statement="With v far ahead, W goes to the SVM that asks a margin of v's support vectors alone, and of the "
        "others the same winner (2306.13596).",
        check="1 − correlation of W with the certified relaxed solution at the fastest v, mean over instances and its "
        "95 % interval; against margin 1 throughout, there and at the slowest v",
        threshold=2e-3,
        why="as for the graded solution",
        measured="1 − correlation, mean at the fastest v",
        wanted="≤ {}",
        read=relaxed,
    ),
    Claim(
        key="joint_head",
        group="beyond",
        short="v goes to its SVM",
        statement="Trained together with W, v goes to the SVM of the tokens that W selects.",
        check="1 − correlation of v with its certified solution, mean over instances and its 95 % interval, at every "
        "rate but the slowest, whose v has hardly moved; control: other tokens of the same inputs",
        threshold=5e-3,
        why="an angle of 6°",
        measured="1 − correlation, mean at the worst rate",
        wanted="≤ {}",
        read=head_svm,
    ),
)
