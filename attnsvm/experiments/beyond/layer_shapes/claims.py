"""Where the law of layers ends."""

from attnsvm.audit.numbers import Limit, proportion
from attnsvm.audit.reading import Claims, Reading, some

CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    short="the law needs dimensions, not luck",
    statement="Runs whose layers have separators and whose top saturates follow the law, whatever the shape.",
    check="share of those runs in which every layer is near the solution of its place; all shapes and depths, 95 % "
    "Wilson interval",
    measured="share of the measured runs",
    asked=Limit(0.9, "≥ {}", "nine in ten; at the largest dimension no more than one in ten may be lost otherwise"),
    lost=Limit(0.1, "share that cannot be measured at the largest dimension ≤ {}", "no more than one in ten"),
)
def layers_boundary(tables, asked, lost):
    """Of the runs that can be measured, the share that follows the law."""
    table = tables.own(problem="present")
    keys = ["depth", "n", "T", "d"]
    shares = table.pivot_table(index=keys, columns="end", values="share")
    counts = table.groupby(keys)["instances"].first()
    follow, others = ((shares[end] * counts).round().sum() for end in ("law", "farther"))
    some(table[[follow + others > 0] * len(table)], "instance that could be measured")
    whole = proportion(follow, follow + others)
    widest = table[table["d"] == table["d"].max()]
    failed = widest[widest["end"].isin(("equal tokens", "not separable", "not saturated"))]
    wide = failed.groupby(keys)["share"].sum().max()
    narrow = table[(table["d"] == table["d"].min()) & (table["end"] != "law")].groupby(keys)["share"].sum().max()
    parts = {
        "of all runs that can be measured, the lower end of the share that follows": asked(whole),
        "at the largest dimension few runs cannot be measured": lost(wide),
        "at the smallest dimension more runs do not follow": narrow > wide,
    }
    return Reading(*whole, parts)


@CLAIMS.add(
    short="mixtures at every shape",
    statement="Over shapes, depths and dimensions rows keep mixtures, and the farthest runs are nearer to the problem "
    "that keeps them than to that with a winner in every row.",
    check="share of the measured runs in which a row keeps a mixture, 95 % Wilson interval; share of shapes in which "
    "the 95 % quantile of the farthest layer's distance is smaller by the corrected problem, of those where it differs",
    measured="share of the measured runs",
    asked=Limit(0.2, "≥ {}", "one in five beyond doubt, as `layers_mixtures` asks"),
    nearer=Limit(0.5, "share of shapes ≥ {}", "beyond doubt more than half"),
)
def layers_mixed_shapes(tables, asked, nearer):
    """How many runs of any shape keep a mixture, and which problem the farthest of them are nearer to."""
    table = tables.own()
    mixed = some(table[table["end"] == "mixed"], "instance that could be measured")
    whole = proportion((mixed["share"] * mixed["instances"]).round().sum(), mixed["instances"].sum())
    tails = table[table["end"] == "law"].pivot_table(index=["depth", "n", "T", "d"], columns="problem", values="tail")
    ahead = proportion((tails["corrected"] < tails["stated"]).sum(), (tails["corrected"] != tails["stated"]).sum())
    parts = {
        "a mixture is kept: lower end of the share of the measured runs": asked(whole),
        f"the farthest are nearer to the corrected problem in {ahead.value:.2f} of the shapes": nearer(ahead),
    }
    return Reading(*whole, parts)
