"""Does attention reduce the coding rate, and does CRATE select as the theory of max-margin separation says?"""

from attnsvm.audit.numbers import Limit, each, estimate, largest
from attnsvm.audit.reading import Claims, Reading
from attnsvm.audit.rows import at_end, single, where

NAMES = {"plain": "plain attention", "crate": "CRATE"}
ELSEWHERE = "What holds instead stands in the audit of `snakemake figures/rates_again`, which is optional."
CLAIMS = Claims(group="secondary")


def end(tables, layer, quantity):
    return at_end(tables.own(), quantity, layer=layer)


@CLAIMS.add(
    short="attention reduces the coding rate",
    statement="Trained attention reduces the coding rate of the tokens.",
    check="mean over the seeds of R after attention minus before, all tokens of unseen images; 95 % interval; against "
    "the layer at the first step",
    measured="larger mean change of the rate, in nats,",
    asked=Limit(
        0.0, "< {}", "below zero, and further below than what averaging alone does in a layer that learned nothing"
    ),
)
def rate_attention(tables, asked):
    """After minus before, over all tokens; and at the first logged step, when nothing is learned yet."""
    parts, found = {}, []
    for layer, name in NAMES.items():
        found.append(row := end(tables, layer, "rate_change"))
        way = where(tables.own(), layer=layer, quantity="rate_change")
        untrained = estimate(single(way[way["step"] == way["step"].min()]))
        parts[f"{name} reduces the rate"] = asked(row)
        parts[f"{name} more than untrained"] = row.high < untrained.low
    return Reading(*largest(found), parts)


@CLAIMS.add(
    short="selected tokens have a lower rate",
    statement="The tokens that a trained head selects have a lower coding rate than as many others.",
    check="mean over the seeds of R of the selected tokens minus that of one random token per image, and minus that of "
    "what random heads of the same singular values select; 95 % intervals",
    measured="larger mean difference from random heads, in nats,",
    asked=Limit(0.0, "< {}", "below zero; any head prefers some places, so that random heads must be beaten too"),
    unsharpened=ELSEWHERE,
)
def rate_selected(tables, asked):
    parts, found = {}, []
    for layer, name in NAMES.items():
        chance, random = (end(tables, layer, f"rate_over_{other}") for other in ("chance", "random"))
        parts[f"{name}: lower than of random tokens"] = asked(chance)
        parts[f"{name}: lower than of what random heads select"] = asked(random)
        found.append(random)
    return Reading(*largest(found), parts)


@CLAIMS.add(
    short="CRATE is as accurate",
    statement="A CRATE layer is as accurate on digits as plain attention with as many parameters.",
    check="mean over the seeds of the accuracy on unseen images minus that of plain attention, 95 % interval",
    measured="mean difference of the accuracies",
    asked=Limit(-0.02, "≥ {}", "two images in a hundred are what seeds differ by"),
    unsharpened=ELSEWHERE,
)
def crate_accuracy(tables, asked):
    row = end(tables, "crate", "accuracy_over_plain")
    return Reading(*row, {"not less accurate": asked(row)})


@CLAIMS.add(
    short="CRATE selects tokens",
    statement="The attention of a CRATE layer selects tokens, as plain attention does.",
    check="mean over heads, unseen images and seeds of the largest softmax probability, 95 % interval",
    measured="mean largest probability of CRATE",
    asked=Limit(0.5, "≥ {}", "a token that is selected has most of the weight; uniform weights are 1/16"),
    unsharpened=ELSEWHERE,
)
def crate_selects(tables, asked):
    found = {name: end(tables, layer, "peak") for layer, name in NAMES.items()}
    return Reading(*found["CRATE"], each(found, "{} selects", asked))


@CLAIMS.add(
    short="CRATE goes to its SVM",
    statement="A trained head is nearer to the max-margin solution of what it selects than random heads to theirs.",
    check="mean over the seeds of the cosine on the span of the constraints, minus that of random heads of the same "
    "singular values with their own selections; 95 % intervals",
    measured="lead of CRATE over symmetric random heads",
    asked=Limit(
        0.0, "> {}", "any matrix is aligned with the solution of what it selects: the random heads say how much"
    ),
)
def crate_svm(tables, asked):
    found = {
        "plain attention above random heads": end(tables, "plain", "alignment_over_random"),
        "CRATE above random heads": end(tables, "crate", "alignment_over_random"),
        "CRATE above symmetric random heads": end(tables, "crate", "alignment_over_symmetric"),
    }
    return Reading(*found["CRATE above symmetric random heads"], each(found, "{}", asked))
