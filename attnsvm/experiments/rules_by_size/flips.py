"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Coordinate descent and Adam behind at both d, sign and spectral descent at the smaller alone."""
    rows = [
        {"d": d, "rule": rule, "quantity": "lead", "value": 0.1 if d == 3 or rule in ("l1", "adam") else 0.01}
        for d in (3, 16)
        for rule in ("linf", "spectral", "l1", "adam")
    ]
    return spread(rows, by=0.02, n=5, T=5, instances=400)


FLIPS = {"rule_and_tokens_small_d": Flip("d == 16 and rule == 'spectral'", "high", 0.06)}
EMPTY = {"rule_and_tokens_small_d": [Empty("d == 3", "second value of d")]}
