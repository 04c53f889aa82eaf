"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """On both sides of the boundary, of Gaussian tokens and of digits."""
    rows = [
        {"tokens": tokens, "n": n, "ratio": ratio, "quantity": quantity, "value": value}
        for tokens in ("gaussian", "digits")
        for n, ratio, separable in ((32, 3.5, 0.9), (64, 7.0, 0.05))
        for quantity, value in (("separable", separable), ("held_out", 0.7))
    ]
    return spread(rows, by=0.05, instances=32)


FLIPS = {"overfit_ends_ratio": Flip("tokens == 'digits' and quantity == 'separable' and n == 64", "high", 0.8)}
EMPTY = {
    "overfit_ends_ratio": [
        Empty("n == 32", "number of inputs on either side of the boundary, Gaussian tokens"),
        Empty("n == 64 or tokens == 'gaussian'", "number of inputs on either side of the boundary, digits"),
    ]
}
