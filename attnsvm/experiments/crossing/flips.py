"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """At three d: (K, Q) ahead, more so if saturated runs count alone, and W ahead at last."""
    leads = {2: (-0.02, -0.06, 0.04), 3: (-0.04, -0.04, 0.0), 16: (0.02, 0.02, 0.0)}
    rows = [
        {"d": d, "counted": counted, "quantity": quantity, "value": value}
        for d, (selected, saturated, waiting) in leads.items()
        for counted, quantity, value in (
            ("selected", "lead", selected),
            ("saturated", "lead", saturated),
            ("selected", "waiting", waiting),
        )
    ]
    return spread(rows, by=0.01, n=5, T=5, instances=1000)


FLIPS = {"parametrisations_cross_saturation": Flip("d == 16 and counted == 'selected'", "low", -0.01)}
EMPTY = {"parametrisations_cross_saturation": [Empty("d != 3", "third d")]}
