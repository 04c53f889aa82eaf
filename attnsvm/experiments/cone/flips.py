"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    rows = (
        {"kind": kind, "R": R, "mu": mu, "end": end}
        | {"share": R / 1000 - mu / 10 if kind == "locally_optimal" else 0.0}
        for kind in ("locally_optimal", "not_locally_optimal")
        for R in (500.0, 1000.0)
        for mu in (0.0, 0.1)
        for end in ("stayed", "converged")
    )
    return spread(rows, by=0.02, of="share", instances=500)


FLIPS = {
    "stays": Flip("kind == 'locally_optimal' and R == 1000 and mu == 0.1 and end == 'converged'", "share", 0.9),
    "leaves": Flip("kind == 'not_locally_optimal' and R == 500 and mu == 0 and end == 'stayed'", "share", 0.5),
}
EMPTY = {
    "stays": [
        Empty("kind == 'not_locally_optimal'", "locally optimal choice besides the optimal tokens"),
        Empty("mu == 0", "angle above zero"),
        Empty("mu > 0", "second value of mu"),
        Empty("R == 500", "second value of R"),
    ],
    "leaves": [Empty("kind == 'locally_optimal'", "separable choice that is not locally optimal")],
}
