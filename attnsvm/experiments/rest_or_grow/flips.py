"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    """Of every parametrisation, 40 growing runs, half of them separable, and 20 resting ones, none separable."""
    return [
        {"attention": attention, "parametrisation": parametrisation, "d": 2, "seed": seed}
        | {"course": "grows" if seed < 40 else "rests", "separable": seed < 20, "local": seed < 40, "first": seed < 25}
        for attention in ("cross", "self")
        for parametrisation in ("W", "KQ")
        for seed in range(60)
    ]


def flips(attention):
    return Flip(f"attention == '{attention}' and parametrisation == 'KQ' and seed < 5", "local", 0)


def empty(attention):
    return [
        Empty(f"attention != '{attention}'", "run that is not global"),
        Empty("course == 'grows'", "run that rests"),
        Empty("course == 'rests' or parametrisation == 'W'", "growing run of KQ"),
    ]


FLIPS = {"locally_optimal_growing": flips("cross"), "self_locally_optimal_growing": flips("self")}
EMPTY = {"locally_optimal_growing": empty("cross"), "self_locally_optimal_growing": empty("self")}
