"""What is left, in models of several kinds, of the claims about the heads of a pretrained encoder."""

from attnsvm.audit.conditions import EACH, NoInstance, number
from attnsvm.audit.numbers import Limit, difference, each, estimate, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

DEPTH = 6  # parts of the depth, as the table has them
CHECK = "over all heads of a model and its {}; the model that is farthest from the limit is shown"
CLAIMS = Claims(group="beyond", unsharpened="Its audit is that of an optional figure.")
# Over all layers of a model, not of a part of its depth.
whole = number(depth=None, model=EACH, missing="{part} of heads, {control}")


def share(control, wanted, why):
    return whole(part="share", control=control).must(wanted, why, "{model} ({value:.2f})")


def lead(control, wanted="> 0.05", why="one held-out text in twenty: more than the resolution of the held-out texts"):
    return whole(part="lead", control=control).must(wanted, why, "{model} ({value:+.3f})")


CLAIMS.declare(
    "several_models_permuted",
    share("aligned, permuted", "≥ 0.9", "nearly every head, as asked of the encoder; by chance half of them would"),
    short="four models: aligned, beside permutations",
    statement="In every model nearly all heads are aligned with the SVM of what they select, beside permuted "
    "selections.",
    check="share of heads aligned better than with the solutions of permuted selections, "
    + CHECK.format("95 % Wilson interval"),
    measured="least share of a model",
)

CLAIMS.declare(
    "several_models_random",
    share(
        "aligned, random",
        "≤ 0.75",
        "as asked of the encoder: if training made the alignment, nearly all heads would be above",
    ),
    short="four models: random heads align as well",
    statement="In every model random heads kill that claim: beside them, alignment sets no large majority apart.",
    check="share of heads aligned better than random heads with their own solutions, "
    + CHECK.format("95 % Wilson interval"),
    measured="largest share of a model",
)

CLAIMS.declare(
    "several_models_predicted",
    lead("predicted, random"),
    short="four models: prediction beats random heads",
    statement="In every model the SVM of what a head selects predicts held-out selections better than that of random "
    "heads predicts theirs.",
    check="share of held-out selections, the head's less that of random heads; mean, " + CHECK.format("95 % interval"),
    measured="least lead of a model over random heads",
)

CLAIMS.declare(
    "several_models_rule",
    lead("predicted, rule"),
    short="four models: prediction beats rules",
    statement="In every model it predicts them better than the best rule that reads no token.",
    check="share of held-out selections, less that of the rule; mean, " + CHECK.format("95 % interval"),
    measured="least lead of a model over the rule",
)

CLAIMS.declare(
    "several_models_mismatched",
    lead("predicted, mismatched", "> 0", "the whole interval above zero"),
    short="rotary heads: mismatched ones",
    statement="Where positions are rotary, a head's selections are predicted better than those of mismatched heads.",
    check="share of held-out selections, the head's less that of heads with its keys and the queries of another, each "
    "by its solution; mean over all heads and its 95 % interval",
    measured="lead over mismatched heads",
)


@CLAIMS.add(
    short="four models: early heads lead the rule",
    statement="In every model fewer heads lead the rule in the last sixth of the depth than in the first.",
    check="share of heads predicted better than by the best rule, last sixth of the layers less the first",
    measured="largest difference of a model",
    limit=Limit(
        0.0, "difference of the shares of every model < {}", "one model in which late heads lead it as often is enough"
    ),
)
def several_models_deep(tables, limit):
    rows = where(tables.own(), part="share", control="predicted, rule")
    rows = some(rows[rows["depth"].notna()], "share of heads that lead the rule, by depth")
    early, late = (
        {row["model"]: estimate(row) for _, row in rows[rows["depth"] == k].iterrows()} for k in (0, DEPTH - 1)
    )
    falls = {model: difference(late[model], early[model]) for model in early if model in late}
    if not falls:
        raise NoInstance("model with heads in the first and in the last sixth of its depth")
    return Reading(*largest(falls), each(falls, "{} ({.value:+.2f})", lambda fall: limit(fall.value)))
