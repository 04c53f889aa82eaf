"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    return [
        {"lambda": x, "selected": k, "optimal": k, "solution": name, "value": v, "seed": s}
        for k, x in ((3, 0.1), (5, 1.0))
        for name, v in (("mm", 0.02), ("svmeq", 0.01))
        for s in range(10)
    ]


FLIPS = {"selected_count": Flip("seed == 0 and solution == 'svmeq' and optimal == 3", "selected", 30)}
EMPTY = {
    "selected_count": [
        Empty("solution == 'none'", "instance with certified solutions"),
        Empty("optimal == 3", "second penalty"),
    ],
}
