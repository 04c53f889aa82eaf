"""What dropout, merged tokens and a missing softmax change."""

from attnsvm.audit.numbers import Limit, each, largest, smallest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import at_end, decade_before, where

CLAIMS = Claims(group="secondary")


def end(tables, variant, quantity):
    return at_end(tables.own(), quantity, variant=variant)


def drops(tables):
    table = tables.own()
    found = [name for name in dict.fromkeys(table["variant"]) if name.startswith("dropout")]
    some(table[table["variant"].isin(found)], "run with dropout")
    return found


@CLAIMS.add(
    short="dropout keeps the law",
    statement="With dropout on the attention weights W still goes to the max-margin solution of what it selects.",
    check="median of 1 − correlation with the certified solution after the last step, 95 % interval; and whether it is "
    "smaller than a decade before",
    measured="largest median distance with dropout",
    asked=Limit(0.05, "≤ {}", "a correlation of .95, as for plain attention after as many steps"),
)
def dropout_law(tables, asked):
    parts, ends = {}, {}
    for name in drops(tables):
        earlier = decade_before(where(tables.own(), variant=name, quantity="distance"))
        ends[name] = row = end(tables, name, "distance")
        parts[f"{name} near its solution"] = asked(row)
        parts[f"{name} still falling"] = row.value < earlier["value"]
    return Reading(*largest(ends), parts)


@CLAIMS.add(
    short="dropout keeps the selection",
    statement="Dropout on the attention weights does not change which tokens are selected.",
    check="share of inputs with the same token from the same start, 95 % interval over the instances",
    measured="smallest share of inputs with the same token",
    asked=Limit(0.9, "≥ {}", "nine inputs in ten: one in eight would agree by chance"),
)
def dropout_tokens(tables, asked):
    rows = {name: end(tables, name, "same") for name in drops(tables)}
    return Reading(*smallest(rows), each(rows, "{} keeps the tokens", asked))


@CLAIMS.add(
    short="merged tokens widen the margin",
    statement="Merging neighbouring tokens widens the margin of what is selected.",
    check="median over the instances of the certified margin divided by that on all tokens, and by that on one token "
    "of every pair (as few tokens, not merged); 95 % interval",
    measured="margin on merged tokens, over that on one of every pair",
    asked=Limit(1.0, "> {}", "fewer tokens alone widen every margin: merging must do more than leaving out"),
)
def merged_margin(tables, asked):
    plain, half = (end(tables, "merged", quantity) for quantity in ("margin", "margin_half"))
    parts = {"wider than on all tokens": asked(plain), "wider than on one token of every pair": asked(half)}
    return Reading(*half, parts)


@CLAIMS.add(
    short="merged tokens keep the selection",
    statement="After merging, the pair is selected that holds the token selected before.",
    check="share of inputs, 95 % interval over the instances; against leaving one of every pair out",
    measured="share of inputs that select the same pair",
    asked=Limit(0.5, "≥ {}", "most inputs: one in four would agree by chance"),
)
def merged_tokens(tables, asked):
    row, half = (end(tables, variant, "same") for variant in ("merged", "half"))
    return Reading(*row, {"the same pair": asked(row), "more often than with one of two": row.low > half.high})


@CLAIMS.add(
    short="no softmax, no selection",
    statement="Without a softmax (linear attention, a mixer) no token is selected.",
    check="mean over inputs and instances of the largest part of the absolute weight on one token, 95 % interval; "
    "control: with a softmax",
    measured="largest part of the weight on one token without a softmax",
    asked=Limit(0.5, "≤ {}", "a token that is selected has most of the weight"),
    softmax=Limit(0.95, "with a softmax > {}", "nearly all of the weight: the softmax has saturated"),
)
def softmax_selects(tables, asked, softmax):
    """Without a softmax no token has most of the weight; with it one has."""
    rows = {name: end(tables, name, "peak") for name in ("linear", "mixer", "uniform")}
    parts = each(rows, "{}: no token has most of the weight", asked)
    return Reading(*largest(rows), parts | {"softmax: one token has": softmax(end(tables, "attention", "peak"))})


@CLAIMS.add(
    short="linear attention has another SVM",
    statement="Linear attention goes to the max-margin solution of its predictions, and not of tokens.",
    check="median of 1 − correlation with both certified solutions after the last step, 95 % interval; control: "
    "softmax attention against the solution of predictions",
    measured="median distance from the solution of the predictions",
    asked=Limit(0.05, "≤ {}", "a correlation of .95: the same as asked of softmax attention"),
)
def linear_attention(tables, asked):
    own, tokens = (end(tables, "linear", quantity) for quantity in ("predictions", "distance"))
    parts = {
        "near the solution of its predictions": asked(own),
        "far from the solution of tokens": asked.against(tokens),
        "softmax attention far from that of the predictions": asked.against(end(tables, "attention", "predictions")),
    }
    return Reading(*own, parts)
