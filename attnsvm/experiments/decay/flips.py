"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """Every rule is on its ball and near its SVM; with λW in the gradient the radius is small."""
    rows = []
    for run in ("l1", "fro", "linf", "spectral", "nuc", "fro, smaller steps", "linf, coupled", "AdamW"):
        for decay in (0.1, 0.01):
            radius = 0.1 if run == "linf, coupled" else 1.0
            values = {"radius": radius, "gap": 0.01, "ratio": 1 - 2 * decay, "ahead": 1.0}
            rows += quantities(values, run=run, decay=decay)
    return spread(rows, share=0.005, instances=50)


FLIPS = {
    "decay_radius": Flip("run == 'linf, coupled' and quantity == 'radius'", "high", 0.9),
    "decay_adamw": Flip("run == 'AdamW' and quantity == 'radius'", "low", 0.5),
    "decay_svm": Flip("run == 'nuc' and quantity == 'ratio' and decay == 0.01", "low", 0.5),
}
EMPTY = {
    "decay_radius": [Empty("run != 'linf, coupled'", "radius of linf, coupled")],
    "decay_adamw": [Empty("run != 'AdamW'", "gap of AdamW")],
    "decay_svm": [Empty("decay == 0.01", "second value of decay")],
}
