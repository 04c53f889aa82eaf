"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    rows = (
        {"n": 5, "T": 5, "d": d, "attention": a, "alpha": alpha, "share": 0.5 if d < 5 else 1.0}
        for d in (3, 5, 8)
        for a in ("cross", "self")
        for alpha in ("optimal", "random", "worst")
    )
    return spread(rows, by=0.02, of="share", instances=500)


FLIPS = {"feasibility": Flip("d == 5 and alpha == 'worst' and attention == 'self'", "share", 0.99)}
EMPTY = {"feasibility": [Empty("d < 5", "instance with d at max(T − 1, n) or above")]}
