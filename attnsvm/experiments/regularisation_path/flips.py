"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    return [
        {"norm": norm, "R": R, "distance": (1 + 0.01 * s) / R, "gap": 1e-9, "seed": s}
        for norm in ("fro", "nuc")
        for R in (1.0, 10.0, 100.0, 1000.0)
        for s in range(5)
    ]


FLIPS = {
    "path_fro": Flip("norm == 'fro' and R == 1000 and seed == 2", "distance", 1.0),
    "path_nuc": Flip("norm == 'nuc' and R == 1 and seed == 0", "gap", 0.1),
}
EMPTY = {
    "path_fro": [Empty("norm == 'nuc'", "instance with a certified solution")],
    "path_nuc": [Empty("R == 1000", "second R within two decades of the largest")],
}
