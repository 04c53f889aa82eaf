"""What is left, in models of several kinds, of the claims about the heads of a pretrained encoder."""

from functools import partial

from attnsvm.audit.numbers import Limit, difference, each, estimate, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

DEPTH = 6  # parts of the depth, as the table has them
LEAD = Limit(0.05, "> {}", "one held-out text in twenty: more than the resolution of the held-out texts")
CHECK = "over all heads of a model and its {}; the model that is farthest from the limit is shown"
CLAIMS = Claims(group="beyond", unsharpened="Its audit is that of an optional figure.")


def every_model(words, part, control, tables, asked):
    """A share or a lead over all layers of a model."""
    rows = where(tables.own(), part=part, control=control)
    rows = some(rows[rows["depth"].isna()], f"{part} of heads, {control}")
    found = {row["model"]: estimate(row) for _, row in rows.iterrows()}
    return Reading(*asked.worst(found), each(found, words, asked))


shares = partial(every_model, "{} ({.value:.2f})", "share")
leads = partial(every_model, "{} ({.value:+.3f})", "lead")


CLAIMS.add(
    key="several_models_permuted",
    short="four models: aligned, beside permutations",
    statement="In every model nearly all heads are aligned with the SVM of what they select, beside permuted "
    "selections.",
    check="share of heads aligned better than with the solutions of permuted selections, "
    + CHECK.format("95 % Wilson interval"),
    measured="least share of a model",
    asked=Limit(0.9, "≥ {}", "nearly every head, as asked of the encoder; by chance half of them would"),
    read=partial(shares, "aligned, permuted"),
)

CLAIMS.add(
    key="several_models_random",
    short="four models: random heads align as well",
    statement="In every model random heads kill that claim: beside them, alignment sets no large majority apart.",
    check="share of heads aligned better than random heads with their own solutions, "
    + CHECK.format("95 % Wilson interval"),
    measured="largest share of a model",
    asked=Limit(
        0.75, "≤ {}", "as asked of the encoder: if training made the alignment, nearly all heads would be above"
    ),
    read=partial(shares, "aligned, random"),
)

CLAIMS.add(
    key="several_models_predicted",
    short="four models: prediction beats random heads",
    statement="In every model the SVM of what a head selects predicts held-out selections better than that of random "
    "heads predicts theirs.",
    check="share of held-out selections, the head's less that of random heads; mean, " + CHECK.format("95 % interval"),
    measured="least lead of a model over random heads",
    asked=LEAD,
    read=partial(leads, "predicted, random"),
)

CLAIMS.add(
    key="several_models_rule",
    short="four models: prediction beats rules",
    statement="In every model it predicts them better than the best rule that reads no token.",
    check="share of held-out selections, less that of the rule; mean, " + CHECK.format("95 % interval"),
    measured="least lead of a model over the rule",
    asked=LEAD,
    read=partial(leads, "predicted, rule"),
)

CLAIMS.add(
    key="several_models_mismatched",
    short="rotary heads: mismatched ones",
    statement="Where positions are rotary, a head's selections are predicted better than those of mismatched heads.",
    check="share of held-out selections, the head's less that of heads with its keys and the queries of another, each "
    "by its solution; mean over all heads and its 95 % interval",
    measured="lead over mismatched heads",
    asked=Limit(0.0, "> {}", "the whole interval above zero"),
    read=partial(leads, "predicted, mismatched"),
)


@CLAIMS.add(
    short="four models: early heads lead the rule",
    statement="In every model fewer heads lead the rule in the last sixth of the depth than in the first.",
    check="share of heads predicted better than by the best rule, last sixth of the layers less the first",
    measured="largest difference of a model",
    asked=Limit(0.0, "difference of a model < {}", "one model in which late heads lead it as often is enough"),
)
def several_models_deep(tables, asked):
    rows = where(tables.own(), part="share", control="predicted, rule")
    rows = some(rows[rows["depth"].notna()], "share of heads that lead the rule, by depth")
    early, late = (
        {row["model"]: estimate(row) for _, row in rows[rows["depth"] == k].iterrows()} for k in (0, DEPTH - 1)
    )
    falls = {m: difference(one, early[m])._replace(instances=early[m].instances) for m, one in late.items()}
    return Reading(*largest(falls), each(falls, "{} ({.value:+.2f})", lambda fall: asked(fall.value)))
