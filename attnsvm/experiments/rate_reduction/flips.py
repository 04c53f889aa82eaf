"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread
from attnsvm.audit.reading import FAILS


def table(change=-0.5, rate=-0.3, accuracy=0.01, peak=0.8, lead=0.2):
    """CRATE and plain attention reduce the rate, select, and are aligned; one number each may differ."""
    rows = []
    for layer in ("plain", "crate"):
        ends = {"rate_over_chance": rate, "rate_over_random": rate, "alignment_own": 0.9, "predicted_own": 0.8}
        ends |= {"alignment_random": 0.6, "predicted_random": 0.5, "alignment_over_random": 0.3}
        if layer == "crate":
            ends |= {"accuracy_over_plain": accuracy, "alignment_over_symmetric": lead, "alignment_symmetric": 0.7}
            ends |= {"predicted_symmetric": 0.6}
        for k in (1, 100):
            ways = {"accuracy": 0.9, "peak": peak, "rate_change": change if k == 100 else -0.1}
            ways |= {f"rate_{after}{what}": 5.0 for after in ("", "after_") for what in ("selected", "chance", "all")}
            rows += quantities(ways, layer=layer, step=k)
        rows += quantities(ends, layer=layer, step=100)
    return spread(rows, by=0.01, instances=12)


FLIPS = {
    "rate_attention": Flip("layer == 'crate' and quantity == 'rate_change'", "high", 0.2),
    "rate_selected": Flip("layer == 'crate' and quantity == 'rate_over_random'", "high", 0.1),
    "crate_accuracy": Flip("quantity == 'accuracy_over_plain'", "low", -0.1, FAILS),
    "crate_selects": Flip("layer == 'crate' and quantity == 'peak'", "low", 0.3),
    "crate_svm": Flip("quantity == 'alignment_over_symmetric'", "low", -0.1),
}
EMPTY = dict.fromkeys(FLIPS, (Empty("layer == 'plain'", "row of crate"),))
