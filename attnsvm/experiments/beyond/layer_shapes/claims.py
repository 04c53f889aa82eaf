"""Where the law of layers ends."""

from attnsvm.audit.conditions import NoInstance
from attnsvm.audit.evaluation import Claims, Reading, some
from attnsvm.audit.numbers import Limit, proportion, share_of
from attnsvm.audit.rows import where

SHAPE = ["depth", "n", "T", "d"]
MEASURED = ("law", "farther")
CLAIMS = Claims(group="beyond")


def runs(table, end):
    """How many runs of all shapes end so."""
    rows = some(where(table, end=end), "instance that could be measured")
    return (rows["value"] * rows["instances"]).round().sum()


@CLAIMS.add(
    short="the law needs dimensions, not luck",
    statement="Of the runs whose layers have separators and whose top saturates, nine in ten or more follow the law, "
    "for dimensions from 2 to 16.",
    measured="share of the measured runs whose layers are all near the solutions of their places",
    limit=Limit(0.9, "≥ {}", "nine in ten; at the largest dimension no more than one in ten may be lost otherwise"),
    lost=Limit(0.1, "share that cannot be measured at the largest dimension ≤ {}", "no more than one in ten"),
    tolerates=0.01,  # of 0.957, every one of them a run that ends otherwise, leaves 0.947
)
def layers_boundary(tables, limit, lost):
    """Of the runs that can be measured, the share that follows the law."""
    table = tables.own(problem="present")
    follow, farther = (runs(table, end) for end in MEASURED)
    if not follow + farther:
        raise NoInstance("instance that could be measured")
    whole = proportion(follow, follow + farther)
    others = table[~table["end"].isin(MEASURED)]
    narrow, wide = (
        others[others["d"] == d].groupby(SHAPE)["value"].sum().max() for d in (table["d"].min(), table["d"].max())
    )
    follows = {"of all runs that can be measured, the lower end of the share that follows": limit(whole)}
    further = {
        "at the largest dimension few runs cannot be measured": lost(wide),
        "at the smallest dimension more cannot be": narrow > wide,
    }
    return Reading(*whole, follows, further)


@CLAIMS.add(
    short="mixtures at every shape",
    statement="Over shapes and depths rows keep mixtures, and the farthest runs are nearer to the problem that keeps "
    "them than to that with winners.",
    measured="share of the measured runs in which a row keeps a mixture",
    limit=Limit(0.2, "≥ {}", "one in five beyond doubt, as `layers_mixtures` asks"),
    nearer=Limit(0.5, "share of shapes ≥ {}", "beyond doubt more than half"),
    tolerates=0.006,  # 7 of 9 are of tokens that layers made equal, which no run measures; 2 shapes less leave 20 of 24
)
def layers_mixed_shapes(tables, limit, nearer):
    """How many runs of any shape keep a mixture, and which problem the farthest of them are nearer to."""
    table = tables.own()
    mixed = where(table, end="mixed")
    whole = proportion(runs(table, "mixed"), mixed["instances"].sum())
    tails = where(table, end="law").pivot_table(index=SHAPE, columns="problem", values="tail")
    tails = tails.reindex(columns=["stated", "corrected"]).dropna()
    tails = some(tails[tails["corrected"] != tails["stated"]], "shape in which the two problems differ")
    ahead = share_of(tails["corrected"] < tails["stated"])
    parts = {
        "a mixture is kept: lower end of the share of the measured runs": limit(whole),
        f"the farthest are nearer to the corrected problem in {ahead.value:.2f} of the shapes": nearer(ahead),
    }
    return Reading(*whole, parts)
