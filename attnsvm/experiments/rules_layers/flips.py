"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """Both layers near one in the norm of their rule, well ahead of the Frobenius norm and of untrained matrices."""
    values, rows = {"own": 0.98, "frobenius": 0.6, "untrained": 0.2, "lead": 0.97}, []
    for rule in ("l1", "fro"):
        for layer in (1, 2):
            rows += quantities(values, rule=rule, layer=layer)
    return spread(rows, by=0.02, step=100, instances=40)


FLIPS = {"rules_layers": Flip("rule == 'l1' and layer == 1 and quantity == 'lead'", "low", 0.4)}
EMPTY = {"rules_layers": [Empty("quantity != 'own'", "measured instance")]}
