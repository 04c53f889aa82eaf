"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, spread

CONTROLS = ("wrong", "other", "random")


def table():
    """Real tokens as near as Gaussian ones, nearer than every control in all instances."""
    rows = []
    for name, own in (("W", 1e-5), ("KQ", 1e-4)):
        for tokens in ("digits_random", "digits_labels", "digits_position", "gaussian"):
            at = {"tokens": tokens, "parametrisation": name}
            rows += [{**at, "step": k, "quantity": "distance", "value": v} for k, v in ((10, 0.5), (100, own))]
            shares = ("measured", *(f"nearer_than_{control}" for control in CONTROLS))
            rows += [{**at, "step": 100, "quantity": quantity, "value": 1.0} for quantity in shares]
    return spread(rows, share=0.1, instances=32)


RUN = "saturated and certified run of "

FLIPS = {
    "real_W": Flip(
        "parametrisation == 'W' and tokens == 'digits_labels' and quantity == 'distance' and step == 100", "high", 0.1
    ),
    "real_KQ": Flip(
        "parametrisation == 'KQ' and tokens == 'digits_position' and quantity == 'nearer_than_random'", "low", 0.4
    ),
    "real_as_gaussian": Flip("parametrisation == 'KQ' and tokens == 'gaussian' and step == 100", "value", 1e-6),
}
EMPTY = {
    "real_W": [Empty("tokens != 'digits_labels'", RUN + "digits_labels")],
    "real_KQ": [Empty("tokens != 'digits_position'", RUN + "digits_position")],
    "real_as_gaussian": [Empty("tokens != 'gaussian'", RUN + "gaussian")],
}
