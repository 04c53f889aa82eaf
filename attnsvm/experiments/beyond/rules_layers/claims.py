"""In a stack too, every rule goes to the max-margin solution of its own norm, layer by layer."""

from attnsvm.audit.numbers import Limit, estimate
from attnsvm.audit.reading import Claims, Reading, only, some
from attnsvm.audit.rows import last, single, where

LAYERS = {1: "layer below", 2: "top"}
MOST = Limit(0.5, "share of instances in which its norm is ahead > {}", "beyond doubt more than half")
CLAIMS = Claims(group="beyond")


@CLAIMS.add(
    short="in stacks too, every rule has its own SVM",
    statement="In a stack of two layers that steepest descent in a norm trains, each layer by itself, each layer goes "
    "to the max-margin solution of its own problem, in the rule's norm and not in the Frobenius norm.",
    check="margin ratio of each layer in the norm of its rule after the last step, median and quartiles, of the rule "
    "and layer that have the smallest; and how often it is larger than that in the Frobenius norm and that of an "
    "untrained matrix",
    measured="smallest median of the margin ratio in the rule's norm (best: 1)",
    asked=Limit(
        0.95,
        "≥ {}",
        "as for one layer: what is missing falls with the steps; and in more than half of the instances, beyond doubt, "
        "the norm of the rule is ahead of both controls",
    ),
    most=MOST,
)
def rules_layers(tables, asked, most):
    """The smallest median of all rules and layers; and in each whether the rule's norm is ahead of the controls."""
    table = last(tables.own())
    parts, found = {}, []
    for rule in some(where(table, quantity="own"), "measured instance")["rule"].unique():
        for layer, name in LAYERS.items():
            rows = only(table, rule=rule, layer=layer)
            own, lead = (estimate(single(only(rows, quantity=quantity))) for quantity in ("own", "lead"))
            ahead = f"ahead of the Frobenius norm and of untrained matrices in {lead.value:.2f}"
            parts[f"{rule}, {name}: {own.value:.3f}"] = asked(own.value)
            parts[f"{rule}, {name}: {ahead}"] = most(lead)
            found.append(own)
    return Reading(*min(found), parts)
