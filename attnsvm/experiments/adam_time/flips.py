"""What the claims must notice: a made-up table on which they hold, and changes of it."""

import pandas as pd

from attnsvm.audit.flips import Empty, Flip, quantities


def table():
    """Two runs on one curve, one ten times slower; after the last step one has its time behind it."""
    rows = []
    for run, tau, slower in (("0.99 0.01", 10, -0.3), ("0.999 0.01", 100, 0.0)):
        for step in (10, 30, 100, 300, 1000):
            ratio = 1 - 0.6 / (1 + step / tau / 2)
            values = {"deviation": 1e-4, "slower": slower, "linf": ratio, "time": step / tau, "travelled": 10 * step}
            rows += quantities(values, "median", run=run, step=step)
    return pd.DataFrame(rows).assign(instances=32, low=0.0, high=1.0)


FLIPS = {
    "adam_pace_closed": Flip("run == '0.999 0.01' and step == 1000 and quantity == 'deviation'", "median", 0.02),
    "adam_sign_time": Flip("run == '0.999 0.01' and step == 300 and quantity == 'linf'", "median", 0.95),
}
EMPTY = {
    "adam_pace_closed": "every run of the experiment is of Adam, and all have a pace",
    "adam_sign_time": [Empty("run == '0.999 0.01'", "run that has its time behind it")],
}
