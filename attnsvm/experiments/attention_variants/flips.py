"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread
from attnsvm.audit.reading import FAILS


def table(distance=0.02, same=0.95, margin_half=1.1, pair=0.7, peak=0.3, predictions=0.01):
    """Dropout changes nothing, merging widens the margin, and without a softmax nothing is selected."""
    ends = {
        "attention": {"distance": 0.01, "peak": 0.99, "predictions": 0.5},
        "dropout 0.5": {"distance": distance, "same": same},
        "merged": {"margin": 1.2, "margin_half": margin_half, "same": pair},
        "merged unit": {"margin": 1.3, "same": 0.7},
        "half": {"margin": 1.1, "same": 0.55},
        "linear": {"predictions": predictions, "distance": 0.4, "peak": peak},
        "mixer": {"predictions": 0.01, "peak": 0.3},
        "uniform": {"peak": 0.1},
    }
    rows = []
    for variant, own in ends.items():
        ways = {quantity: 2 * own[quantity] for quantity in ("distance", "peak", "predictions") if quantity in own}
        for step, values in ((1, ways), (10, ways), (100, own)):
            rows += quantities(values, variant=variant, step=step)
    return spread(rows, share=0.01, instances=64)


FLIPS = {
    "dropout_law": Flip("variant == 'dropout 0.5' and quantity == 'distance'", "high", 0.2),
    "dropout_tokens": Flip("variant == 'dropout 0.5' and quantity == 'same'", "low", 0.5, FAILS),
    "merged_margin": Flip("quantity == 'margin_half'", "low", 0.9),
    "merged_tokens": Flip("variant == 'half' and quantity == 'same'", "high", 0.8),
    "softmax_selects": Flip("variant == 'mixer' and quantity == 'peak'", "high", 0.8),
    "linear_attention": Flip("variant == 'linear' and quantity == 'predictions'", "high", 0.2),
}
EMPTY = {
    "dropout_law": [
        Empty("step == 100", "step a decade before the last"),
        Empty("variant != 'dropout 0.5'", "run with dropout"),
    ],
    "dropout_tokens": [Empty("variant != 'dropout 0.5'", "run with dropout")],
    "merged_margin": [Empty("variant != 'merged'", "row of merged")],
    "merged_tokens": [Empty("variant != 'half'", "row of half")],
    "softmax_selects": [Empty("variant != 'mixer'", "row of mixer")],
    "linear_attention": [Empty("variant != 'linear'", "row of linear")],
}
