"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Both layers near one in the norm of their rule, well ahead of the Frobenius norm and of untrained matrices."""
    rows = []
    for rule in ("l1", "fro"):
        for layer in (1, 2):
            for quantity, value in (("own", 0.98), ("frobenius", 0.6), ("untrained", 0.2), ("lead", 0.97)):
                rows.append({"rule": rule, "layer": layer, "quantity": quantity, "step": 100, "value": value})
    return spread(rows, by=0.02, instances=40)


FLIPS = {
    "rules_layers": Flip("rule == 'l1' and layer == 1 and quantity == 'lead'", "low", 0.4),
}
EMPTY = {
    "rules_layers": [Empty(lambda t: t[t["quantity"] != "own"], "measured instance")],
}
