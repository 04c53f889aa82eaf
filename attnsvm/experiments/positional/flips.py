"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.audit.reading import FAILS


def table():
    return [
        {"tokens": t, "quantity": "norm", "seed": s, "value": v}
        for t, v in (("plain", 3.0), ("encoded", 4.0), ("added", 5.0))
        for s in range(50)
    ]


FLIPS = {"positional": Flip("tokens == 'added'", "value", 2.0, before=FAILS)}
EMPTY = {"positional": [Empty("tokens != 'plain'", "instance that is separable with all three tokens")]}
