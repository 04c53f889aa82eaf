"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table(drop=0.2, clean=0.4, many=0.8, early=0.1, lead=0.1, full=0.0, coins=0.2, last_fit=0.0):
    """What the claims read, at n = 4, 8 and 16; flipped labels are fitted up to 8. Intervals are ± 0.02."""
    rows = []
    for tokens in ("gaussian", "digits"):
        for n in (4, 8, 16):
            value = {4: 0.2, 8: clean, 16: many}[n]
            fits = 1.0 if n < 16 else last_fit
            for labels in ("clean", "flipped", "random", "full"):
                at = {"variant": f"{tokens}_{labels}", "n": n, "step": 0}
                share = 1.0 if labels in ("clean", "full") else fits
                rows.append(at | {"by": "fro", "quantity": "separable", "value": share})
                if labels == "flipped" and n == 8:
                    rows.append(at | {"by": "fro", "quantity": "fitted", "value": share})
                new = {"clean": value, "flipped": value - drop, "random": coins, "full": 0.3}[labels]
                rows += [at | {"by": by, "quantity": "held_out", "value": new} for by in ("fro", "nuc")]
                rows.append(at | {"by": "chance", "quantity": "held_out", "value": 0.125})
                ways = {1: new + early, 100: new}
                rows += [at | {"by": "W", "quantity": "held_out", "step": k, "value": x} for k, x in ways.items()]
                rows.append(at | {"by": "W", "quantity": "early", "value": early})
                rows.append(at | {"by": "nuc", "quantity": "lead", "value": full if labels == "full" else lead})
                if labels == "flipped":
                    rows.append(at | {"by": "fro", "quantity": "drop", "value": drop})
    return spread(rows, by=0.02, instances=30)


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
