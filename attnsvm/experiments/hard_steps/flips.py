"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip

FAR = {
    "two norms": {"spiral": 0.002, "still": 0.05, "nuclear": 0.2, "slack": 0.001, "from nuclear": 0.005},
    "one norm": {"spiral": 0.1, "still": 0.1, "nuclear": 0.004, "slack": 0.001, "from nuclear": 1e-4},
}


def table():
    """Thirty-two instances that follow the hard steps to the spiral, and with one norm to the nuclear solution."""
    ends = {"published": {"from hard": 1e-5, "from nuclear": 0.004}} | FAR
    return [
        {"by": by, "quantity": quantity, "seed": seed, "step": 1000, "value": value * (1 + seed / 100)}
        for by, values in ends.items()
        for quantity, value in values.items()
        for seed in range(32)
    ]


FLIPS = {"KQ_published_spiral": Flip("by == 'two norms' and quantity == 'nuclear'", "value", 0.005)}
EMPTY = {"KQ_published_spiral": [Empty("seed < 0", "instance with a certified nuclear solution")]}
