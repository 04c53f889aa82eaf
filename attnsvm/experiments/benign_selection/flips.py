"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """Flips fitted everywhere, harm below √(d/n) only, errors that fall after the fit."""
    rows = []
    for run, size, harm in (
        ("published", 20.0, 0.0),
        ("longer", 5.0, 0.05),
        ("longer", 10.0, 1e-3),
        ("longer", 40.0, 0.0),
    ):
        values = {"fitted": 1.0, "error": 1e-3 + harm, "harm": harm, "copies of flips": 1.0, "seed alike": 3e-3}
        values |= {"error since": -0.03, "signal since": 0.2}
        rows += quantities(values, run=run, size=size, multiple=size / 10.0, at=1000.0)
    return spread(rows, share=0.002, instances=50, largest=1.0)


FLIPS = {
    "selection_benign": Flip("size == 5 and quantity == 'harm'", "low", 0.0),
    "selection_scale": Flip("size == 40 and quantity == 'harm'", "high", 0.1),
    "selection_late": Flip("size == 10 and quantity == 'error since'", "high", 0.0),
    "selection_seed": Flip("run == 'published' and quantity == 'copies of flips'", "low", 0.2),
}
EMPTY = {
    "selection_benign": [Empty("run != 'longer'", "harm of longer")],
    "selection_scale": [Empty("size > 5", "harm at such signals")],
    "selection_late": [Empty("quantity != 'signal since'", "signal since at such signals")],
    "selection_seed": [Empty("quantity != 'copies of flips'", "copies of flips of published")],
}
