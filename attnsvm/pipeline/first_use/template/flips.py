"""What tries the claim: a made-up table on which it holds, a number that flips it, and what leaves it no instance."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """The distance falls, and the quartiles of the two ends lie apart."""
    rows = [{"d": 4, "median": 0.1}, {"d": 32, "median": 0.01}]
    return spread(rows, share=0.1, of="median", instances=100)


FLIPS = {"NAME": Flip("d == 32", "high", 0.2)}
EMPTY = {"NAME": [Empty("d == 4", "second value of d")]}
