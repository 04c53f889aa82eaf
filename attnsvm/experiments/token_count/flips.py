"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip
from attnsvm.experiments.convergence_types.flips import types


def table():
    return types("T", {2: 0.99, 24: 0.5}).query("n == 5")


FLIPS = {"token_count": Flip("T == 24 and parametrisation == 'W' and type == 'global'", "high", 0.999)}
EMPTY = {"token_count": [Empty("T == 2", "second value of T")]}
