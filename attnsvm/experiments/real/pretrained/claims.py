"""What is left of three claims about the encoder's heads, each beside the control that could kill it."""

import numpy as np

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, sample_mean
from attnsvm.audit.rows import ends, where

NORMS = {"fro": "Frobenius", "nuc": "nuclear"}
HEAD = ["layer", "head"]
CLAIMS = Claims(group="beyond")
aligned = number(
    part="share",
    quantity="alignment",
    norm=tuple(NORMS),
    missing="head with a certified solution, {norm}, {kind}",
    text="share of heads better aligned than the mean of the control's",
)


def paired(rows, kind, inputs):
    """Held-out prediction of every head minus that of a control, at this number of fitted sentences; by head."""
    own, other = (where(rows, kind=who, inputs=inputs).set_index(HEAD)["value"] for who in ("head", kind))
    return some((own - other).dropna(), f"head to compare with {kind} at {inputs} inputs")


def trained(kind, own, other, wanted, why):
    """Near the solution of its own norm after the last step, and beyond doubt farther from the other one."""
    end = number(part="trained", kind=kind, step=LAST, missing="trained run of {kind} with both SVMs")
    near, far = end(norm=own, text="1 − correlation with the solution of its own norm"), end(norm=other)
    words = "the other norm's solution is farther ({value:.2g})"
    apart = "an angle of 11°, which tells the norms apart"
    return (
        near.must(wanted, why, "the upper quartile is within the threshold"),
        far.above(near, words),
        far.must("1 − correlation with the other norm's solution > 0.02", apart, words),
    )


CLAIMS.declare(
    "pretrained_permuted",
    aligned(kind="permuted").must(
        "≥ 0.9", "nearly every head; by chance half of them would", "{norm} norm ({value:.2f})", names=NORMS
    ),
    short="encoder heads: SVMs, beside permutations",
    statement="Beside permuted selections, nearly every head of a pretrained encoder is aligned with the SVM of what "
    "it selects.",
)

CLAIMS.declare(
    "pretrained_random",
    aligned(kind="random").must(
        "≤ 0.75",
        "if training made the alignment, nearly all heads would be above; by chance half of them are",
        "{norm} norm ({value:.2f})",
        names=NORMS,
    ),
    short="encoder heads: random heads align as well",
    statement="Random heads with the same singular values kill that claim: beside them, alignment with the SVM sets no "
    "large majority of heads apart.",
)


@CLAIMS.add(
    short="encoder heads: the SVM predicts selections",
    statement="The SVM of what a head selects predicts its selections on new sentences better than the controls do, "
    "more so with more fitted sentences.",
    measured="mean lead over random heads (theirs, from theirs), share of held-out sentences",
    limit=Limit(0.05, "> {}", "one held-out sentence in twenty: more than the resolution of the held-out sentences"),
    growing=Limit(0.0, "growth of the lead over random heads > {}", "the whole interval above zero"),
)
def pretrained_held_out(tables, limit, growing):
    rows = tables.own(part="head", quantity="predicted", norm="fro")
    few, many = (int(row["inputs"]) for row in ends(where(rows, kind="head").sort_values("inputs"), "inputs"))
    lead = {kind: paired(rows, kind, many) for kind in ("random", "permuted", "rule")}
    seen = {kind: sample_mean(values) for kind, values in lead.items()}
    growth = sample_mean((lead["random"] - paired(rows, "random", few)).dropna())
    parts = {
        f"above random heads ({seen['random'].value:+.3f})": limit(seen["random"]),
        f"above permuted selections ({seen['permuted'].value:+.3f})": limit(seen["permuted"]),
        f"above the best rule that reads no token ({seen['rule'].value:+.3f})": limit(seen["rule"]),
        f"the lead over random heads grows from {few} to {many} inputs ({growth.value:+.3f})": growing(growth),
    }
    return Reading(*seen["random"], parts)


@CLAIMS.add(
    short="encoder heads: the sink is the margin",
    statement="Heads that attend to delimiters have wider margins than random heads, and no longer once delimiters "
    "cannot be selected.",
    measured="geometric mean of the margin over random heads', heads that select a delimiter in half of the inputs",
    limit=Limit(1.0, "> {}", "a ratio of one is no difference; the interval decides"),
    attends=Limit(
        0.5,
        "share of inputs in which the head selects a delimiter ≥ {}",
        "from there on a head counts as attending to them",
    ),
)
def pretrained_sink(tables, limit, attends):
    rows, chosen = (tables.own(part="head", quantity=quantity) for quantity in ("margin_ratio", "delimiter"))
    sinks = chosen[chosen["value"].map(attends)].set_index(HEAD).index
    ratios = where(rows, kind="random").set_index(HEAD)
    ratios = some(ratios[ratios.index.isin(sinks)], "head that selects a delimiter in half of the inputs")
    whole, plain = (np.log(where(ratios, tokens=tokens)["value"]) for tokens in ("all", "plain"))
    whole, plain = some(whole, "such head with all tokens"), some(plain, "such head without delimiters")
    wide, left, drop = (np.exp(sample_mean(values)[:3]) for values in (whole, plain, (whole - plain).dropna()))
    parts = {
        f"wider than that of random heads ({wide[0]:.2f} times)": limit(wide[1]),
        f"not once delimiters cannot be selected ({left[0]:.2f} times)": not limit(left[1]),
    }
    further = {f"the delimiters make the difference ({drop[0]:.2f} times)": limit(drop[1])}
    return Reading(*wide, len(whole), parts, further)


CLAIMS.declare(
    "pretrained_W",
    *trained("W", "fro", "nuc", "≤ 0.001", "an angle of 2.6°"),
    short="encoder tokens: W to Frobenius",
    statement="Trained by us on tokens of the encoder under a random prediction head, W goes to the Frobenius-norm SVM "
    "of what it selects.",
)

CLAIMS.declare(
    "pretrained_KQ",
    *trained("KQ", "nuc", "fro", "≤ 0.02", "an angle of 11°: the nuclear norm's direction is approached more slowly"),
    short="encoder tokens: (K, Q) to nuclear",
    statement="Trained as (K, Q) on the same tokens, attention goes to the nuclear-norm SVM of what it selects.",
)
