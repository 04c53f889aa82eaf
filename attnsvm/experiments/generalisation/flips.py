"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip


def table():
    """Flipped labels are fitted up to n = 8 and cost; training on costs; more inputs help; so does the nuclear norm."""
    rows = []
    for tokens in ("gaussian", "digits"):
        for n, clean in ((4, 0.2), (8, 0.4), (16, 0.8)):
            for labels in ("clean", "flipped", "random", "full"):
                at = {"variant": f"{tokens}_{labels}", "n": n}
                fits = 0.0 if n == 16 and labels in ("flipped", "random") else 1.0
                values = {("fro", "separable"): fits, ("W", "early"): 0.1, ("chance", "held_out"): 0.125}
                values["fro", "held_out"] = {"clean": clean, "flipped": 0.5 * clean, "random": 0.13, "full": 0.3}[
                    labels
                ]
                values["nuc", "lead"] = 0.0 if labels == "full" else 0.1
                if labels == "flipped":
                    values["fro", "drop"] = 0.5 * clean
                if labels == "flipped" and n == 8:
                    values["fro", "fitted"] = fits
                rows += [{**at, "by": by, "quantity": what, "value": v} for (by, what), v in values.items()]
    table = pd.DataFrame(rows).assign(step=0, instances=32)
    return table.assign(low=table["value"] - 0.02, high=table["value"] + 0.02)


NO_FIT = "n where flipped labels are separable, Gaussian tokens"

FLIPS = {
    "easy_to_overfit": Flip("variant == 'digits_flipped' and quantity == 'drop'", "low", -0.1),
    "overfit_by_training": Flip("variant == 'digits_clean' and by == 'W'", "low", -0.1),
    "overfit_ends": Flip("variant == 'gaussian_clean' and n == 16 and by == 'fro'", "low", 0.3),
    "nuclear_generalises": Flip("variant == 'gaussian_full' and quantity == 'lead'", "high", 0.5),
}
EMPTY = {
    "easy_to_overfit": [Empty("quantity != 'fitted'", NO_FIT)],
    "overfit_by_training": [Empty("quantity != 'fitted'", NO_FIT)],
    "overfit_ends": [Empty("n == 8", "second n, Gaussian tokens")],
    "nuclear_generalises": [Empty("quantity != 'lead'", "nuclear solution of gaussian_clean")],
}
