"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    """Of three kinds most instances have settled, and those that have not are far."""
    return [
        {"kind": kind, "seed": seed, "step": step, "norm": step / 3, "all": 0.4}
        | {"value": 2.56 / step**2 if seed else 0.02, "change": 0.001 if seed else 0.9}
        for kind in ("two heads", "one-hot tokens", "repeated tokens")
        for seed in range(32)
        for step in (80, 160)
    ]


FLIPS = {"layers_settled_rows": Flip("kind == 'two heads' and seed == 3 and step == 160", "value", 0.02)}
EMPTY = {
    "layers_settled_rows": [
        Empty("seed == 0", "instance of two heads whose rows have settled"),
        Empty("kind != 'one-hot tokens' or seed == 0", "instance of one-hot tokens whose rows have settled"),
        Empty("step == 160", "instance measured at half of the steps"),
    ]
}
