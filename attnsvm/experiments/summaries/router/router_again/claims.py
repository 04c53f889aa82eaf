"""What holds of routers: those that keep attention's tokens are later, those that are sooner take other tokens."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.numbers import Limit, largest
from attnsvm.audit.reading import Claims, Reading, some

end = number(step=LAST, missing="{quantity} of {selector}")
CLAIMS = Claims(group="secondary", seeds=(100000, 100063))


def penalties(table):
    """The routers with an entropy penalty, in the order of the settings, which say how many there are."""
    chosen = table["selector"].str.startswith("entropy")
    return dict.fromkeys(some(table[chosen], "router with an entropy penalty")["selector"])


@CLAIMS.add(
    sharpens="router_tokens",
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
    own = end(selector="gumbel", quantity="same").estimate(table)
    parts = {f"Gumbel-softmax keeps attention's tokens ({own.value:.2f})": limit(own)}
    plain = end(selector="attention", quantity="best").estimate(table)
    for name in penalties(table):
        other, chosen = (end(selector=name, quantity=quantity).estimate(table) for quantity in ("same", "best"))
        parts[f"{name} does not ({other.value:.2f})"] = limit.against(other)
        parts[f"{name} selects fewer best tokens than attention ({chosen.value:.2f})"] = best(chosen.high - plain.low)
    return Reading(*own, parts)


@CLAIMS.add(
    sharpens="router_sooner",
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
            found[name, what] = seen = end(selector=name, quantity=quantity).estimate(table)
            parts[f"{name} sooner {what} ({seen.value:.2f})"] = limit(seen)
        later = end(selector="gumbel", quantity=quantity).estimate(table)
        parts[f"Gumbel-softmax later {what} ({later.value:.2f})"] = limit.against(later)
    return Reading(*largest(found), parts)
