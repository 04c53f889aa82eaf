"""Does attention reduce the coding rate, and does CRATE select as the theory of max-margin separation says?"""

from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import last, single

NAMES = {"plain": "plain attention", "crate": "CRATE"}


def rows_of(table, layer, quantity):
    rows = some(table[table["layer"] == layer], f"row of {layer}")
    return some(rows[rows["quantity"] == quantity], f"{quantity} of {layer}")


def at_end(table, layer, quantity):
    return single(last(rows_of(table, layer, quantity)))


def read(row, parts):
    return Reading(row["value"], row["low"], row["high"], int(row["instances"]), parts)


def compresses(table, most):
    """After minus before, over all tokens; and at the first logged step, when nothing is learned yet."""
    parts, values = {}, []
    for layer, name in NAMES.items():
        rows = rows_of(table, layer, "rate_change")
        row, first = single(last(rows)), single(rows[rows["step"] == rows["step"].min()])
        parts[f"{name} reduces the rate"] = row["high"] < most
        parts[f"{name} more than untrained"] = row["high"] < first["low"]
        values.append(row)
    return read(max(values, key=lambda row: row["value"]), parts)


def lower_rate(table, most):
    parts, values = {}, []
    for layer, name in NAMES.items():
        row, null = (at_end(table, layer, f"rate_over_{other}") for other in ("chance", "random"))
        parts[f"{name}: lower than of random tokens"] = row["high"] < most
        parts[f"{name}: lower than of what random heads select"] = null["high"] < most
        values.append(null)
    return read(max(values, key=lambda row: row["value"]), parts)


def as_accurate(table, least):
    row = at_end(table, "crate", "accuracy_over_plain")
    return read(row, {"not less accurate": row["low"] >= least})


def selecting(table, least):
    ends = {name: at_end(table, layer, "peak") for layer, name in NAMES.items()}
    parts = {f"{name} selects": row["low"] >= least for name, row in ends.items()}
    return read(ends["CRATE"], parts)


def aligned(table, least):
    rows = {
        "plain attention above random heads": at_end(table, "plain", "alignment_over_random"),
        "CRATE above random heads": at_end(table, "crate", "alignment_over_random"),
        "CRATE above symmetric random heads": at_end(table, "crate", "alignment_over_symmetric"),
    }
    parts = {what: row["low"] > least for what, row in rows.items()}
    return read(rows["CRATE above symmetric random heads"], parts)


CLAIMS = (
    Claim(
        key="rate_attention",
        group="secondary",
        short="attention reduces the coding rate",
        statement="Trained attention reduces the coding rate of the tokens.",
        check="mean over the seeds of R after attention minus before, all tokens of unseen images; 95 % "
        "interval; against the layer at the first step",
        threshold=0.0,
        why="below zero, and further below than what averaging alone does in a layer that learned nothing",
        measured="larger mean change of the rate, in nats,",
        wanted="< {}",
        read=lambda tables, most: compresses(tables.own(), most),
    ),
    Claim(
        key="rate_selected",
        group="secondary",
        short="selected tokens have a lower rate",
        statement="The tokens that a trained head selects have a lower coding rate than as many others.",
        check="mean over the seeds of R of the selected tokens minus that of one random token per image, and minus "
        "that of what random heads of the same singular values select; 95 % intervals",
        threshold=0.0,
        why="below zero; any head prefers some places, so that random heads must be beaten too",
        measured="larger mean difference from random heads, in nats,",
        wanted="< {}",
        read=lambda tables, most: lower_rate(tables.own(), most),
    ),
    Claim(
        key="crate_accuracy",
        group="secondary",
        short="CRATE is as accurate",
        statement="A CRATE layer is as accurate on digits as plain attention with as many parameters.",
        check="mean over the seeds of the accuracy on unseen images minus that of plain attention, 95 % interval",
        threshold=-0.02,
        why="two images in a hundred are what seeds differ by",
        measured="mean difference of the accuracies",
        wanted="≥ {}",
        read=lambda tables, least: as_accurate(tables.own(), least),
    ),
    Claim(
        key="crate_selects",
        group="secondary",
        short="CRATE selects tokens",
        statement="The attention of a CRATE layer selects tokens, as plain attention does.",
        check="mean over heads, unseen images and seeds of the largest softmax probability, 95 % interval",
        threshold=0.5,
        why="a token that is selected has most of the weight; uniform weights are 1/16",
        measured="mean largest probability of CRATE",
        wanted="≥ {}",
        read=lambda tables, least: selecting(tables.own(), least),
    ),
    Claim(
        key="crate_svm",
        group="secondary",
        short="CRATE goes to its SVM",
        statement="A trained head is nearer to the max-margin solution of what it selects than random heads to theirs.",
        check="mean over the seeds of the cosine on the span of the constraints, minus that of random heads of the "
        "same singular values with their own selections; 95 % intervals",
        threshold=0.0,
        why="any matrix is aligned with the solution of what it selects: the random heads say how much",
        measured="lead of CRATE over symmetric random heads",
        wanted="> {}",
        read=lambda tables, least: aligned(tables.own(), least),
    ),
)
