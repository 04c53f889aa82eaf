"""What dropout, merged tokens and a missing softmax change."""

from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import last, single

DECADE = 10


def at_end(table, variant, quantity):
    rows = some(table[table["variant"] == variant], f"row of {variant}")
    return single(last(some(rows[rows["quantity"] == quantity], f"{quantity} of {variant}")))


def drops(table):
    found = [name for name in dict.fromkeys(table["variant"]) if name.startswith("dropout")]
    some(table[table["variant"].isin(found)], "run with dropout")
    return found


def read(row, parts):
    return Reading(row["value"], row["low"], row["high"], int(row["instances"]), parts)


def dropout_law(table, most):
    parts, ends = {}, []
    for name in drops(table):
        way = table[(table["variant"] == name) & (table["quantity"] == "distance")]
        earlier = some(way[way["step"] <= way["step"].max() / DECADE], "step a decade before the last")
        row = at_end(table, name, "distance")
        parts[f"{name} near its solution"] = row["high"] <= most
        parts[f"{name} still falling"] = row["value"] < single(last(earlier))["value"]
        ends.append(row)
    return read(max(ends, key=lambda row: row["value"]), parts)


def dropout_tokens(table, least):
    rows = {name: at_end(table, name, "same") for name in drops(table)}
    parts = {f"{name} keeps the tokens": row["low"] >= least for name, row in rows.items()}
    return read(min(rows.values(), key=lambda row: row["value"]), parts)


def merged_margin(table, least):
    plain, half = (at_end(table, "merged", quantity) for quantity in ("margin", "margin_half"))
    parts = {
        "wider than on all tokens": plain["low"] > least,
        "wider than on one token of every pair": half["low"] > least,
    }
    return read(half, parts)


def merged_tokens(table, least):
    row, half = at_end(table, "merged", "same"), at_end(table, "half", "same")
    return read(
        row, {"the same pair": row["low"] >= least, "more often than with one of two": row["low"] > half["high"]}
    )


def selects(table, most):
    """Without a softmax no token has most of the weight; with it one has."""
    rows = {name: at_end(table, name, "peak") for name in ("linear", "mixer", "uniform")}
    parts = {f"{name}: no token has most of the weight": row["high"] <= most for name, row in rows.items()}
    parts["softmax: one token has"] = at_end(table, "attention", "peak")["low"] > 1 - 0.1 * most
    return read(max(rows.values(), key=lambda row: row["value"]), parts)


def linear_limit(table, most):
    own, tokens = at_end(table, "linear", "predictions"), at_end(table, "linear", "distance")
    softmax = at_end(table, "attention", "predictions")
    parts = {
        "near the solution of its predictions": own["high"] <= most,
        "far from the solution of tokens": tokens["low"] > most,
        "softmax attention far from that of the predictions": softmax["low"] > most,
    }
    return read(own, parts)


CLAIMS = (
    Claim(
        key="dropout_law",
        group="secondary",
        short="dropout keeps the law",
        statement="With dropout on the attention weights W still goes to the max-margin solution of what it selects.",
        check="median of 1 − correlation with the certified solution after the last step, 95 % interval; and "
        "whether it is smaller than a decade before",
        threshold=0.05,
        why="a correlation of .95, as for plain attention after as many steps",
        measured="largest median distance with dropout",
        wanted="≤ {}",
        read=lambda tables, most: dropout_law(tables.own(), most),
    ),
    Claim(
        key="dropout_tokens",
        group="secondary",
        short="dropout keeps the selection",
        statement="Dropout on the attention weights does not change which tokens are selected.",
        check="share of inputs with the same token from the same start, 95 % interval over the instances",
        threshold=0.9,
        why="nine inputs in ten: one in eight would agree by chance",
        measured="smallest share of inputs with the same token",
        wanted="≥ {}",
        read=lambda tables, least: dropout_tokens(tables.own(), least),
    ),
    Claim(
        key="merged_margin",
        group="secondary",
        short="merged tokens widen the margin",
        statement="Merging neighbouring tokens widens the margin of what is selected.",
        check="median over the instances of the certified margin divided by that on all tokens, and by that on one "
        "token of every pair (as few tokens, not merged); 95 % interval",
        threshold=1.0,
        why="fewer tokens alone widen every margin: merging must do more than leaving out",
        measured="margin on merged tokens, over that on one of every pair",
        wanted="> {}",
        read=lambda tables, least: merged_margin(tables.own(), least),
    ),
    Claim(
        key="merged_tokens",
        group="secondary",
        short="merged tokens keep the selection",
        statement="After merging, the pair is selected that holds the token selected before.",
        check="share of inputs, 95 % interval over the instances; against leaving one of every pair out",
        threshold=0.5,
        why="most inputs: one in four would agree by chance",
        measured="share of inputs that select the same pair",
        wanted="≥ {}",
        read=lambda tables, least: merged_tokens(tables.own(), least),
    ),
    Claim(
        key="softmax_selects",
        group="secondary",
        short="no softmax, no selection",
        statement="Without a softmax (linear attention, a mixer) no token is selected.",
        check="mean over inputs and instances of the largest part of the absolute weight on one token, 95 % interval; "
        "control: with a softmax",
        threshold=0.5,
        why="a token that is selected has most of the weight",
        measured="largest part of the weight on one token without a softmax",
        wanted="≤ {}",
        read=lambda tables, most: selects(tables.own(), most),
    ),
    Claim(
        key="linear_attention",
        group="secondary",
        short="linear attention has another SVM",
        statement="Linear attention goes to the max-margin solution of its predictions, and not of tokens.",
        check="median of 1 − correlation with both certified solutions after the last step, 95 % interval; control: "
        "softmax attention against the solution of predictions",
        threshold=0.05,
        why="a correlation of .95: the same as asked of softmax attention",
        measured="median distance from the solution of the predictions",
        wanted="≤ {}",
        read=lambda tables, most: linear_limit(tables.own(), most),
    ),
)
