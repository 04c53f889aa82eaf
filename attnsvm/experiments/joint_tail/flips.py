"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

NO_INPUT = "instance with an input that is no support vector"


def table():
    """At three rates the graded solution is near, nearer with more steps; even and relaxed change places."""
    return [
        {"rate": rate, "step": step, "seed": seed, "graded": 1e-4 * (8000 / step) ** 2 * (1 + seed / 100)}
        | {"even": even, "relaxed": relaxed, "shuffled": 0.2, "saturated": 1.0}
        for rate, even, relaxed in ((0.1, 0.002, 0.08), (1.0, 0.05, 0.01), (10.0, 0.1, 1e-4))
        for step in (2000, 8000)
        for seed in range(80)
    ]


FLIPS = {
    "joint_graded_median": Flip("rate == 1 and step == 8000", "graded", 0.1),
    "joint_relaxed_median": Flip("rate == 0.1 and step == 8000", "even", 0.5),
}
EMPTY = {
    "joint_graded_median": [
        Empty("seed < 0", NO_INPUT),
        Empty("step == 2000", "second value of step"),
        Empty("rate == 1", "second rate"),
    ],
    "joint_relaxed_median": [Empty("seed < 0", NO_INPUT), Empty("rate == 1", "second rate")],
}
