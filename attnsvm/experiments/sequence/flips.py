"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip


def table():
    return [
        {"attention": a, "parametrisation": p, "step": 100, "mean": 0.999, "std": 0.001, "instances": 100}
        for a in ("sequence", "causal")
        for p in ("W", "KQ")
    ]


FLIPS = {
    "sequence": Flip("attention == 'sequence' and parametrisation == 'W'", "mean", 0.5),
    "causal": Flip("attention == 'causal' and parametrisation == 'KQ'", "mean", 0.5),
}
EMPTY = {
    "sequence": [Empty("attention == 'causal'", "saturated run of sequence prediction")],
    "causal": [Empty("parametrisation == 'KQ'", "saturated run of causal prediction for W")],
}
