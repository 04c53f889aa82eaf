"""A router beside plain attention: the same kind of direction, the same tokens, sooner?"""

from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import last, single

DECADE = 10


def selectors(table):
    """The routers that are to sharpen the choice by the softmax: entropy penalties and Gumbel-softmax."""
    names = [name for name in dict.fromkeys(table["selector"]) if name.startswith("entropy") or name == "gumbel"]
    some(table[table["selector"].isin(names)], "router that sharpens its choice")
    return names


def end(table, selector, quantity):
    rows = some(last(table[table["selector"] == selector]), f"row of {selector}")
    return single(some(rows[rows["quantity"] == quantity], f"{quantity} of {selector}"))


def same_law(table, most):
    """The largest median distance of a router; the control must stay away, and no router may have stopped."""
    distance = table[table["quantity"] == "distance"]
    earlier = distance[distance["step"] <= distance["step"].max() / DECADE]
    some(earlier, "step a decade before the last")
    parts, ends = {}, []
    for name in selectors(table):
        at, before = end(table, name, "distance"), last(some(earlier[earlier["selector"] == name], f"way of {name}"))
        parts[f"{name} near the solution of its tokens"] = at["high"] <= most
        parts[f"{name} still falling"] = at["value"] < single(before)["value"]
        ends.append(at)
    parts["with entropy rewarded far from it"] = end(table, "reward", "distance")["low"] > most
    worst = max(ends, key=lambda row: row["value"])
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def same_tokens(table, least):
    found = {name: end(table, name, "same") for name in selectors(table)}
    fewest = min(found.values(), key=lambda row: row["value"])
    parts = {f"{name} shares attention's tokens": row["low"] >= least for name, row in found.items()}
    return Reading(fewest["value"], fewest["low"], fewest["high"], int(fewest["instances"]), parts)


def sooner(table, most):
    """Both ways of being there: the direction, and the saturation."""
    parts, values = {}, []
    for name in selectors(table):
        for quantity, what in (("ratio_near", "near its solution"), ("ratio_saturated", "saturated")):
            row = end(table, name, quantity)
            parts[f"{name} sooner {what}"] = row["high"] < most
            values.append(row)
    slowest = max(values, key=lambda row: row["value"])
    return Reading(slowest["value"], slowest["low"], slowest["high"], int(slowest["instances"]), parts)


def another_limit(table, most):
    """The Dirichlet form weighs all tokens alike: near the mean difference, and far from the solution."""
    mean, own = end(table, "dirichlet", "to_mean"), end(table, "dirichlet", "distance")
    plain = end(table, "attention", "to_mean")
    parts = {
        "near the mean difference": mean["high"] <= most,
        "far from the solution of its tokens": own["low"] > most,
        "attention far from the mean difference": plain["low"] > most,
    }
    return Reading(mean["value"], mean["low"], mean["high"], int(mean["instances"]), parts)


CLAIMS = (
    Claim(
        key="router_law",
        group="secondary",
        short="a router obeys the same law",
        statement="A router with entropy penalty or Gumbel-softmax goes to the max-margin solution of what it selects.",
        check="median of 1 − correlation with the certified solution of the run's own tokens after the last step, "
        "95 % interval; against a decade before; control: entropy rewarded",
        threshold=0.05,
        why="a correlation of .95: as near as plain attention of this shape is known to come in such a number of steps",
        measured="largest median distance of a router",
        wanted="≤ {}",
        read=lambda tables, most: same_law(tables.own(), most),
    ),
    Claim(
        key="router_tokens",
        group="secondary",
        short="a router selects what attention does",
        statement="A router with an entropy penalty or Gumbel-softmax selects the tokens that plain attention selects.",
        check="share of inputs with the same token from the same start, 95 % interval over the instances",
        threshold=0.9,
        why="nine inputs in ten: one in eight would agree by chance",
        measured="smallest share of inputs with attention's token",
        wanted="≥ {}",
        read=lambda tables, least: same_tokens(tables.own(), least),
    ),
    Claim(
        key="router_sooner",
        group="secondary",
        short="a router is sooner there",
        statement="A router reaches its direction, and saturates, in fewer steps than plain attention.",
        check="median over the instances of its steps divided by those of attention, 95 % interval; never counts as "
        "infinity",
        threshold=1.0,
        why="fewer steps in the median, for every selector that sharpens",
        measured="largest median ratio of the steps",
        wanted="< {}",
        read=lambda tables, most: sooner(tables.own(), most),
    ),
    Claim(
        key="router_dirichlet",
        group="ours",
        short="the Dirichlet form has another limit",
        statement="Under the Dirichlet form W goes to the mean difference of selected and other tokens.",
        check="median of 1 − correlation with Σ (x_α − x_t) zᵀ over all tokens, and with the certified solution, "
        "after the last step, 95 % intervals; control: plain attention",
        threshold=0.01,
        why="the gradient of the form goes to this sum and does not vanish, that of the loss does: what is left of "
        "the start and of the loss falls like one over the step",
        measured="median distance from the mean difference",
        wanted="≤ {}",
        read=lambda tables, most: another_limit(tables.own(), most),
    ),
)
