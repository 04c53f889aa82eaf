"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    return [
        {"tokens": tokens, "quantity": "norm", "seed": seed, "value": value}
        for tokens, value in (("plain", 3.0), ("encoded", 4.0), ("added", 2.8))
        for seed in range(100)
    ]


FLIPS = {"positional_length": Flip("tokens == 'encoded' and seed < 20", "value", 2.0)}
EMPTY = {"positional_length": [Empty("tokens != 'plain'", "instance that is separable with all three tokens")]}
