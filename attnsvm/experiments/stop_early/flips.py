"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """With flipped labels the gain of stopping is positive, with clean ones it is negative."""
    rows = [
        {"variant": f"{tokens}_{labels}", "n": n, "step": step, "value": value * (step < 1000)}
        for tokens, n in (("gaussian", 128), ("digits", 64))
        for labels, value in (("flipped", 0.05), ("clean", -0.05))
        for step in (10, 100, 1000)
    ]
    return spread(rows, by=0.02, right=0.5, instances=64)


FLIPS = {"overfit_by_flipped": Flip("variant == 'digits_clean' and step == 100", "high", 0.01)}
EMPTY = {
    "overfit_by_flipped": [
        Empty("variant != 'digits_flipped'", "instance of digits with flipped labels"),
        Empty("variant != 'gaussian_clean'", "instance of Gaussian tokens with clean labels"),
        Empty("step == 1000", "step about a decade before the last"),
    ]
}
