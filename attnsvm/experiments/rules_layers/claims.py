"""In a stack too, every rule goes to the max-margin solution of its own norm, layer by layer."""

from attnsvm.audit.reading import Claim, Reading, only, some
from attnsvm.audit.rows import last, single

LEAD = 0.5  # share of instances in which the rule's norm has to be ahead, beyond doubt


def own_norm(tables, least):
    """The smallest median of all rules and layers; and in each whether the rule's norm is ahead of the controls."""
    table = last(tables.own())
    measured = some(only(table, quantity="own"), "measured instance")
    parts, ends = {}, []
    for rule in measured["rule"].unique():
        for layer in (1, 2):
            rows = only(table, rule=rule, layer=layer)
            own, lead = (single(only(rows, quantity=quantity)) for quantity in ("own", "lead"))
            where = f"{rule}, {'top' if layer == 2 else 'layer below'}"
            parts[f"{where}: {own['value']:.3f}"] = own["value"] >= least
            parts[f"{where}: ahead of the Frobenius norm and of untrained matrices in {lead['value']:.2f}"] = (
                lead["low"] > LEAD
            )
            ends.append((own["value"], own["low"], own["high"], int(own["instances"])))
    return Reading(*min(ends), parts)


CLAIMS = (
    Claim(
        key="rules_layers",
        group="beyond",
        short="in stacks too, every rule has its own SVM",
        statement="In a stack of two layers that steepest descent in a norm trains, each layer by itself, each "
        "layer goes to the max-margin solution of its own problem, in the rule's norm and not in the Frobenius norm.",
        check="margin ratio of each layer in the norm of its rule after the last step, median and quartiles, of the "
        "rule and layer that have the smallest; and how often it is larger than that in the Frobenius norm and that of "
        "an untrained matrix",
        threshold=0.95,
        why="as for one layer: what is missing falls with the steps; and in more than half of the instances, "
        "beyond doubt, the norm of the rule is ahead of both controls",
        measured="smallest median of the margin ratio in the rule's norm (best: 1)",
        wanted="≥ {}",
        read=own_norm,
    ),
)
