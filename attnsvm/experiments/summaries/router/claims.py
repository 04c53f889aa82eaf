"""A router beside plain attention: the same kind of direction, the same tokens, sooner?"""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, each, largest, smallest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import at_end, decade_before, where

ELSEWHERE = "What holds instead stands in the audit of `snakemake figures/router_again`, which is optional."
CLAIMS = Claims(group="secondary")


def selectors(tables):
    """The routers that are to sharpen the choice by the softmax: entropy penalties and Gumbel-softmax."""
    table = tables.own()
    names = [name for name in dict.fromkeys(table["selector"]) if name.startswith("entropy") or name == "gumbel"]
    some(table[table["selector"].isin(names)], "router that sharpens its choice")
    return names


def end(tables, selector, quantity):
    return at_end(tables.own(), quantity, selector=selector)


@CLAIMS.add(
    short="a router obeys the same law",
    statement="A router with entropy penalty or Gumbel-softmax goes to the max-margin solution of what it selects.",
    check="median of 1 − correlation with the certified solution of the run's own tokens after the last step, 95 % "
    "interval; against a decade before; control: entropy rewarded",
    measured="largest median distance of a router",
    limit=Limit(
        0.05,
        "≤ {}",
        "a correlation of .95: as near as plain attention of this shape is known to come in such a number of steps",
    ),
)
def router_law(tables, limit):
    """The largest median distance of a router; the control must stay away, and no router may have stopped."""
    parts, further, ends = {}, {}, {}
    for name in selectors(tables):
        ends[name] = at = end(tables, name, "distance")
        earlier = decade_before(where(tables.own(), selector=name, quantity="distance"))
        parts[f"{name} near the solution of its tokens"] = limit(at)
        further[f"{name} still falling"] = at.value < earlier["value"]
    further["with entropy rewarded far from it"] = limit.against(end(tables, "reward", "distance"))
    return Reading(*largest(ends), parts, further)


@CLAIMS.add(
    short="a router selects what attention does",
    statement="A router with an entropy penalty or Gumbel-softmax selects the tokens that plain attention selects.",
    check="share of inputs with the same token from the same start, 95 % interval over the instances",
    measured="smallest share of inputs with attention's token",
    limit=Limit(0.9, "≥ {}", "nine inputs in ten: one in eight would agree by chance"),
    unsharpened=ELSEWHERE,
)
def router_tokens(tables, limit):
    found = {name: end(tables, name, "same") for name in selectors(tables)}
    return Reading(*smallest(found), each(found, "{} shares attention's tokens", limit))


@CLAIMS.add(
    short="a router is sooner there",
    statement="A router reaches its direction, and saturates, in fewer steps than plain attention.",
    check="median over the instances of its steps divided by those of attention, 95 % interval; never counts as "
    "infinity",
    measured="largest median ratio of the steps",
    limit=Limit(1.0, "< {}", "fewer steps in the median, for every selector that sharpens"),
    unsharpened=ELSEWHERE,
)
def router_sooner(tables, limit):
    """Both ways of being there: the direction, and the saturation."""
    ways = {"near its solution": "ratio_near", "saturated": "ratio_saturated"}
    found = {
        f"{name} sooner {what}": end(tables, name, quantity)
        for name in selectors(tables)
        for what, quantity in ways.items()
    }
    return Reading(*largest(found), each(found, "{}", limit))


after = number(step=LAST, missing="{quantity} of {selector}")
CLAIMS.declare(
    "router_dirichlet",
    after(selector="dirichlet", quantity="to_mean", text="1 − correlation with Σ (x_α − x_t) zᵀ over all tokens").must(
        "≤ 0.01",
        "the gradient of the form goes to this sum and does not vanish, that of the loss does: what is left of the "
        "start and of the loss falls like one over the step",
        "near the mean difference",
    ),
    after(selector="dirichlet", quantity="distance").misses("far from the solution of its tokens"),
    after(selector="attention", quantity="to_mean").misses("attention far from the mean difference"),
    group="ours",
    short="the Dirichlet form has another limit",
    statement="Under the Dirichlet form W goes to the mean difference of selected and other tokens.",
)


# What holds instead, asked on other seeds: routers that keep attention's tokens are later, those sooner take others.
def penalties(table):
    """The routers with an entropy penalty, in the order of the settings, which say how many there are."""
    chosen = table["selector"].str.startswith("entropy")
    return dict.fromkeys(some(table[chosen], "router with an entropy penalty")["selector"])


@CLAIMS.add(
    sharpens="router_tokens",
    on="router_again",
    short="Gumbel-softmax keeps attention's tokens, entropy not",
    statement="Straight-through Gumbel-softmax selects the tokens that plain attention selects; an entropy penalty "
    "does not, and selects fewer of the best tokens.",
    check="share of inputs with the same token from the same start, and with the best token, 95 % intervals over the "
    "instances",
    measured="share of inputs with attention's token, Gumbel-softmax",
    limit=Limit(0.9, "≥ {}", "nine inputs in ten, as first asked: the whole interval above, or below"),
    best=Limit(0.0, "share of best tokens less that of attention < {}", "beyond both intervals"),
)
def router_tokens_kept(tables, limit, best):
    """Gumbel-softmax against the entropy penalties: attention's tokens, and the best ones."""
    table = tables.own()
    own = after(selector="gumbel", quantity="same").estimate(table)
    parts = {f"Gumbel-softmax keeps attention's tokens ({own.value:.2f})": limit(own)}
    plain = after(selector="attention", quantity="best").estimate(table)
    for name in penalties(table):
        other, chosen = (after(selector=name, quantity=quantity).estimate(table) for quantity in ("same", "best"))
        parts[f"{name} does not ({other.value:.2f})"] = limit.against(other)
        parts[f"{name} selects fewer best tokens than attention ({chosen.value:.2f})"] = best(chosen.high - plain.low)
    return Reading(*own, parts)


@CLAIMS.add(
    sharpens="router_sooner",
    on="router_again",
    short="entropy is sooner, Gumbel-softmax later",
    statement="A router with an entropy penalty reaches its direction, and saturates, in fewer steps than plain "
    "attention, towards other tokens; with Gumbel-softmax it takes more.",
    check="median over the instances of its steps divided by those of attention, 95 % interval; never counts as "
    "infinity",
    measured="largest median ratio of the steps, entropy penalties",
    limit=Limit(1.0, "< {}", "fewer steps in the median, the whole interval; more for Gumbel-softmax"),
)
def router_sooner_entropy(tables, limit):
    """Both ways of being there: the entropy penalties are sooner, Gumbel-softmax is later."""
    ways = {"near its solution": "ratio_near", "saturated": "ratio_saturated"}
    table, found, parts = tables.own(), {}, {}
    for what, quantity in ways.items():
        for name in penalties(table):
            found[name, what] = seen = after(selector=name, quantity=quantity).estimate(table)
            parts[f"{name} sooner {what} ({seen.value:.2f})"] = limit(seen)
        later = after(selector="gumbel", quantity=quantity).estimate(table)
        parts[f"Gumbel-softmax later {what} ({later.value:.2f})"] = limit.against(later)
    return Reading(*largest(found), parts)
