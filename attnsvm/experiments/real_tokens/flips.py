"""What the claims must notice: a made-up table on which they hold, and changes of it."""

from attnsvm.audit.flips import Empty, Flip, quantities, spread


def table(far=0.1, W=1e-5, KQ=9e-5, gaussian=1e-5, nearer=1.0, measured=1.0):
    """What the claims read: distances after 10 and 1000 steps, and shares of 30 instances."""
    rows = []
    for name, own in (("W", W), ("KQ", KQ)):
        for tokens in ("digits_random", "digits_labels", "digits_position", "gaussian"):
            here = gaussian if tokens == "gaussian" else own
            ends = {"distance": here, "own": here, "wrong": far, "other": 1.0, "random": 0.7, "rank": 3.0}
            ends |= {f"nearer_than_{end}": nearer for end in ("wrong", "other", "random")} | {"measured": measured}
            for step, values in ((10, {"distance": 0.5}), (1000, ends)):
                rows += quantities(values, tokens=tokens, parametrisation=name, step=step)
    return spread(rows, share=0.1, instances=30)


RUN = "saturated and certified run of "

FLIPS = {
    "real_W": Flip(
        "parametrisation == 'W' and tokens == 'digits_labels' and quantity == 'distance' and step == 1000", "high", 0.1
    ),
    "real_KQ": Flip(
        "parametrisation == 'KQ' and tokens == 'digits_position' and quantity == 'nearer_than_random'", "low", 0.4
    ),
    "real_as_gaussian": Flip("parametrisation == 'KQ' and tokens == 'gaussian' and step == 1000", "value", 1e-6),
}
EMPTY = {
    "real_W": [Empty("tokens != 'digits_labels'", RUN + "digits_labels")],
    "real_KQ": [Empty("tokens != 'digits_position'", RUN + "digits_position")],
    "real_as_gaussian": [Empty("tokens != 'gaussian'", RUN + "gaussian")],
}
