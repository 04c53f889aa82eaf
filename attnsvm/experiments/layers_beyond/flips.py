"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import numpy as np
import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities


def table():
    """Two kinds that saturate and go on, one that stays mixed and stops."""
    rows = []
    for name, ratio in (("plain", 0.0), ("temperatures 1 and 3", -np.log(3))):
        values = {"corrected, saturated": 1e-4, "growth, saturated": 2.0, "ratio": ratio + 0.001, "all": 0.4}
        rows += quantities(values, kind=name, layer=1)
    rows += quantities({"corrected, saturated": 2e-4}, kind="two heads", layer=0)
    rows += quantities({"corrected, mixed": 0.3, "growth, mixed": 1.05}, kind="four classes", layer=0)
    table = pd.DataFrame(rows).assign(step=100, instances=8)
    low, high = table["value"] - 0.01 * table["value"].abs(), table["value"] + 0.01 * table["value"].abs()
    return table.assign(low=low, high=high, largest=high)


FLIPS = {
    "layers_beyond_saturated": Flip("kind == 'plain' and quantity == 'corrected, saturated'", "largest", 0.2),
    "layers_beyond_variants": Flip("kind == 'two heads'", "largest", 0.2),
    "layers_beyond_stalls": Flip("quantity == 'growth, mixed'", "value", 1.9),
    "layers_beyond_temperatures": Flip("kind == 'plain' and quantity == 'ratio'", "value", -1.1),
}
EMPTY = {
    "layers_beyond_saturated": [Empty("quantity != 'corrected, saturated'", "instance whose counting rows saturate")],
    "layers_beyond_variants": [Empty("kind != 'two heads'", "instance whose counting rows saturate")],
    "layers_beyond_stalls": [
        Empty("quantity != 'growth, mixed'", "instance whose counting rows stay mixed"),
        Empty("quantity != 'growth, saturated'", "instance whose counting rows saturate"),
    ],
    "layers_beyond_temperatures": [
        Empty("kind != 'plain' or quantity != 'ratio'", "measured instance of the plain kind"),
    ],
}
