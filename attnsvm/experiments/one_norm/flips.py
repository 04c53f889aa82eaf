"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    """With one norm every distance falls like 1/√step; with two, half of them grow over the last decade."""
    return [
        {"normalisation": rule, "seed": seed, "step": step, "value": value * (1 + 0.01 * seed)}
        for seed in range(32)
        for step in (1, 10, 100)
        for rule, value in (("joint", 0.04 / step**0.5), ("separate", 0.01 if step < 100 or seed % 2 else 0.02))
    ]


NO_SOLUTION = "certified solution of what was selected"
FLIPS = {"KQ_to_nuclear_joint": Flip("normalisation == 'joint' and step == 100 and seed < 4", "value", 0.05)}
EMPTY = {
    "KQ_to_nuclear_joint": [
        Empty("normalisation == 'joint'", NO_SOLUTION),
        Empty("step == 100", "step about a decade before the last"),
    ]
}
