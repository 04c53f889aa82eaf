"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    """Forty instances whose distance from the nuclear solution halves in a decade of steps."""
    return [
        {"solution": norm, "seed": seed, "step": step, "value": value * (1 + seed / 100)}
        for norm, first, last in (("nuc", 0.02, 0.01), ("fro", 0.1, 0.1))
        for step, value in ((2000, first), (20000, last))
        for seed in range(40)
    ]


FLIPS = {"real_KQ_slow": Flip("solution == 'nuc' and step == 20000 and seed < 8", "value", 0.5)}
EMPTY = {
    "real_KQ_slow": [
        Empty("seed < 0", "saturated run with a certified solution"),
        Empty("step == 20000", "step about a decade before the last"),
    ]
}
