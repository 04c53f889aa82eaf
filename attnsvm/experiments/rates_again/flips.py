"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table():
    rows = []
    for layer, peak in (("plain", 0.48), ("crate", 0.25)):
        values = {"rate_over_chance": -6.0, "rate_over_random": 1.0, "peak": peak}
        values |= {"accuracy_over_plain": -0.05} if layer == "crate" else {}
        rows += quantities(values, layer=layer)
    return spread(rows, by=0.02, step=100, instances=12)


FLIPS = {
    "rate_selected_random": Flip("layer == 'plain' and quantity == 'rate_over_random'", "low", -0.1),
    "crate_accuracy_less": Flip("quantity == 'accuracy_over_plain'", "low", -0.2),
    "crate_spreads": Flip("layer == 'plain' and quantity == 'peak'", "low", 0.2),
}
EMPTY = {key: [Empty("layer == 'plain'", "row of crate")] for key in FLIPS}
