"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    """All ends are optimal with equal scores and half of them with others; exponents as derived."""
    rows = []
    for scores, share in (("equal", 1.0), ("different", 0.5)):
        for size in (1.0, 10.0):
            rows += quantities({"optimal": share}, scores=scores, run="normalised", at=size)
    for run, turning, deepening in (("normalised", -1.0, 1.0), ("Polyak", -1.0, 1.0), ("plain", -0.1, 0.1)):
        values = {"turning": turning, "saturating": -1.0, "deepening": deepening}
        for step in (100, 1000):
            rows += quantities(values, scores="equal", run=run, at=step)
    return spread(rows, by=0.01, instances=60)


FLIPS = {
    "rates_global": Flip("scores == 'different' and at == 1.0", "high", 0.95),
    "rates_turning": Flip("run == 'plain' and quantity == 'turning'", "low", -0.9),
    "rates_saturating": Flip("run == 'plain' and quantity == 'saturating'", "high", -0.5),
}
EMPTY = {
    "rates_global": [
        Empty("scores == 'different'", "instance with equal scores"),
        Empty("scores == 'equal'", "instance with different scores"),
    ],
    "rates_turning": [Empty("run != 'Polyak'", "turning of Polyak steps")],
    "rates_saturating": [Empty("run != 'plain'", "saturating of plain steps")],
}
