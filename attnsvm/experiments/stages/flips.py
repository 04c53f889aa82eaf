"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread

RIGHT = {"trained": 1.0, "implied": 1.0, "above": 1.0, "below": 1.0, "open": 0.55}


def table():
    """1/t in both stages, losses that fall linearly, what follows is right, and both layers at once are not."""
    rows = []
    for words in ("orthonormal", "gaussian"):
        for stage in ("first", "second"):
            once = words == "orthonormal" and stage == "first"
            for run, distance, exponent, deepening in (("normalised", 0.01, -0.95, 0.95), ("plain", 0.3, -0.1, 0.2)):
                values = {"distance": 0.0 if once else distance, "deepening": deepening}
                values |= {} if once else {"exponent": exponent}
                rows += quantities(values, words=words, stage=stage, run=run)
        ends = {"normalised": RIGHT | {"below": 1.0 if words == "orthonormal" else 0.8}}
        ends["together"] = RIGHT | {"below": 0.25, "distance": 0.6}
        for run, values in ends.items():
            rows += quantities(values, words=words, stage="second", run=run)
    return spread(rows, share=0.001, at=1000.0, instances=50)


FLIPS = {
    "stages_turn": Flip("stage == 'first' and run == 'normalised' and quantity == 'exponent'", "high", -0.4),
    "stages_loss": Flip("words == 'gaussian' and run == 'plain' and quantity == 'deepening'", "high", 0.9),
    "stages_shift": Flip("words == 'gaussian' and run == 'normalised' and quantity == 'below'", "high", 0.99),
    "stages_together": Flip("words == 'gaussian' and run == 'together' and quantity == 'distance'", "low", 0.01),
}
EMPTY = {
    "stages_turn": [Empty("run != 'plain'", "exponent of plain, first, gaussian")],
    "stages_loss": [Empty("run != 'plain'", "deepening of plain, first, gaussian")],
    "stages_shift": [Empty("quantity != 'open'", "open of normalised, second, orthonormal")],
    "stages_together": [Empty("run != 'together'", "below of together, second, orthonormal")],
}
