"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """The upper layer is above random heads after training, the lower one hardly."""
    rows = []
    for layer in (1, 2):
        for step in (0, 1000):
            late = 0.3 * (step > 0)
            for name in ("alignment", "predicted"):
                rows.append((layer, f"{name}_above_random_fro", step, late if layer == 2 else 0.05))
            rows.append((layer, "predicted_above_place_fro", step, late))
    return spread(pd.DataFrame(rows, columns=["layer", "quantity", "step", "value"]), by=0.03, instances=16)


FLIPS = {
    "trained_random_upper": Flip("quantity == 'alignment_above_random_fro' and step == 0 and layer == 2", "high", 0.5),
    "trained_predicted_upper": Flip(
        "quantity == 'predicted_above_place_fro' and step == 1000 and layer == 1", "low", -0.1
    ),
}
EMPTY = dict.fromkeys(FLIPS, (Empty("layer != 2", "measured head in layer 2"),))
